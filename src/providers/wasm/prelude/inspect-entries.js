// The entries of each kind of object: elements, members, contents, properties.

function remainingItems(count) {
  return `... ${count} more item${count > 1 ? 's' : ''}`;
}

function emptyItems(count) {
  return `<${count} empty item${count > 1 ? 's' : ''}>`;
}

function arrayEntries(context, array, level) {
  const length = array.length;
  const shown = min(max(0, context.maxArrayLength), length);
  const entries = [];
  for (let i = 0; i < shown; i++) {
    if (!hasOwn(array, i)) {
      return sparseEntries(context, array, level, shown, entries, i);
    }
    append(entries, inspectProperty(context, array, level, i, ELEMENT));
  }
  if (length > shown) {
    append(entries, remainingItems(length - shown));
  }
  return entries;
}

/** Continues an array at its first hole; each run of holes is one entry. */
function sparseEntries(context, array, level, limit, entries, index) {
  const keys = ownKeys(array);
  for (let i = index; i < keys.length && entries.length < limit && isArrayIndex(keys[i]); i++) {
    if (!isEnumerable(array, keys[i])) {
      continue;
    }
    const at = +keys[i];
    if (at !== index) {
      append(entries, emptyItems(at - index));
      index = at;
      if (entries.length === limit) {
        break;
      }
    }
    append(entries, inspectProperty(context, array, level, keys[i], ELEMENT));
    index++;
  }
  const remaining = array.length - index;
  if (remaining > 0) {
    append(entries, entries.length === limit ? remainingItems(remaining) : emptyItems(remaining));
  }
  return entries;
}

function typedArrayEntries(context, array, level) {
  const length = typedArrayLength(array);
  const shown = min(max(0, context.maxArrayLength), length);
  const entries = [];
  for (let i = 0; i < shown; i++) {
    append(entries, typeof array[i] === 'bigint' ? `${array[i]}n` : inspectNumber(array[i]));
  }
  if (length > shown) {
    append(entries, remainingItems(length - shown));
  }
  if (context.showHidden) {
    context.indentation += 2;
    append(entries, `[BYTES_PER_ELEMENT]: ${typedArrayBytes(array) / length || array.BYTES_PER_ELEMENT}`);
    append(entries, `[length]: ${length}`);
    append(entries, `[byteLength]: ${typedArrayBytes(array)}`);
    append(entries, `[byteOffset]: ${typedArrayOffset(array)}`);
    append(entries, `[buffer]: ${inspectValue(context, typedArrayBuffer(array), level, true)}`);
    context.indentation -= 2;
  }
  return entries;
}

function setEntries(context, set, level) {
  const entries = [];
  context.indentation += 2;
  let seen = 0;
  setForEach(set, (member) => {
    if (seen++ < context.maxArrayLength) {
      append(entries, inspectValue(context, member, level));
    }
  });
  if (seen > context.maxArrayLength) {
    append(entries, remainingItems(seen - max(0, context.maxArrayLength)));
  }
  context.indentation -= 2;
  return entries;
}

function mapEntries(context, map, level) {
  const entries = [];
  context.indentation += 2;
  let seen = 0;
  mapForEach(map, (value, key) => {
    if (seen++ < context.maxArrayLength) {
      append(entries, `${inspectValue(context, key, level)} => ${inspectValue(context, value, level)}`);
    }
  });
  if (seen > context.maxArrayLength) {
    append(entries, remainingItems(seen - max(0, context.maxArrayLength)));
  }
  context.indentation -= 2;
  return entries;
}

function bufferEntries(context, buffer) {
  let bytes;
  try {
    bytes = new Bytes(buffer);
  } catch {
    return ['(detached)'];
  }
  const length = typedArrayLength(bytes);
  const shown = min(max(0, context.maxArrayLength), length);
  let text = '';
  for (let i = 0; i < shown; i++) {
    text += (i === 0 ? '' : ' ') + padStart(numberToString(bytes[i], 16), 2, '0');
  }
  if (length > shown) {
    text += ` ... ${length - shown} more byte${length - shown > 1 ? 's' : ''}`;
  }
  return [`[Uint8Contents]: <${text}>`];
}

function promiseEntries(context, peeked, level) {
  if (peeked[0] === 0) {
    return ['<pending>'];
  }
  context.indentation += 2;
  const text = inspectValue(context, peeked[1], level);
  context.indentation -= 2;
  return [peeked[0] === 2 ? `<rejected> ${text}` : text];
}

function namespaceEntries(context, namespace, level, keys) {
  const entries = [];
  for (let i = 0; i < keys.length; i++) {
    let text;
    try {
      text = inspectProperty(context, namespace, level, keys[i], PLAIN);
    } catch {
      text = `${keyText(keys[i], true)}: <uninitialized>`;
    }
    append(entries, text);
  }
  return entries;
}

const noEntries = () => [];
const unknownEntries = () => ['<items unknown>'];

/** A property key before its colon. */
function keyText(key, enumerable) {
  if (typeof key === 'symbol') {
    return `[${escapeString(symbolToString(key), 39)}]`;
  }
  if (key === '__proto__') {
    return "['__proto__']";
  }
  if (!enumerable) {
    return `[${escapeString(key, 39)}]`;
  }
  return regExpExec(PLAIN_KEY, key) !== null ? key : quoteString(key);
}

function inspectProperty(context, object, level, key, shape, property) {
  property = property || ownProperty(object, key) || { __proto__: null, value: object[key], enumerable: true };
  let text;
  if (property.get !== undefined) {
    text = property.set !== undefined ? '[Getter/Setter]' : '[Getter]';
  } else if (property.set !== undefined) {
    text = '[Setter]';
  } else {
    context.indentation += 2;
    text = inspectValue(context, property.value, level);
    context.indentation -= 2;
  }
  return shape === ELEMENT ? text : `${keyText(key, property.enumerable)}: ${text}`;
}
