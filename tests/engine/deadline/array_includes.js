// A linear search for each element: each call is short, all together are quadratic.
console.log("started");
const values = Array.from({ length: 300000 }, (_, i) => i);
console.log(values.filter((value) => values.includes(-value - 1)).length);
