// `qjs:bjson` of the engine's shell. The format is the engine's own and unsafe to read from hostile bytes: not offered.
export const read = () => { throw new TypeError('bjson is not available here'); };
export const write = () => { throw new TypeError('bjson is not available here'); };
