// One timer far in the future.
console.log("started");
setTimeout(() => console.log("never"), 3600000);
