// qjs:std. Only names what ../module-services.js made.
const { std } = globalThis.__plimsoll_services;
export const {
  exit, gc, evalScript, loadScript, getenv, setenv, unsetenv, getenviron, loadFile, writeFile, strerror, open, popen, fdopen,
  tmpfile, puts, printf, sprintf, out, err, SEEK_SET, SEEK_CUR, SEEK_END,
} = std;
const { in: input, Error: ErrorCodes } = std;
export { input as in, ErrorCodes as Error };
