// `qjs:std` of the engine's shell, for a guest that has no files: every path is missing.
const { write, writeBytes, exit: leave, gc: collect } = globalThis.__plimsoll;

class Out {
  #fd;
  constructor(fd) { this.#fd = fd; }
  puts(...parts) { for (const part of parts) write(this.#fd, String(part)); }
  putByte(byte) { writeBytes(this.#fd, new Uint8Array([byte]).buffer); }
  write(buffer, position = 0, length = buffer.byteLength - position) {
    writeBytes(this.#fd, buffer.slice(position, position + length));
    return length;
  }
  flush() {}
  close() { return 0; }
}

export const out = new Out(1);
export { Out as FILE };
// `err` is named so because the shell names it so.
export const err = new Out(2);
export const exit = (code = 0) => leave(Number(code) | 0);
export const gc = () => collect();
export const puts = (...parts) => out.puts(...parts);
export const open = () => null;
export const popen = () => null;
export const fdopen = () => null;
export const tmpfile = () => null;
export const loadFile = () => null;
export const loadScript = () => { throw new ReferenceError('could not load the script: No such file or directory'); };
export const evalScript = (text) => (0, eval)(text);
export const getenv = () => undefined;
export const getenviron = () => ({});
export const setenv = () => {};
export const unsetenv = () => {};
export const strerror = (number) => number === 44 ? 'No such file or directory' : `error ${number}`;
export const SEEK_SET = 0;
export const SEEK_CUR = 1;
export const SEEK_END = 2;
export const Error = { EINVAL: 28, EIO: 29, EACCES: 2, EEXIST: 20, ENOSPC: 51, ENOSYS: 52, EBUSY: 10, ENOENT: 44, EPERM: 63, EPIPE: 64 };
