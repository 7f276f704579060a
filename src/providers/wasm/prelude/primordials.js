// The built-ins the prelude itself relies on, taken before any guest code runs. A guest may replace or delete every one of
// them afterwards: what is here still works. Prelude code that runs after the snapshot calls nothing else by property.

const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;
const { create: createObject, defineProperty: definePropertyOrThrow, is: isSame, keys: ownEnumerableKeys } = Object;
const { isArray } = Array;
const { abs, ceil, floor, max, min, round, sqrt, trunc } = Math;
const { isNaN: isNotANumber, isFinite: isFiniteNumber, isInteger } = Number;
const { parse: parseJson, stringify: stringifyJson } = JSON;
const { fromCharCode, fromCodePoint } = String;
const { captureStackTrace, isError } = Error;
const parseInteger = parseInt;
const parseNumber = parseFloat;
const enqueueJob = queueMicrotask;

const { bind: FunctionBind, call: FunctionCall } = Function.prototype;

/** A method as a function whose first parameter is the receiver. */
const uncurry = apply(FunctionBind, FunctionBind, [FunctionCall]);

/** The getter of an accessor, as a function of the receiver. It throws a TypeError for a receiver of another kind. */
const uncurryGetter = (object, key) => uncurry(getOwnPropertyDescriptor(object, key).get);

const bindFunction = uncurry(FunctionBind);
const functionSource = uncurry(Function.prototype.toString);
const hasInstance = uncurry(Function.prototype[Symbol.hasInstance]);

const hasOwn = uncurry(Object.prototype.hasOwnProperty);
const isEnumerable = uncurry(Object.prototype.propertyIsEnumerable);
const objectTag = uncurry(Object.prototype.toString);

const includes = uncurry(Array.prototype.includes);
const indexOf = uncurry(Array.prototype.indexOf);
const slice = uncurry(Array.prototype.slice);
const sort = uncurry(Array.prototype.sort);
const splice = uncurry(Array.prototype.splice);

const stringAt = uncurry(String.prototype.charCodeAt);
const codePointAt = uncurry(String.prototype.codePointAt);
const stringIncludes = uncurry(String.prototype.includes);
const stringIndexOf = uncurry(String.prototype.indexOf);
const stringLastIndexOf = uncurry(String.prototype.lastIndexOf);
const stringSlice = uncurry(String.prototype.slice);
const startsWith = uncurry(String.prototype.startsWith);
const endsWith = uncurry(String.prototype.endsWith);
const repeat = uncurry(String.prototype.repeat);
const padStart = uncurry(String.prototype.padStart);
const padEnd = uncurry(String.prototype.padEnd);
const toLowerCase = uncurry(String.prototype.toLowerCase);
const toUpperCase = uncurry(String.prototype.toUpperCase);
const normalize = uncurry(String.prototype.normalize);
const trimString = uncurry(String.prototype.trim);
const toWellFormed = uncurry(String.prototype.toWellFormed);

const numberToString = uncurry(Number.prototype.toString);
const numberToFixed = uncurry(Number.prototype.toFixed);
const numberValue = uncurry(Number.prototype.valueOf);
const stringValue = uncurry(String.prototype.valueOf);
const booleanValue = uncurry(Boolean.prototype.valueOf);
const bigIntValue = uncurry(BigInt.prototype.valueOf);
const bigIntToString = uncurry(BigInt.prototype.toString);
const symbolValue = uncurry(Symbol.prototype.valueOf);
const symbolToString = uncurry(Symbol.prototype.toString);

const regExpExec = uncurry(RegExp.prototype.exec);
const regExpToString = uncurry(RegExp.prototype.toString);
const dateTime = uncurry(Date.prototype.getTime);
const dateToIso = uncurry(Date.prototype.toISOString);
const dateToString = uncurry(Date.prototype.toString);
const errorToString = uncurry(Error.prototype.toString);
const errorStack = uncurryGetter(Error.prototype, 'stack');

