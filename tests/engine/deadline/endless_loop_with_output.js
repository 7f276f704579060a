// Writes for ever: output must leave the worker as it is made.
for (let i = 0; ; i++) {
  console.log("line", i);
}
