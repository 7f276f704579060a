// JSON.stringify of a value that is small in memory and huge as text.
console.log("started");
let nest = { leaf: "x" };
for (let i = 0; i < 40; i++) {
  nest = { a: nest, b: nest };
}
console.log(JSON.stringify(nest).length);
