// Powers near the greatest integer the engine holds: seconds inside built-ins that never poll.
console.log("started");
let bits = 0n;
for (let i = 0n; i < 1000n; i++) {
  bits ^= (3n + i % 2n) ** 500000n;
}
console.log(bits > 0n);
