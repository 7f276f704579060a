// Percent-encoding of the URL standard: the sets and both directions.

/** Which ASCII characters each part of a URL escapes beyond controls and non-ASCII. */
const FRAGMENT_SET = ' "<>`';
const QUERY_SET = ' "#<>';
const SPECIAL_QUERY_SET = ` "#<>'`;
const PATH_SET = ' "#<>?^`{}';
const USERINFO_SET = ' "#<>?^`{}/:;=@[\\]|';
const CONTROL_SET = '';

const HEX_DIGITS = '0123456789ABCDEF';

function percentByte(byte) {
  return `%${HEX_DIGITS[byte >> 4]}${HEX_DIGITS[byte & 15]}`;
}

/** Escapes the characters of `set`, controls and everything outside ASCII, as UTF-8. */
function percentEncode(text, set) {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    const unit = stringAt(text, i);
    if (unit > 0x1f && unit < 0x7f) {
      result += stringIncludes(set, text[i]) ? percentByte(unit) : text[i];
      continue;
    }
    const pair = unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length && (stringAt(text, i + 1) & 0xfc00) === 0xdc00;
    const bytes = encodeUtf8(stringSlice(text, i, i + (pair ? 2 : 1)));
    for (let j = 0; j < typedArrayLength(bytes); j++) {
      result += percentByte(bytes[j]);
    }
    i += pair ? 1 : 0;
  }
  return result;
}

function hexValue(unit) {
  if (unit >= 48 && unit <= 57) {
    return unit - 48;
  }
  const lower = unit | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Decodes escapes; malformed ones stay, bytes that are not UTF-8 become U+FFFD. */
function percentDecode(text) {
  if (!stringIncludes(text, '%')) {
    return toWellFormed(text);
  }
  const source = encodeUtf8(text);
  const length = typedArrayLength(source);
  const bytes = new Bytes(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const high = source[i] === 37 && i + 2 < length ? hexValue(source[i + 1]) : -1;
    const low = high >= 0 ? hexValue(source[i + 2]) : -1;
    bytes[count++] = low >= 0 ? (high << 4) | low : source[i];
    i += low >= 0 ? 2 : 0;
  }
  const sink = newTextSink();
  const state = newUtf8State();
  const onError = (to) => addUnit(to, REPLACEMENT);
  decodeUtf8(state, new Bytes(typedArrayBuffer(bytes), 0, count), sink, onError);
  if (state.needed !== 0) {
    onError(sink);
  }
  return flushSink(sink);
}
