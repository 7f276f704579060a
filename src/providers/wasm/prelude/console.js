// console and print. log, info, debug and what is built on them write to stdout; error, warn, trace and assert to stderr.
// No method throws because of what it was given.

let groupIndent = '';
const counters = new GuestMap();
const stopwatches = new GuestMap();

function writeLine(stream, text) {
  if (groupIndent !== '') {
    text = groupIndent + (stringIncludes(text, '\n') ? replaceEvery(text, '\n', `\n${groupIndent}`) : text);
  }
  hostWrite(stream, `${text}\n`);
}

/** Writes the arguments as one line. A single string, the common case, goes out as it is. */
function writeArguments(stream, args) {
  if (args.length === 1 && typeof args[0] === 'string') {
    writeLine(stream, args[0]);
    return;
  }
  let text;
  try {
    text = formatArguments(args);
  } catch (error) {
    text = `[console: the value could not be shown: ${safeText(error)}]`;
  }
  writeLine(stream, text);
}

/** The text of anything, even of an object whose conversions throw. */
function safeText(value) {
  try {
    return isError(value) ? errorToString(value) : GuestString(value);
  } catch {
    return 'an object that has no text';
  }
}

function labelText(label) {
  return label === undefined ? 'default' : safeText(label);
}

/** A duration as console.timeEnd shows it: 1.234ms, 1.234s, 1:02.345 (m:ss.mmm). */
function durationText(ms) {
  if (ms < 1000) {
    return `${GuestNumber(numberToFixed(ms, 3))}ms`;
  }
  if (ms < 60000) {
    return `${numberToFixed(ms / 1000, 3)}s`;
  }
  const hours = floor(ms / 3600000);
  const minutes = floor(ms % 3600000 / 60000);
  const seconds = padStart(numberToFixed(ms % 60000 / 1000, 3), 6, '0');
  return hours > 0 ? `${hours}:${padStart(`${minutes}`, 2, '0')}:${seconds} (h:mm:ss.mmm)` : `${minutes}:${seconds} (m:ss.mmm)`;
}

function writeStopwatch(name, label, extra) {
  const start = mapGet(stopwatches, label);
  if (start === undefined) {
    writeLine(STDERR, `Warning: No such label '${label}' for console.${name}()`);
    return;
  }
  const line = [`${label}: ${durationText(hostMonotonic() - start)}`];
  for (let i = 0; i < extra.length; i++) {
    append(line, extra[i]);
  }
  writeArguments(STDOUT, line);
}

/** Prints the heading, where there is one, and indents what follows by two. */
function openGroup(args) {
  if (args.length > 0) {
    writeArguments(STDOUT, args);
  }
  groupIndent += '  ';
}

const consoleMethods = {
  log(...args) {
    writeArguments(STDOUT, args);
  },
  warn(...args) {
    writeArguments(STDERR, args);
  },
  dir(value, options) {
    let text;
    try {
      text = inspect(value, { __proto__: null, customInspect: false, ...options });
    } catch (error) {
      text = safeText(error);
    }
    writeLine(STDOUT, text);
  },
  time(label) {
    label = labelText(label);
    if (mapHas(stopwatches, label)) {
      writeLine(STDERR, `Warning: Label '${label}' already exists for console.time()`);
    } else {
      mapSet(stopwatches, label, hostMonotonic());
    }
  },
  timeEnd(label) {
    label = labelText(label);
    writeStopwatch('timeEnd', label, []);
    mapDelete(stopwatches, label);
  },
  timeLog(label, ...extra) {
    writeStopwatch('timeLog', labelText(label), extra);
  },
  trace: function trace(...args) {
    const place = {};
    captureStackTrace(place, trace);
    const frames = withoutPreludeFrames(`${place.stack}`);
    const title = args.length === 0 ? 'Trace' : `Trace: ${formatSafely(args)}`;
    writeLine(STDERR, frames === '' ? title : `${title}\n${frames}`);
  },
  assert(condition, ...args) {
    if (condition) {
      return;
    }
    if (args.length === 0) {
      writeLine(STDERR, 'Assertion failed');
      return;
    }
    args[0] = `Assertion failed: ${safeText(args[0])}`;
    writeArguments(STDERR, args);
  },
  clear() {},
  count(label) {
    label = labelText(label);
    const count = (mapGet(counters, label) || 0) + 1;
    mapSet(counters, label, count);
    writeLine(STDOUT, `${label}: ${count}`);
  },
  countReset(label) {
    label = labelText(label);
    if (!mapDelete(counters, label)) {
      writeLine(STDERR, `Warning: Count for '${label}' does not exist`);
    }
  },
  group(...args) {
    openGroup(args);
  },
  groupEnd() {
    groupIndent = stringSlice(groupIndent, 2);
  },
  table(data, properties) {
    let text;
    try {
      text = tableText(data, isArray(properties) ? properties : undefined);
    } catch (error) {
      text = safeText(error);
    }
    writeArguments(STDOUT, [text === undefined ? data : text]);
  },
  debug(...args) {
    writeArguments(STDOUT, args);
  },
  info(...args) {
    writeArguments(STDOUT, args);
  },
  dirxml(...args) {
    writeArguments(STDOUT, args);
  },
  error(...args) {
    writeArguments(STDERR, args);
  },
  groupCollapsed(...args) {
    openGroup(args);
  },
};

function formatSafely(args) {
  try {
    return formatArguments(args);
  } catch (error) {
    return safeText(error);
  }
}

const { print } = {
  print(...args) {
    writeArguments(STDOUT, args);
  },
};

/** The console object: its methods are enumerable, its prototype is an empty object of its own, as in Node. */
function newConsole() {
  const object = createObject({});
  const names = ownEnumerableKeys(consoleMethods);
  for (let i = 0; i < names.length; i++) {
    object[names[i]] = consoleMethods[names[i]];
  }
  defineProperty(object, symbolToStringTag, { __proto__: null, value: 'console', writable: false, enumerable: false, configurable: true });
  return object;
}
