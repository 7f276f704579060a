// structuredClone: the structured clone algorithm for everything this environment has.

const ERROR_NAMES = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const viewConstructors = createObject(null);
for (const name of ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array']) {
  viewConstructors[name] = globalThis[name];
}

function refuseClone(value) {
  let text;
  try {
    text = typeof value === 'function' ? functionSource(value) : typeof value === 'symbol' ? symbolToString(value) : `#<${internalClassName(value)}>`;
  } catch {
    text = 'value';
  }
  throwDomException(`${text} could not be cloned.`, 'DataCloneError', structuredClone);
}

/** A copy of `value`. `memory` maps originals to copies, for cycles and shared references. */
function cloneValue(value, memory) {
  if (typeof value === 'symbol' || typeof value === 'function') {
    refuseClone(value);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (mapHas(memory, value)) {
    return mapGet(memory, value);
  }
  if (hostPeek(value) !== undefined) {
    refuseClone(value);
  }
  if (isArray(value)) {
    const copy = [];
    copy.length = value.length;
    return cloneProperties(value, remember(memory, value, copy), memory);
  }
  if (typedArrayKind(value) !== undefined) {
    return cloneView(value, memory);
  }
  if (isError(value)) {
    return cloneError(value, memory);
  }
  return cloneKind(value, builtinKind(value), memory);
}

function remember(memory, value, copy) {
  mapSet(memory, value, copy);
  return copy;
}

function cloneKind(value, kind, memory) {
  switch (kind) {
    case '':
      return cloneProperties(value, remember(memory, value, {}), memory);
    case 'Map':
      return cloneMap(value, memory);
    case 'Set':
      return cloneSet(value, memory);
    case 'Date':
      return remember(memory, value, new GuestDate(dateTime(value)));
    case 'RegExp':
      return remember(memory, value, new GuestRegExp(value));
    case 'ArrayBuffer':
      return remember(memory, value, cloneBuffer(value));
    case 'SharedArrayBuffer':
      return value;
    case 'DataView': {
      const buffer = cloneValue(dataViewBuffer(value), memory);
      return remember(memory, value, new GuestDataView(buffer, dataViewOffset(value), dataViewBytes(value)));
    }
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'BigInt':
      return remember(memory, value, GuestObject(boxedValues[kind](value)));
    default:
      return refuseClone(value);
  }
}

function cloneBuffer(buffer) {
  if (bufferDetached(buffer)) {
    refuseClone(buffer);
  }
  return bufferSlice(buffer, 0);
}

function cloneView(view, memory) {
  const buffer = cloneValue(typedArrayBuffer(view), memory);
  const copy = new viewConstructors[typedArrayKind(view)](buffer, typedArrayOffset(view), typedArrayLength(view));
  return remember(memory, view, copy);
}

function cloneProperties(value, copy, memory) {
  const keys = ownEnumerableKeys(value);
  for (let i = 0; i < keys.length; i++) {
    if (hasOwn(value, keys[i])) {
      const property = cloneValue(value[keys[i]], memory);
      defineProperty(copy, keys[i], { __proto__: null, value: property, writable: true, enumerable: true, configurable: true });
    }
  }
  return copy;
}

function cloneMap(map, memory) {
  const copy = remember(memory, map, new GuestMap());
  const pairs = [];
  mapForEach(map, (value, key) => append(pairs, [key, value]));
  for (let i = 0; i < pairs.length; i++) {
    mapSet(copy, cloneValue(pairs[i][0], memory), cloneValue(pairs[i][1], memory));
  }
  return copy;
}

function cloneSet(set, memory) {
  const copy = remember(memory, set, new GuestSet());
  const members = [];
  setForEach(set, (member) => append(members, member));
  for (let i = 0; i < members.length; i++) {
    setAdd(copy, cloneValue(members[i], memory));
  }
  return copy;
}

function cloneError(error, memory) {
  const Constructor = ERROR_NAMES[safeText(error.name)] || GuestError;
  const message = ownProperty(error, 'message');
  const hasMessage = message !== undefined && hasOwn(message, 'value');
  const copy = remember(memory, error, hasMessage ? new Constructor(`${message.value}`) : new Constructor());
  defineHidden(copy, 'stack', error.stack);
  if (hasOwn(error, 'cause')) {
    defineHidden(copy, 'cause', cloneValue(error.cause, memory));
  }
  return copy;
}

/** Checks the list of buffers to transfer and copies them. Returns the originals, to be detached when all is cloned. */
function copyTransferred(list, memory) {
  const buffers = [];
  for (let i = 0; i < list.length; i++) {
    if (list[i] === null || typeof list[i] !== 'object' || !accepts(bufferLength, list[i])) {
      throwDomException('Value not transferable', 'DataCloneError', structuredClone);
    }
    if (bufferDetached(list[i]) || includes(buffers, list[i])) {
      throwDomException('An ArrayBuffer is detached or listed twice', 'DataCloneError', structuredClone);
    }
    append(buffers, list[i]);
  }
  for (let i = 0; i < buffers.length; i++) {
    mapSet(memory, buffers[i], bufferSlice(buffers[i], 0));
  }
  return buffers;
}

const { structuredClone } = {
  structuredClone(value, options = undefined) {
    if (arguments.length === 0) {
      throwFrom(new GuestTypeError('The "value" argument must be specified'), structuredClone);
    }
    const memory = new GuestMap();
    const list = options === undefined || options === null ? undefined : options.transfer;
    const transferred = list === undefined || list === null ? [] : copyTransferred(slice(list), memory);
    const copy = cloneValue(value, memory);
    for (let i = 0; i < transferred.length; i++) {
      bufferTransfer(transferred[i]);
    }
    return copy;
  },
};
