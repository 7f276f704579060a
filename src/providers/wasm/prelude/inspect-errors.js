// Errors as inspection shows them: the stack with a header, the cause, the aggregated errors.

/** The stack with its header line. The engine's own stack text has none; a stack the guest set is taken as it is. */
function stackText(error) {
  const own = ownProperty(error, 'stack');
  if (own !== undefined && own.get === undefined) {
    return own.value ? GuestString(own.value) : errorToString(error);
  }
  let frames;
  try {
    frames = errorStack(error);
  } catch {
    frames = '';
  }
  const header = errorToString(error);
  return typeof frames === 'string' && frames !== '' ? `${header}\n${withoutPreludeFrames(frames)}` : header;
}

/** How the engine names the prelude in a frame: as a file, or as code without debug information. */
const PRELUDE_FRAMES = [' (<prelude>:', ' (<null>:'];

/** The frame lines, without those of the prelude and without the trailing line feed. */
function withoutPreludeFrames(frames) {
  const lines = splitString(frames, '\n');
  const kept = [];
  for (let i = 0; i < lines.length; i++) {
    const ours = stringIncludes(lines[i], PRELUDE_FRAMES[0]) || stringIncludes(lines[i], PRELUDE_FRAMES[1]);
    if (lines[i] !== '' && !ours) {
      append(kept, lines[i]);
    }
  }
  return joinStrings(kept, '\n');
}

/** Puts the constructor's name into the header where the error's own name does not say it. */
function namedStack(stack, constructor, name, tag) {
  const head = stack[name.length];
  const regular = endsWith(name, 'Error') && startsWith(stack, name) && (head === undefined || head === ':' || head === '\n');
  if (constructor !== null && !regular) {
    return stack;
  }
  let length = name.length;
  let fallback = 'Error';
  if (constructor === null) {
    const found = regExpExec(/^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/, stack) || regExpExec(/^([a-z_A-Z0-9-]*Error)$/, stack);
    fallback = (found && found[1]) || '';
    length = fallback.length;
    fallback = fallback || 'Error';
  }
  const prefix = stringSlice(namePrefix(constructor, tag, fallback), 0, -1);
  if (name === prefix) {
    return stack;
  }
  if (!stringIncludes(prefix, name)) {
    return `${prefix} [${name}]${stringSlice(stack, length)}`;
  }
  return length === 0 ? `${prefix}: ${stack}` : `${prefix}${stringSlice(stack, length)}`;
}

/** Removes keys whose value the stack already shows, adds cause and errors where the error has them. */
function adjustErrorKeys(context, keys, error, stack) {
  const shown = ['name', 'message', 'stack'];
  for (let i = 0; i < shown.length && !context.showHidden; i++) {
    const at = indexOf(keys, shown[i]);
    if (at !== -1 && stringIncludes(stack, `${error[shown[i]]}`)) {
      splice(keys, at, 1);
    }
  }
  if ('cause' in error && !includes(keys, 'cause')) {
    append(keys, 'cause');
  }
  if (isArray(error.errors) && !includes(keys, 'errors')) {
    append(keys, 'errors');
  }
}

/** Frames the error shares with its cause, as one line; more than three in a row are shortened. */
function shortenSharedFrames(frames, error) {
  let cause;
  try {
    cause = error.cause;
  } catch {
    return frames;
  }
  if (cause === null || cause === undefined || !isError(cause)) {
    return frames;
  }
  const causeStack = stackText(cause);
  const start = stringIndexOf(causeStack, '\n    at');
  if (start === -1) {
    return frames;
  }
  const others = splitString(stringSlice(causeStack, start + 1), '\n');
  for (let i = 0; i < frames.length - 3; i++) {
    const at = indexOf(others, frames[i]);
    let length = 1;
    while (at !== -1 && i + length < frames.length && at + length < others.length && frames[i + length] === others[at + length]) {
      length++;
    }
    if (at !== -1 && length > 3) {
      splice(frames, i + 1, length - 2, `    ... ${length - 2} lines matching cause stack trace ...`);
      break;
    }
  }
  return frames;
}

function inspectErrorBase(context, error, constructor, tag, keys) {
  const name = error.name !== null && error.name !== undefined ? GuestString(error.name) : 'Error';
  let stack = stackText(error);
  adjustErrorKeys(context, keys, error, stack);
  stack = namedStack(stack, constructor, name, tag);
  const message = error.message;
  let from = (typeof message === 'string' && message !== '' && stringIndexOf(stack, message)) || -1;
  if (from !== -1) {
    from += message.length;
  }
  const framesAt = stringIndexOf(stack, '\n    at', from);
  if (framesAt === -1) {
    stack = `[${stack}]`;
  } else {
    const frames = splitString(stringSlice(stack, framesAt + 1), '\n');
    stack = `${stringSlice(stack, 0, framesAt)}\n${joinStrings(shortenSharedFrames(frames, error), '\n')}`;
  }
  return context.indentation === 0 ? stack : replaceEvery(stack, '\n', `\n${repeat(' ', context.indentation)}`);
}
