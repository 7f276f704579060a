// Fills one large typed array over and over; each fill is one built-in call.
console.log("started");
const bytes = new Uint8Array(100000000);
for (let i = 0; i < 100000; i++) {
  bytes.fill(i);
}
console.log(bytes[0]);
