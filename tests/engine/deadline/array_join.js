// Joins a sparse array of the greatest length: nearly all of it is holes.
console.log("started");
const sparse = [];
sparse.length = 4294967295;
sparse[4294967294] = "x";
console.log(sparse.join("").length);
