// What the modules qjs:std, qjs:os and qjs:bjson export. The module files only name these functions: they are evaluated once,
// before the image is frozen, and read the hidden property this file leaves for them.
// There are no files, processes or workers: every path is missing (WASI error 44), every variable is unset.

const WASI_ERRORS = {
  EACCES: 2, EBADF: 8, EBUSY: 10, EEXIST: 20, EINVAL: 28, EIO: 29, EISDIR: 31, ENOENT: 44, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54,
  EPERM: 63, EPIPE: 64,
};
const ERROR_TEXTS = {
  __proto__: null, 0: 'Success', 2: 'Permission denied', 8: 'Bad file descriptor', 10: 'Resource busy', 20: 'File exists',
  28: 'Invalid argument', 29: 'I/O error', 31: 'Is a directory', 44: 'No such file or directory', 51: 'No space left on device',
  52: 'Function not implemented', 54: 'Not a directory', 63: 'Operation not permitted', 64: 'Broken pipe',
};
const { EBADF, ENOENT, ENOSYS } = WASI_ERRORS;
const evaluateGlobally = eval;

/** Tells a caller's error object, where there is one, why nothing was opened. */
function noteError(record, code) {
  if (record !== null && typeof record === 'object') {
    record.errno = code;
  }
}

/** A stream object of std: `descriptor` 0 reads nothing, 1 and 2 write. */
function newStream(descriptor) {
  const write = (text) => {
    if (descriptor !== 0) {
      hostWrite(descriptor, text);
    }
  };
  const writeRaw = (bytes) => {
    if (descriptor !== 0) {
      const start = typedArrayOffset(bytes);
      hostWriteBytes(descriptor, bufferSlice(typedArrayBuffer(bytes), start, start + typedArrayLength(bytes)));
    }
    return typedArrayLength(bytes);
  };
  const stream = createObject({
    puts(...texts) {
      for (let i = 0; i < texts.length; i++) {
        write(GuestString(texts[i]));
      }
    },
    printf(...args) {
      const text = printfText(args);
      write(text);
      return utf8Length(text);
    },
    putByte(byte) {
      writeRaw(new Bytes([byte]));
    },
    flush() {},
    close() {
      return 0;
    },
    eof() {
      return descriptor === 0;
    },
    error() {
      return false;
    },
    fileno() {
      return descriptor;
    },
    getline() {
      return null;
    },
    getByte() {
      return -1;
    },
    readAsString() {
      return '';
    },
    read() {
      return 0;
    },
    write(buffer, position, length) {
      return writeRaw(new Bytes(buffer, position, length));
    },
    seek() {
      return -ENOSYS;
    },
    tell() {
      return -1;
    },
  });
  defineProperty(getPrototypeOf(stream), symbolToStringTag, { __proto__: null, value: 'FILE', configurable: true });
  return stream;
}

const stdOut = newStream(STDOUT);

const stdServices = {
  exit(code) {
    hostExit(trunc(GuestNumber(code)) & 255);
  },
  gc() {
    hostCollect();
  },
  evalScript(source) {
    return evaluateGlobally(GuestString(source));
  },
  loadScript(path) {
    throwFrom(new ReferenceErrorType(`could not load '${GuestString(path)}'`), stdServices.loadScript);
  },
  getenv() {
    return undefined;
  },
  setenv() {},
  unsetenv() {},
  getenviron() {
    return {};
  },
  loadFile() {
    return null;
  },
  writeFile() {
    throwFrom(new GuestTypeError('no file can be written'), stdServices.writeFile);
  },
  strerror(code) {
    return ERROR_TEXTS[code] || `Unknown error ${GuestString(code)}`;
  },
  open(path, flags, errorRecord) {
    noteError(errorRecord, ENOENT);
    return null;
  },
  popen(command, flags, errorRecord) {
    noteError(errorRecord, ENOSYS);
    return null;
  },
  fdopen(descriptor, flags, errorRecord) {
    noteError(errorRecord, EBADF);
    return null;
  },
  tmpfile(errorRecord) {
    noteError(errorRecord, ENOENT);
    return null;
  },
  puts(...texts) {
    apply(stdOut.puts, stdOut, texts);
  },
  printf(...args) {
    return apply(stdOut.printf, stdOut, args);
  },
  sprintf(...args) {
    return printfText(args);
  },
  in: newStream(0),
  out: stdOut,
  err: newStream(STDERR),
  SEEK_SET: 0,
  SEEK_CUR: 1,
  SEEK_END: 2,
  Error: WASI_ERRORS,
};
const ReferenceErrorType = ReferenceError;
const GuestPromise = Promise;

const osServices = {
  open() {
    return -ENOENT;
  },
  close() {
    return -EBADF;
  },
  seek() {
    return -EBADF;
  },
  read() {
    return -EBADF;
  },
  write(descriptor, buffer, position, length) {
    const stream = descriptor === STDOUT ? stdServices.out : descriptor === STDERR ? stdServices.err : undefined;
    return stream === undefined ? -EBADF : apply(stream.write, stream, [buffer, position, length]);
  },
  isatty() {
    return false;
  },
  remove() {
    return -ENOENT;
  },
  rename() {
    return -ENOENT;
  },
  realpath() {
    return ['', ENOENT];
  },
  getcwd() {
    return ['', ENOENT];
  },
  chdir() {
    return -ENOENT;
  },
  mkdir() {
    return -ENOENT;
  },
  readdir() {
    return [[], ENOENT];
  },
  stat() {
    return [null, ENOENT];
  },
  lstat() {
    return [null, ENOENT];
  },
  utimes() {
    return -ENOENT;
  },
  readlink() {
    return ['', ENOENT];
  },
  symlink() {
    return -ENOENT;
  },
  now() {
    return hostMonotonic();
  },
  sleep(milliseconds) {
    hostSleepUntil(hostMonotonic() + max(0, GuestNumber(milliseconds) || 0));
    return 0;
  },
  sleepAsync(milliseconds) {
    return new GuestPromise((resolve) => {
      setTimeout(resolve, milliseconds);
    });
  },
  setTimeout,
  setInterval,
  clearTimeout,
  clearInterval,
  platform: 'wasi',
  O_RDONLY: 0x4000000,
  O_WRONLY: 0x10000000,
  O_RDWR: 0x14000000,
  O_APPEND: 1,
  O_CREAT: 0x1000,
  O_EXCL: 0x4000,
  O_TRUNC: 0x8000,
  S_IFMT: 0xf000,
  S_IFREG: 0x8000,
  S_IFDIR: 0x4000,
  S_IFLNK: 0xa000,
};

const bjsonServices = {
  read() {
    throwFrom(new GuestError('qjs:bjson is not available in this engine'), bjsonServices.read);
  },
  write() {
    throwFrom(new GuestError('qjs:bjson is not available in this engine'), bjsonServices.write);
  },
};

defineHidden(globalThis, '__plimsoll_services', { __proto__: null, std: stdServices, os: osServices, bjson: bjsonServices });
