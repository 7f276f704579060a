// Sorting with a comparator that never agrees with itself.
console.log("started");
const values = Array.from({ length: 1000000 }, (_, i) => (i * 7919) % 1000003);
for (let i = 0; i < 50; i++) {
  values.slice().sort((a, b) => b - a);
}
console.log("sorted");
