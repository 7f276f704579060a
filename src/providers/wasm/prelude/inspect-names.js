// Names: of constructors, of prefixes such as `Map(2) `, of functions and classes.

/** Whether `object instanceof constructor`, where a throwing Symbol.hasInstance counts as no. */
function isInstance(object, constructor) {
  try {
    return object instanceof constructor;
  } catch {
    return false;
  }
}

/**
 * The name of the constructor the object shows, or null when its prototype is null. Where no constructor on the chain fits,
 * the name says what stands there instead: `Object <Complex prototype>`.
 */
function constructorName(context, object, level, prototypeLines) {
  let first;
  for (let link = object; link !== null; link = getPrototypeOf(link)) {
    if (link !== object && first === undefined) {
      first = link;
    }
    const found = ownProperty(link, 'constructor');
    const constructor = found === undefined ? undefined : found.value;
    if (typeof constructor !== 'function' || constructor.name === '' || !isInstance(object, constructor)) {
      continue;
    }
    if (prototypeLines !== undefined && (first !== link || !isBuiltinName(constructor.name))) {
      addPrototypeLines(context, object, first || object, level, prototypeLines);
    }
    return `${constructor.name}`;
  }
  if (first === undefined) {
    return null;
  }
  return nameWithoutConstructor(context, object, first, level, prototypeLines);
}

function nameWithoutConstructor(context, object, prototype, level, prototypeLines) {
  const own = internalClassName(object);
  if (level > context.depth) {
    return `${own} <Complex prototype>`;
  }
  const inherited = constructorName(context, prototype, level + 1, prototypeLines);
  if (inherited === null) {
    return `${own} <${inspect(prototype, { __proto__: null, ...optionsOf(context), customInspect: false, depth: -1 })}>`;
  }
  return `${own} <${inherited}>`;
}

const builtinNames = new GuestSet();
{
  const names = Object.getOwnPropertyNames(globalThis);
  for (let i = 0; i < names.length; i++) {
    if (regExpExec(/^[A-Z][a-zA-Z0-9]+$/, names[i]) !== null) {
      setAdd(builtinNames, names[i]);
    }
  }
}
const setHas = uncurry(Set.prototype.has);

function isBuiltinName(name) {
  return setHas(builtinNames, name);
}

/** With hidden properties shown: accessors and data a user-defined prototype carries, up to three prototypes up. */
function addPrototypeLines(context, main, object, level, lines) {
  const seenKeys = new GuestSet();
  for (let depth = 0; depth < 3; depth++) {
    if (depth !== 0 || main === object) {
      object = getPrototypeOf(object);
      if (object === null) {
        return;
      }
      const found = ownProperty(object, 'constructor');
      if (found !== undefined && typeof found.value === 'function' && isBuiltinName(found.value.name)) {
        return;
      }
    }
    const keys = ownKeys(object);
    append(context.seen, main);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const property = ownProperty(object, key);
      if (key !== 'constructor' && !hasOwn(main, key) && !setHas(seenKeys, key) && typeof property.value !== 'function') {
        append(lines, inspectProperty(context, object, level, key, PLAIN, property));
      }
    }
    context.seen.length--;
    for (let i = 0; i < keys.length; i++) {
      setAdd(seenKeys, keys[i]);
    }
  }
}

/** `Name(size) [tag] `, with `[Fallback(size): null prototype] ` where there is no constructor. */
function namePrefix(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    return tag !== '' && fallback !== tag ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
  }
  return tag !== '' && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
}

/** The prefix of an object that is nothing special. */
function objectPrefix(value, constructor, tag) {
  let fallback = '';
  if (constructor === null) {
    fallback = internalClassName(value);
    if (fallback === tag) {
      fallback = 'Object';
    }
  }
  return namePrefix(constructor, tag, fallback);
}

function classText(value, constructor, tag) {
  const name = (hasOwn(value, 'name') && value.name) || '(anonymous)';
  let text = `class ${name}`;
  if (constructor !== 'Function' && constructor !== null) {
    text += ` [${constructor}]`;
  }
  if (tag !== '' && constructor !== tag) {
    text += ` [${tag}]`;
  }
  if (constructor === null) {
    return `[${text} extends [null prototype]]`;
  }
  const parent = getPrototypeOf(value).name;
  return parent ? `[${text} extends ${parent}]` : `[${text}]`;
}

function functionText(value, constructor, tag) {
  if (isClass(value)) {
    return classText(value, constructor, tag);
  }
  const kind = functionKind(value);
  let text = `[${kind}`;
  if (constructor === null) {
    text += ' (null prototype)';
  }
  text += value.name === '' ? ' (anonymous)]' : `: ${GuestString(value.name)}]`;
  if (constructor !== kind && constructor !== null) {
    text += ` ${constructor}`;
  }
  if (tag !== '' && constructor !== tag) {
    text += ` [${tag}]`;
  }
  return text;
}

const boxedValues = { __proto__: null, Number: numberValue, String: stringValue, Boolean: booleanValue, BigInt: bigIntValue, Symbol: symbolValue };

/** `[Number: 3]`, with the constructor in parentheses where it is another one. */
function boxedText(context, value, kind, constructor, tag) {
  let text = `[${kind}`;
  if (kind !== constructor) {
    text += constructor === null ? ' (null prototype)' : ` (${constructor})`;
  }
  text += `: ${inspectPrimitive(context, boxedValues[kind](value))}]`;
  return tag !== '' && tag !== constructor ? `${text} [${tag}]` : text;
}
