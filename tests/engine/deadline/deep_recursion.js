// Recursion to the stack limit, again and again.
console.log("started");
let caught = 0;
function dive() {
  dive();
}
while (true) {
  try {
    dive();
  } catch {
    caught++;
  }
}
