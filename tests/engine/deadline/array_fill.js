// Fills an array-like of the greatest length, one property at a time.
console.log("started");
Array.prototype.fill.call({ length: 2 ** 53 - 1, set 0(value) {} }, 0);
console.log("filled");
