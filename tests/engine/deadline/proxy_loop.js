// A prototype chain of proxies that never ends a lookup quickly.
console.log("started");
let chain = {};
for (let i = 0; i < 200; i++) {
  chain = new Proxy(chain, { get: (target, key) => target[key] });
}
for (let i = 0; ; i++) {
  chain[i];
}
