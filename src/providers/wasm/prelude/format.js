// printf-like formatting of console arguments: %s %d %i %f %j %o %O %c %%.

/** Whether String(value) would show nothing of the guest's making, so that inspection says more. */
function hasBuiltinToString(value) {
  for (let peeked = hostPeek(value); peeked !== undefined && peeked[0] === 3; peeked = hostPeek(value)) {
    if (peeked[1] === null) {
      return true;
    }
    value = peeked[1];
  }
  const hasToString = typeof value.toString === 'function';
  const hasToPrimitive = typeof value[symbolToPrimitive] === 'function';
  if (!hasToString && !hasToPrimitive) {
    return true;
  }
  let owner = value;
  while (owner !== null && !(hasToString && hasOwn(owner, 'toString')) && !(hasToPrimitive && hasOwn(owner, symbolToPrimitive))) {
    owner = getPrototypeOf(owner);
  }
  if (owner === value || owner === null) {
    return false;
  }
  const found = ownProperty(owner, 'constructor');
  return found !== undefined && typeof found.value === 'function' && isBuiltinName(found.value.name);
}

function jsonText(value) {
  try {
    return stringifyJson(value);
  } catch (error) {
    if (isError(error) && error.name === 'TypeError' && stringIncludes(error.message, 'circular')) {
      return '[Circular]';
    }
    throw error;
  }
}

function numberText(value, convert) {
  if (typeof value === 'bigint') {
    return `${bigIntToString(value)}n`;
  }
  return typeof value === 'symbol' ? 'NaN' : inspectNumber(convert(value));
}

function stringText(value) {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return inspectPrimitive(undefined, value);
  }
  if (typeof value !== 'object' || value === null || !hasBuiltinToString(value)) {
    return GuestString(value);
  }
  return inspect(value, { __proto__: null, depth: 0 });
}

/** What one specifier letter makes of its argument; undefined for a letter that is none. */
function specifierText(letter, value) {
  switch (letter) {
    case 's':
      return stringText(value);
    case 'd':
      return numberText(value, GuestNumber);
    case 'i':
      return numberText(value, parseInteger);
    case 'f':
      return typeof value === 'symbol' ? 'NaN' : inspectNumber(parseNumber(value));
    case 'j':
      return `${jsonText(value)}`;
    case 'O':
      return inspect(value);
    case 'o':
      return inspect(value, { __proto__: null, showHidden: true, showProxy: true, depth: 4 });
    case 'c':
      return '';
    default:
      return undefined;
  }
}

/** Fills the specifiers of the first argument. Returns the text and how many arguments it used. */
function fillSpecifiers(args) {
  const pattern = args[0];
  let text = '';
  let used = 1;
  let start = 0;
  for (let at = stringIndexOf(pattern, '%'); at !== -1 && at + 1 < pattern.length; at = stringIndexOf(pattern, '%', at)) {
    const letter = pattern[at + 1];
    if (letter === '%') {
      text += stringSlice(pattern, start, at + 1);
      start = at + 2;
    } else if (used < args.length && (letter === 's' || letter === 'd' || letter === 'i' || letter === 'f' ||
               letter === 'j' || letter === 'o' || letter === 'O' || letter === 'c')) {
      text += stringSlice(pattern, start, at) + specifierText(letter, args[used]);
      used++;
      start = at + 2;
    }
    at += 2;
  }
  return { __proto__: null, text: text + stringSlice(pattern, start), used };
}

/** Console arguments as one text. */
function formatArguments(args) {
  const count = args.length;
  if (count === 0) {
    return '';
  }
  let text;
  let next = 1;
  if (typeof args[0] !== 'string') {
    text = inspect(args[0]);
  } else if (count === 1) {
    return args[0];
  } else {
    const filled = fillSpecifiers(args);
    text = filled.text;
    next = filled.used;
  }
  for (let i = next; i < count; i++) {
    text += typeof args[i] === 'string' ? ` ${args[i]}` : ` ${inspect(args[i])}`;
  }
  return text;
}
