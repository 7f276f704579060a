// Converts huge integers to decimal text: quadratic inside one call.
console.log("started");
const value = 7n ** 350000n;
for (let i = 0; i < 1000; i++) {
  value.toString();
}
console.log("converted");
