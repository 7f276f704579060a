// An async function that never stops awaiting.
console.log("started");
(async () => {
  for (;;) {
    await null;
  }
})();
