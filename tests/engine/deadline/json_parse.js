// Parses one large text over and over.
console.log("started");
const text = JSON.stringify(Array.from({ length: 300000 }, (_, i) => ({ i, s: "text" + i })));
for (let i = 0; i < 100; i++) {
  JSON.parse(text);
}
console.log("parsed");
