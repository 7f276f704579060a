// Jobs for ever: the script itself ends at once.
console.log("started");
function next() {
  return Promise.resolve().then(next);
}
next();
