// A timer that sets itself again: waits most of the time.
console.log("started");
function tick() {
  setTimeout(tick, 1);
}
tick();
