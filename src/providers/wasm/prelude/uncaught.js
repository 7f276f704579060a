// What stderr says about an exception nobody caught.

/** A frame line; a frame with no function, as a syntax error has, gets the name of the script's own frame. */
function uncaughtFrame(line) {
  const bare = regExpExec(/^ {4}at ([^ ()]+:\d+:\d+)$/, line);
  return bare === null ? line : `    at <eval> (${bare[1]})`;
}

/**
 * `Name: message`, then a line for each frame; no line feed at the end. For a thrown value that is no error, `Uncaught` and
 * its inspection. Never throws: the guest chose every part of the value.
 */
function formatUncaught(value) {
  try {
    if (!isError(value)) {
      return `Uncaught ${inspect(value)}`;
    }
    const lines = splitString(stackText(value), '\n');
    const header = errorToString(value);
    const own = startsWith(joinStrings(lines, '\n'), header) ? [] : [header];
    for (let i = 0; i < lines.length; i++) {
      append(own, uncaughtFrame(lines[i]));
    }
    return joinStrings(own, '\n');
  } catch (error) {
    return `Uncaught ${safeText(value)}`;
  }
}
