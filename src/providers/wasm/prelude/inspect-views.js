// A view says how one object is shown: its braces, the text before them, its special entries and its listed keys.
// `whole` is the complete text of an object without listed keys; `shallow` the text beyond the depth limit.

function newView(keys, open, close) {
  return { __proto__: null, keys, open, close, base: '', entries: noEntries, subject: undefined, shape: PLAIN, whole: undefined, shallow: undefined };
}

function viewOf(context, value, constructor, tag, peeked, inTypedArray) {
  if (isArray(value)) {
    return arrayView(context, value, constructor, tag);
  }
  if (typeof value === 'function') {
    return baseView(listedKeys(value, context.showHidden), functionText(value, constructor, tag));
  }
  const element = typedArrayKind(value);
  if (element !== undefined) {
    return typedArrayView(context, value, constructor, tag, element);
  }
  if (isErrorLike(value)) {
    const keys = listedKeys(value, context.showHidden);
    const base = inspectErrorBase(context, value, constructor, tag, keys);
    return baseView(keys, base);
  }
  if (peeked !== undefined) {
    const view = newView(listedKeys(value, context.showHidden), `${namePrefix(constructor, tag, 'Promise')}{`, '}');
    view.entries = promiseEntries;
    view.subject = peeked;
    return view;
  }
  const kind = builtinKind(value);
  if (kind !== '') {
    return builtinView(context, value, kind, constructor, tag, inTypedArray);
  }
  return plainView(context, value, constructor, tag);
}

/** A view whose text stands alone, and before the braces when there are keys. */
function baseView(keys, base) {
  const view = newView(keys, '{', '}');
  view.base = base;
  view.whole = base;
  return view;
}

function arrayView(context, value, constructor, tag) {
  const prefix = constructor !== 'Array' || tag !== '' ? namePrefix(constructor, tag, 'Array', `(${value.length})`) : '';
  const view = newView(listedNonIndexKeys(value, context.showHidden), `${prefix}[`, ']');
  view.shape = LIST;
  view.entries = arrayEntries;
  view.subject = value;
  if (value.length === 0) {
    view.whole = `${prefix}[]`;
  }
  return view;
}

function typedArrayView(context, value, constructor, tag, element) {
  const length = typedArrayLength(value);
  const prefix = namePrefix(constructor, tag, element, `(${length})`);
  const view = newView(listedNonIndexKeys(value, context.showHidden), `${prefix}[`, ']');
  view.shape = LIST;
  view.entries = typedArrayEntries;
  view.subject = value;
  if (length === 0 && !context.showHidden) {
    view.whole = `${prefix}[]`;
  }
  return view;
}

function builtinView(context, value, kind, constructor, tag, inTypedArray) {
  const keys = listedKeys(value, context.showHidden);
  switch (kind) {
    case 'Map':
    case 'Set':
      return collectionView(value, kind, keys, constructor, tag);
    case 'RegExp':
    case 'Date':
      return literalView(value, kind, keys, constructor, tag);
    case 'ArrayBuffer':
    case 'SharedArrayBuffer':
    case 'DataView':
      return bufferView(context, value, kind, keys, constructor, tag, inTypedArray);
    case 'WeakSet':
    case 'WeakMap': {
      const view = newView(keys, `${namePrefix(constructor, tag, kind)}{`, '}');
      view.entries = unknownEntries;
      return view;
    }
    default: {
      const own = kind === 'String' ? slice(keys, stringValue(value).length) : keys;
      return baseView(own, boxedText(context, value, kind, constructor, tag));
    }
  }
}

function collectionView(value, kind, keys, constructor, tag) {
  const size = kind === 'Map' ? mapSize(value) : setSize(value);
  const prefix = namePrefix(constructor, tag, kind, `(${size})`);
  const view = newView(keys, `${prefix}{`, '}');
  view.entries = kind === 'Map' ? mapEntries : setEntries;
  view.subject = value;
  if (size === 0) {
    view.whole = `${prefix}{}`;
  }
  return view;
}

function literalView(value, kind, keys, constructor, tag) {
  let base;
  if (kind === 'RegExp') {
    base = regExpToString(constructor !== null ? value : new GuestRegExp(value));
  } else {
    base = isNotANumber(dateTime(value)) ? dateToString(value) : dateToIso(value);
  }
  const prefix = namePrefix(constructor, tag, kind);
  const view = baseView(keys, prefix === `${kind} ` ? base : `${prefix}${base}`);
  if (kind === 'RegExp') {
    view.shallow = view.base;
  }
  return view;
}

function bufferView(context, value, kind, keys, constructor, tag, inTypedArray) {
  const prefix = namePrefix(constructor, tag, kind);
  const added = kind === 'DataView' ? ['byteLength', 'byteOffset', 'buffer'] : ['byteLength'];
  const view = newView(added, `${prefix}{`, '}');
  if (kind !== 'DataView') {
    if (inTypedArray && keys.length === 0) {
      view.keys = keys;
      view.whole = `${prefix}{ byteLength: ${value.byteLength} }`;
      return view;
    }
    if (!inTypedArray) {
      view.entries = bufferEntries;
      view.subject = value;
    }
  }
  for (let i = 0; i < keys.length; i++) {
    append(added, keys[i]);
  }
  return view;
}

function plainView(context, value, constructor, tag) {
  if (isModuleNamespace(value)) {
    const keys = listedKeys(value, context.showHidden);
    const view = newView([], `${namePrefix(constructor, 'Module', 'Module')}{`, '}');
    view.entries = (inner, subject, depth) => namespaceEntries(inner, subject, depth, keys);
    view.subject = value;
    return view;
  }
  const keys = listedKeys(value, context.showHidden);
  if (constructor !== 'Object') {
    const prefix = objectPrefix(value, constructor, tag);
    const view = newView(keys, `${prefix}{`, '}');
    view.whole = `${prefix}{}`;
    return view;
  }
  const open = isArgumentsObject(value) ? '[Arguments] {' : tag !== '' ? `${namePrefix(constructor, tag, 'Object')}{` : '{';
  const view = newView(keys, open, '}');
  view.whole = `${open}}`;
  return view;
}
