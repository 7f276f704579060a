// Exponential backtracking inside one match.
console.log("started");
console.log(/^(a+)+$/.test("a".repeat(40) + "b"));
