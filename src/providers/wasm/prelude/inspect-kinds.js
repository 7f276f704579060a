// What an object is, by its internal slots and not by what it claims to be.

const generatorFunctionPrototype = getPrototypeOf(function* () {});
const asyncFunctionPrototype = getPrototypeOf(async function () {});
const asyncGeneratorFunctionPrototype = getPrototypeOf(async function* () {});

const neverAKey = createObject(null);

/** Slot checks by kind. `peeked` is what the host knows about the object. */
const kindProbes = {
  __proto__: null,
  Map: mapSize,
  Set: setSize,
  RegExp: (value) => regExpExecSlot(value),
  Date: dateTime,
  ArrayBuffer: bufferLength,
  SharedArrayBuffer: sharedBufferLength,
  DataView: (value) => dataViewBuffer(value),
  WeakSet: (value) => weakSetHas(value, neverAKey),
  WeakMap: (value) => weakMapHas(value, neverAKey),
  Number: numberValue,
  String: stringValue,
  Boolean: booleanValue,
  BigInt: bigIntValue,
  Symbol: symbolValue,
};
const kindNames = ownEnumerableKeys(kindProbes);

const regExpHasGlobal = uncurryGetter(RegExp.prototype, 'global');

/** Throws unless the value is a regular expression; RegExp.prototype itself is none. */
function regExpExecSlot(value) {
  if (value === RegExpPrototype) {
    throw neverAKey;
  }
  regExpHasGlobal(value);
}

const RegExpPrototype = RegExp.prototype;
const ObjectPrototype = Object.prototype;
const FunctionPrototype = Function.prototype;

/** Which kind an object that inherits from a built-in prototype may be. */
const kindOfPrototype = new GuestMap();
for (let i = 0; i < kindNames.length; i++) {
  mapSet(kindOfPrototype, globalThis[kindNames[i]].prototype, kindNames[i]);
}

/**
 * The kind of an object, one of the names above or ''. Only the kinds its prototypes suggest are probed, as a failing probe
 * costs an exception; an object with a foreign chain of prototypes is probed for all.
 */
function builtinKind(value) {
  let ordinary = false;
  for (let prototype = getPrototypeOf(value); prototype !== null; prototype = getPrototypeOf(prototype)) {
    const kind = mapGet(kindOfPrototype, prototype);
    if (kind !== undefined && accepts(kindProbes[kind], value)) {
      return kind;
    }
    ordinary = prototype === ObjectPrototype;
  }
  if (ordinary) {
    return '';
  }
  for (let i = 0; i < kindNames.length; i++) {
    if (accepts(kindProbes[kindNames[i]], value)) {
      return kindNames[i];
    }
  }
  return '';
}

/** The name the engine itself has for the object, whatever its prototypes: `Object`, `Array`, `Map`, ... */
function internalClassName(value) {
  if (typeof value === 'function') {
    return 'Function';
  }
  return isArray(value) ? 'Array' : isError(value) ? 'Error' : typedArrayKind(value) || builtinKind(value) || 'Object';
}

/** Errors, and objects that inherit from Error.prototype without being one. */
function isErrorLike(value) {
  return isError(value) || isInstance(value, GuestError);
}

function isArgumentsObject(value) {
  return !hasOwn(value, symbolToStringTag) && objectTag(value) === '[object Arguments]';
}

function isModuleNamespace(value) {
  const tag = ownProperty(value, symbolToStringTag);
  return tag !== undefined && tag.value === 'Module' && !tag.configurable && !tag.writable && getPrototypeOf(value) === null;
}

const CLASS_HEAD = /^(\s+[^(]*?)\s*\{/;

/** Removes comments, so that a parenthesis in one does not make a class look like a call. */
function withoutComments(source) {
  let result = '';
  for (let i = 0; i < source.length; i++) {
    const pair = stringSlice(source, i, i + 2);
    const end = pair === '//' ? '\n' : pair === '/*' ? '*/' : '';
    const at = end === '' ? -1 : stringIndexOf(source, end, i + 2);
    if (at === -1) {
      result += source[i];
    } else {
      i = at + end.length - 1;
    }
  }
  return result;
}

function isClass(value) {
  const source = functionSource(value);
  if (!startsWith(source, 'class') || !endsWith(source, '}')) {
    return false;
  }
  const rest = stringSlice(source, 5, -1);
  const brace = stringIndexOf(rest, '{');
  return brace !== -1 && (!stringIncludes(stringSlice(rest, 0, brace), '(') || regExpExec(CLASS_HEAD, withoutComments(rest)) !== null);
}

/** `Function`, `GeneratorFunction`, `AsyncFunction` or `AsyncGeneratorFunction`. */
function functionKind(value) {
  for (let prototype = getPrototypeOf(value); prototype !== null; prototype = getPrototypeOf(prototype)) {
    switch (prototype) {
      case generatorFunctionPrototype:
        return 'GeneratorFunction';
      case asyncFunctionPrototype:
        return 'AsyncFunction';
      case asyncGeneratorFunctionPrototype:
        return 'AsyncGeneratorFunction';
      case FunctionPrototype:
        return 'Function';
    }
  }
  return 'Function';
}

/** Own keys inspection lists: enumerable strings and symbols, or all when hidden ones are asked for. */
function listedKeys(value, showHidden) {
  const all = ownKeys(value);
  if (showHidden) {
    return all;
  }
  const keys = [];
  for (let i = 0; i < all.length; i++) {
    const property = ownProperty(value, all[i]);
    if (property !== undefined && property.enumerable) {
      append(keys, all[i]);
    }
  }
  return keys;
}

/** Whether a key is an array index: the canonical text of an integer from 0 to 2^32 - 2. */
function isArrayIndex(key) {
  if (typeof key !== 'string' || key.length === 0 || key.length > 10) {
    return false;
  }
  const number = +key;
  return number >= 0 && number <= 4294967294 && isInteger(number) && `${number}` === key;
}

/** The listed keys without array indices. Indices come first, in order, so that a long array costs one look at its end. */
function listedNonIndexKeys(value, showHidden) {
  const keys = listedKeysAfterIndices(ownKeys(value));
  if (showHidden) {
    return keys;
  }
  const enumerable = [];
  for (let i = 0; i < keys.length; i++) {
    if (isEnumerable(value, keys[i])) {
      append(enumerable, keys[i]);
    }
  }
  return enumerable;
}

function listedKeysAfterIndices(keys) {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isArrayIndex(keys[middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return slice(keys, low);
}