const mapForEach = uncurry(Map.prototype.forEach);
const mapGet = uncurry(Map.prototype.get);
const mapHas = uncurry(Map.prototype.has);
const mapSet = uncurry(Map.prototype.set);
const mapDelete = uncurry(Map.prototype.delete);
const mapSize = uncurryGetter(Map.prototype, 'size');
const setForEach = uncurry(Set.prototype.forEach);
const setAdd = uncurry(Set.prototype.add);
const setSize = uncurryGetter(Set.prototype, 'size');
const weakMapHas = uncurry(WeakMap.prototype.has);
const weakMapGet = uncurry(WeakMap.prototype.get);
const weakMapSet = uncurry(WeakMap.prototype.set);
const weakSetHas = uncurry(WeakSet.prototype.has);
const weakRefDeref = uncurry(WeakRef.prototype.deref);

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
const typedArrayKind = uncurryGetter(typedArrayPrototype, Symbol.toStringTag);
const typedArrayLength = uncurryGetter(typedArrayPrototype, 'length');
const typedArrayBuffer = uncurryGetter(typedArrayPrototype, 'buffer');
const typedArrayOffset = uncurryGetter(typedArrayPrototype, 'byteOffset');
const typedArrayBytes = uncurryGetter(typedArrayPrototype, 'byteLength');
const typedArraySet = uncurry(typedArrayPrototype.set);
const bufferLength = uncurryGetter(ArrayBuffer.prototype, 'byteLength');
const bufferSlice = uncurry(ArrayBuffer.prototype.slice);
const bufferDetached = uncurryGetter(ArrayBuffer.prototype, 'detached');
const bufferTransfer = uncurry(ArrayBuffer.prototype.transfer);
const sharedBufferLength = uncurryGetter(SharedArrayBuffer.prototype, 'byteLength');
const dataViewBuffer = uncurryGetter(DataView.prototype, 'buffer');
const dataViewOffset = uncurryGetter(DataView.prototype, 'byteOffset');
const dataViewBytes = uncurryGetter(DataView.prototype, 'byteLength');

const GuestArrayBuffer = ArrayBuffer;
const GuestDataView = DataView;
const GuestDate = Date;
const GuestError = Error;
const GuestMap = Map;
const GuestSet = Set;
const GuestWeakMap = WeakMap;
const GuestRegExp = RegExp;
const GuestString = String;
const GuestNumber = Number;
const GuestSymbol = Symbol;
const GuestObject = Object;
const GuestTypeError = TypeError;
const GuestRangeError = RangeError;
const Bytes = Uint8Array;
const Words16 = Uint16Array;
const Words32 = Uint32Array;
const GuestDOMException = DOMException;
const { iterator: symbolIterator, toStringTag: symbolToStringTag, toPrimitive: symbolToPrimitive } = Symbol;
const decodeComponent = decodeURIComponent;

/** Appends without consulting Array.prototype for a setter or for push. */
function append(array, value) {
  defineProperty(array, array.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

/** The descriptor of an own property, or undefined; nothing a guest puts on Object.prototype shows through it. */
function ownProperty(object, key) {
  const property = getOwnPropertyDescriptor(object, key);
  if (property !== undefined) {
    setPrototypeOf(property, null);
  }
  return property;
}

/** Joins strings; Array.prototype.join without its dependence on the guest. */
function joinStrings(strings, separator) {
  let text = '';
  for (let i = 0; i < strings.length; i++) {
    text += i === 0 ? strings[i] : separator + strings[i];
  }
  return text;
}

/** Replaces every occurrence of a non-empty string. */
function replaceEvery(text, from, to) {
  let result = '';
  let start = 0;
  for (let at = stringIndexOf(text, from); at !== -1; at = stringIndexOf(text, from, start)) {
    result += stringSlice(text, start, at) + to;
    start = at + from.length;
  }
  return start === 0 ? text : result + stringSlice(text, start);
}

/** Splits by a non-empty string. */
function splitString(text, separator) {
  const parts = [];
  let start = 0;
  for (let at = stringIndexOf(text, separator); at !== -1; at = stringIndexOf(text, separator, start)) {
    append(parts, stringSlice(text, start, at));
    start = at + separator.length;
  }
  append(parts, stringSlice(text, start));
  return parts;
}

/** Defines a built-in the way the language defines its own: writable, configurable, not enumerable. */
function defineHidden(object, key, value) {
  definePropertyOrThrow(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

/** Throws `error` with a stack that begins at the caller of `from`, so that prelude frames stay out of it. */
function throwFrom(error, from) {
  captureStackTrace(error, from);
  throw error;
}

/** Whether `probe(value)`, an internal-slot check, accepts the value. */
function accepts(probe, value) {
  try {
    probe(value);
    return true;
  } catch {
    return false;
  }
}
