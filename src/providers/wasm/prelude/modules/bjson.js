// qjs:bjson. The engine module offers no primitive for it: both functions throw.
const { bjson } = globalThis.__plimsoll_services;
export const { read, write } = bjson;
