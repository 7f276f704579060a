// `qjs:os` of the engine's shell, for a guest that has no files, processes or workers. 44 is WASI's "no such file".
const { monotonic, sleepUntil } = globalThis.__plimsoll;
const missing = 44;

export const platform = 'wasi';
export const O_RDONLY = 0;
export const O_WRONLY = 1;
export const O_RDWR = 2;
export const open = () => -missing;
export const remove = () => -missing;
export const rename = () => -missing;
export const mkdir = () => -missing;
export const chdir = () => -missing;
export const readdir = () => [[], missing];
export const stat = () => [null, missing];
export const lstat = () => [null, missing];
export const realpath = () => ['', missing];
export const readlink = () => ['', missing];
export const getcwd = () => ['/', 0];
export const isatty = () => false;
export const now = () => monotonic() * 1000;
export const sleep = (milliseconds) => { sleepUntil(monotonic() + Number(milliseconds)); };
export const setTimeout = (callback, milliseconds) => globalThis.setTimeout(callback, milliseconds);
export const clearTimeout = (handle) => globalThis.clearTimeout(handle);
