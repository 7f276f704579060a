// inspect(value, options): a value as text, as Node 20 prints it by default.

const CUSTOM_INSPECT = Symbol.for('nodejs.util.inspect.custom');

const defaultOptions = {
  __proto__: null,
  showHidden: false,
  depth: 2,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
};
const optionNames = ownEnumerableKeys(defaultOptions);

/** Limits and layout from options; null means no limit, anything that makes no sense the default. */
function newContext(options) {
  const context = { __proto__: null, seen: [], circular: undefined, indentation: 0, currentDepth: 0 };
  for (let i = 0; i < optionNames.length; i++) {
    const name = optionNames[i];
    const standard = defaultOptions[name];
    const given = options === undefined || options === null ? undefined : options[name];
    if (typeof standard === 'number') {
      const unlimited = given === null && name !== 'breakLength' && name !== 'compact';
      context[name] = unlimited ? Infinity : typeof given === 'number' ? given : given === false ? 0 : standard;
    } else {
      context[name] = given === undefined ? standard : !!given;
    }
  }
  return context;
}

/** The options a context was made from, for a custom inspection function. */
function optionsOf(context) {
  const options = {};
  for (let i = 0; i < optionNames.length; i++) {
    options[optionNames[i]] = context[optionNames[i]];
  }
  return options;
}

function inspect(value, options) {
  return inspectValue(newContext(options), value, 0);
}

/** One value at a depth of `level`. `inTypedArray` keeps the contents of its buffer out. */
function inspectValue(context, value, level, inTypedArray = false) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return inspectPrimitive(context, value);
  }
  const original = value;
  let peeked = hostPeek(value);
  while (peeked !== undefined && peeked[0] === 3) {
    if (peeked[1] === null) {
      return '<Revoked Proxy>';
    }
    if (context.showProxy) {
      return inspectProxy(context, peeked, level);
    }
    value = peeked[1];
    peeked = hostPeek(value);
  }
  if (context.customInspect) {
    const custom = customText(context, value, original, level);
    if (custom !== undefined) {
      return custom;
    }
  }
  if (includes(context.seen, value)) {
    return circularReference(context, value);
  }
  return inspectObject(context, value, level, peeked, inTypedArray);
}

/** What an inspection function of the guest says about the object, or undefined when it has none. */
function customText(context, value, original, level) {
  const custom = value[CUSTOM_INSPECT];
  if (typeof custom !== 'function' || custom === inspect || (value.constructor && value.constructor.prototype === value)) {
    return undefined;
  }
  const result = apply(custom, original, [context.depth - level, optionsOf(context), inspect]);
  if (result === original) {
    return undefined;
  }
  if (typeof result !== 'string') {
    return inspectValue(context, result, level);
  }
  return replaceEvery(result, '\n', `\n${repeat(' ', context.indentation)}`);
}

function circularReference(context, value) {
  if (context.circular === undefined) {
    context.circular = new GuestMap();
  }
  let index = mapGet(context.circular, value);
  if (index === undefined) {
    index = mapSize(context.circular) + 1;
    mapSet(context.circular, value, index);
  }
  return `[Circular *${index}]`;
}

function inspectProxy(context, peeked, level) {
  if (level > context.depth) {
    return 'Proxy [Array]';
  }
  context.indentation += 2;
  const parts = [inspectValue(context, peeked[1], level + 1), inspectValue(context, peeked[2], level + 1)];
  context.indentation -= 2;
  return layOut(context, parts, '', 'Proxy [', ']', LIST, level + 1);
}

function inspectObject(context, value, level, peeked, inTypedArray) {
  const prototypeLines = context.showHidden && level <= context.depth ? [] : undefined;
  const constructor = constructorName(context, value, level, prototypeLines);
  const tag = shownTag(context, value);
  const view = viewOf(context, value, constructor, tag, peeked, inTypedArray);
  const empty = view.keys.length === 0 && (prototypeLines === undefined || prototypeLines.length === 0);
  if (empty && view.whole !== undefined) {
    return view.whole;
  }
  if (level > context.depth) {
    const name = stringSlice(objectPrefix(value, constructor, tag), 0, -1);
    return view.shallow !== undefined ? view.shallow : constructor === null ? name : `[${name}]`;
  }
  return inspectContents(context, value, level + 1, view, prototypeLines);
}

function inspectContents(context, value, level, view, prototypeLines) {
  append(context.seen, value);
  context.currentDepth = level;
  const indentation = context.indentation;
  let entries;
  try {
    entries = view.entries(context, view.subject, level);
    for (let i = 0; i < view.keys.length; i++) {
      append(entries, inspectProperty(context, value, level, view.keys[i], view.shape));
    }
  } catch (error) {
    if (!isStackOverflow(error)) {
      throw error;
    }
    context.seen.length--;
    context.indentation = indentation;
    return `[${internalClassName(value)}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`;
  }
  for (let i = 0; prototypeLines !== undefined && i < prototypeLines.length; i++) {
    append(entries, prototypeLines[i]);
  }
  context.seen.length--;
  let base = view.base;
  const index = context.circular === undefined ? undefined : mapGet(context.circular, value);
  if (index !== undefined) {
    base = base === '' ? `<ref *${index}>` : `<ref *${index}> ${base}`;
  }
  return layOut(context, entries, base, view.open, view.close, view.shape, level, value);
}

const STACK_OVERFLOW = 'Maximum call stack size exceeded';

function isStackOverflow(error) {
  return isError(error) && error.message === STACK_OVERFLOW;
}

/** Symbol.toStringTag where it says more than the listed properties do. */
function shownTag(context, value) {
  const tag = value[symbolToStringTag];
  if (typeof tag !== 'string' || tag === '') {
    return '';
  }
  const listed = context.showHidden ? hasOwn(value, symbolToStringTag) : isEnumerable(value, symbolToStringTag);
  return listed ? '' : tag;
}
