// qjs:os. Only names what ../module-services.js made.
const { os } = globalThis.__plimsoll_services;
export const {
  open, close, seek, read, write, isatty, remove, rename, realpath, getcwd, chdir, mkdir, readdir, stat, lstat, utimes, readlink,
  symlink, now, sleep, sleepAsync, setTimeout, setInterval, clearTimeout, clearInterval, platform, O_RDONLY, O_WRONLY, O_RDWR,
  O_APPEND, O_CREAT, O_EXCL, O_TRUNC, S_IFMT, S_IFREG, S_IFDIR, S_IFLNK,
} = os;
