// Strings and numbers as inspection shows them: quoting, escapes, display width.

const MIN_BROKEN_STRING = 16;
const PLAIN_KEY = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const NEEDS_ESCAPE = /[\x00-\x1f\x27\x5c\x7f-\x9f\ud800-\udfff]/;
const NON_ASCII = /[^\x20-\x7e]/;
const ANSI_SEQUENCE = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/;

const ESCAPES = { __proto__: null, 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };

/** The escape of one code unit inside a quoted string. */
function escapeUnit(unit) {
  const short = ESCAPES[unit];
  if (short !== undefined) {
    return short;
  }
  const hex = toUpperCase(numberToString(unit, 16));
  return unit < 256 ? '\\x' + padStart(hex, 2, '0') : '\\u' + toLowerCase(hex);
}

/** Escapes control characters, the backslash, unpaired surrogates and, where `quote` is 39, the single quote. */
function escapeString(text, quote) {
  if (regExpExec(NEEDS_ESCAPE, text) === null) {
    return text;
  }
  let result = '';
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = stringAt(text, i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = i + 1 < text.length ? stringAt(text, i + 1) : 0;
      if (next >= 0xdc00 && next <= 0xdfff) {
        i++;
        continue;
      }
    }
    const plain = unit >= 32 && unit !== quote && unit !== 92 && (unit < 127 || unit > 159) && (unit < 0xd800 || unit > 0xdfff);
    if (!plain) {
      result += stringSlice(text, start, i) + escapeUnit(unit);
      start = i + 1;
    }
  }
  return result + stringSlice(text, start);
}

/** A string in the quotes that need least escaping: single, else double, else backticks. */
function quoteString(text) {
  if (!stringIncludes(text, "'")) {
    return `'${escapeString(text, 39)}'`;
  }
  if (!stringIncludes(text, '"')) {
    return `"${escapeString(text, -1)}"`;
  }
  if (!stringIncludes(text, '`') && !stringIncludes(text, '${')) {
    return `\`${escapeString(text, -1)}\``;
  }
  return `'${escapeString(text, 39)}'`;
}

/** Splits after each line feed, which stays with its line. */
function splitKeepingLineFeeds(text) {
  const lines = [];
  let start = 0;
  for (let at = stringIndexOf(text, '\n'); at !== -1 && at + 1 < text.length; at = stringIndexOf(text, '\n', start)) {
    append(lines, stringSlice(text, start, at + 1));
    start = at + 1;
  }
  append(lines, stringSlice(text, start));
  return lines;
}

function inspectString(context, text) {
  let rest = '';
  if (text.length > context.maxStringLength) {
    const remaining = text.length - context.maxStringLength;
    text = stringSlice(text, 0, context.maxStringLength);
    rest = `... ${remaining} more character${remaining > 1 ? 's' : ''}`;
  }
  if (text.length <= MIN_BROKEN_STRING || text.length <= context.breakLength - context.indentation - 4) {
    return quoteString(text) + rest;
  }
  const lines = splitKeepingLineFeeds(text);
  for (let i = 0; i < lines.length; i++) {
    lines[i] = quoteString(lines[i]);
  }
  return joinStrings(lines, ` +\n${repeat(' ', context.indentation + 2)}`) + rest;
}

function inspectNumber(number) {
  return isSame(number, -0) ? '-0' : `${number}`;
}

function inspectPrimitive(context, value) {
  switch (typeof value) {
    case 'string':
      return inspectString(context, value);
    case 'number':
      return inspectNumber(value);
    case 'bigint':
      return `${bigIntToString(value)}n`;
    case 'symbol':
      return symbolToString(value);
    default:
      return `${value}`;
  }
}

function isFullWidth(code) {
  return code >= 0x1100 && (
    code <= 0x115f || code === 0x2329 || code === 0x232a ||
    (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) ||
    (code >= 0x3250 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0xa4c6) ||
    (code >= 0xa960 && code <= 0xa97c) || (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe10 && code <= 0xfe19) ||
    (code >= 0xfe30 && code <= 0xfe6b) || (code >= 0xff01 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1b000 && code <= 0x1b001) ||
    (code >= 0x1f200 && code <= 0x1f251) || (code >= 0x1f300 && code <= 0x1f64f) ||
    (code >= 0x1f680 && code <= 0x1f6ff) || (code >= 0x1f900 && code <= 0x1f9ff) ||
    (code >= 0x20000 && code <= 0x3fffd));
}

function isZeroWidth(code) {
  return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfe20 && code <= 0xfe2f) ||
    (code >= 0xe0100 && code <= 0xe01ef);
}

/** How many columns a terminal needs for the text, terminal control sequences not counted. */
function displayWidth(text) {
  if (regExpExec(NON_ASCII, text) === null) {
    return text.length;
  }
  for (let found = regExpExec(ANSI_SEQUENCE, text); found !== null; found = regExpExec(ANSI_SEQUENCE, text)) {
    text = stringSlice(text, 0, found.index) + stringSlice(text, found.index + found[0].length);
  }
  text = normalize(text, 'NFC');
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    const code = codePointAt(text, i);
    if (code > 0xffff) {
      i++;
    }
    width += isFullWidth(code) ? 2 : isZeroWidth(code) ? 0 : 1;
  }
  return width;
}
