// Puts everything where the guest finds it. All of it is hidden from enumeration, like the language's own globals.

let runStart = 0;

/** Reads the clock at the start of a run; all that a run pays before guest code. */
function beginRun() {
  runStart = hostMonotonic();
}

const { gc } = {
  gc() {
    hostCollect();
  },
};

/** A class whose objects only the prelude makes: its constructor throws for everybody else. */
function hiddenClass(name, methods) {
  const type = { [name]: function () { throwFrom(new GuestTypeError('Illegal constructor'), type); } }[name];
  const keys = ownKeys(methods);
  for (let i = 0; i < keys.length; i++) {
    defineProperty(type.prototype, keys[i], getOwnPropertyDescriptor(methods, keys[i]));
  }
  defineProperty(type.prototype, symbolToStringTag, { __proto__: null, value: name, configurable: true });
  defineHidden(globalThis, name, type);
  return createObject(type.prototype);
}

/** Makes a class look as the language defines its own: tag, name, members not enumerable. */
function publishClass(type, members) {
  for (const key of members) {
    const property = getOwnPropertyDescriptor(type.prototype, key);
    defineProperty(type.prototype, key, { __proto__: null, ...property, enumerable: true });
  }
  defineProperty(type.prototype, symbolToStringTag, { __proto__: null, value: type.name, configurable: true });
  defineHidden(globalThis, type.name, type);
}

const navigator = hiddenClass('Navigator', {
  get userAgent() {
    return `quickjs-ng/${engineVersion}`;
  },
});
const crypto = hiddenClass('Crypto', cryptoMethods);

// The engine's own performance object counts from the frozen image and cannot be changed: it is replaced.
const performance = hiddenClass('Performance', {
  now() {
    return hostMonotonic() - runStart;
  },
  get timeOrigin() {
    return hostNow() - (hostMonotonic() - runStart);
  },
});

publishClass(TextEncoder, ['encoding', 'encode', 'encodeInto']);
publishClass(TextDecoder, ['encoding', 'fatal', 'ignoreBOM', 'decode']);
publishClass(URL, ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams',
  'hash', 'toString', 'toJSON']);
publishClass(URLSearchParams, ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'size', 'toString', 'forEach', 'entries', 'keys',
  'values']);

defineHidden(globalThis, 'performance', performance);
defineHidden(globalThis, 'console', newConsole());
defineHidden(globalThis, 'print', print);
defineHidden(globalThis, 'setTimeout', setTimeout);
defineHidden(globalThis, 'setInterval', setInterval);
defineHidden(globalThis, 'clearTimeout', clearTimeout);
defineHidden(globalThis, 'clearInterval', clearInterval);
defineHidden(globalThis, 'structuredClone', structuredClone);
defineHidden(globalThis, 'gc', gc);
defineHidden(globalThis, 'navigator', navigator);
defineHidden(globalThis, 'crypto', crypto);
defineHidden(globalThis, 'scriptArgs', []);
defineHidden(globalThis, 'argv0', 'qjs');

// The engine takes this property and deletes it before the image is frozen.
defineHidden(globalThis, '__plimsoll_drive', { __proto__: null, runTimers, formatUncaught, beginRun });
