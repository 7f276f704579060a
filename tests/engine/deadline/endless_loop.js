// Polls the interrupt handler at each turn.
console.log("started");
while (true) {}
