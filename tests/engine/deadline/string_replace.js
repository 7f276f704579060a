// Replaces every letter of a long text by a long text, again and again.
console.log("started");
const text = "ab".repeat(500000);
for (let i = 0; i < 1000; i++) {
  text.replaceAll("a", "xyz").split("").reverse().join("");
}
console.log("replaced");
