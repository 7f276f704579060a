// Sorting without a comparator turns numbers into strings at each comparison and never polls.
console.log("started");
const values = [];
for (let i = 0, x = 1; i < 1000000; i++) {
  x = (x * 48271) % 2147483647;
  values.push(x);
}
for (let i = 0; i < 50; i++) {
  values.slice().sort();
}
console.log("sorted");
