// TextEncoder and TextDecoder: UTF-8 both ways, UTF-16LE and Latin-1 (windows-1252 labels excluded) for decoding.

const REPLACEMENT = 0xfffd;
const DECODE_CHUNK = 4096;

/** How many bytes a string takes in UTF-8; an unpaired surrogate takes the three of U+FFFD. */
function utf8Length(text) {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = stringAt(text, i);
    if (unit >= 0x80) {
      length += unit >= 0x800 ? 2 : 1;
      if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length && (stringAt(text, i + 1) & 0xfc00) === 0xdc00) {
        i++;
      }
    }
  }
  return length;
}

/** Writes as many whole characters as fit. Returns `[code units read, bytes written]`. */
function encodeInto(text, bytes) {
  const room = typedArrayLength(bytes);
  let at = 0;
  let i = 0;
  for (; i < text.length; i++) {
    let code = stringAt(text, i);
    let units = 1;
    if ((code & 0xf800) === 0xd800) {
      const next = i + 1 < text.length ? stringAt(text, i + 1) : 0;
      if (code <= 0xdbff && (next & 0xfc00) === 0xdc00) {
        code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        units = 2;
      } else {
        code = REPLACEMENT;
      }
    }
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (at + size > room) {
      break;
    }
    if (size === 1) {
      bytes[at] = code;
    } else {
      for (let j = size - 1; j > 0; j--) {
        bytes[at + j] = 0x80 | (code & 0x3f);
        code >>= 6;
      }
      bytes[at] = code | (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0);
    }
    at += size;
    i += units - 1;
  }
  return [i, at];
}

function encodeUtf8(text) {
  const bytes = new Bytes(utf8Length(text));
  encodeInto(text, bytes);
  return bytes;
}

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(input = '') {
    return encodeUtf8(`${input}`);
  }
  encodeInto(source, destination) {
    if (typedArrayKind(destination) !== 'Uint8Array') {
      throwFrom(new GuestTypeError('The "dest" argument must be an instance of Uint8Array'), TextEncoder.prototype.encodeInto);
    }
    const done = encodeInto(`${source}`, destination);
    return { read: done[0], written: done[1] };
  }
}

/** Collects code units and turns them into strings a chunk at a time. */
function newTextSink() {
  return { __proto__: null, text: '', units: [] };
}

function addUnit(sink, unit) {
  append(sink.units, unit);
  if (sink.units.length >= DECODE_CHUNK) {
    flushSink(sink);
  }
}

function flushSink(sink) {
  if (sink.units.length > 0) {
    sink.text += apply(fromCharCode, undefined, sink.units);
    sink.units = [];
  }
  return sink.text;
}

function addCodePoint(sink, code) {
  if (code > 0xffff) {
    addUnit(sink, 0xd800 + ((code - 0x10000) >> 10));
    addUnit(sink, 0xdc00 + ((code - 0x10000) & 0x3ff));
  } else {
    addUnit(sink, code);
  }
}

/** A fresh state of the UTF-8 decoder of the Encoding standard. */
function newUtf8State() {
  return { __proto__: null, code: 0, needed: 0, seen: 0, lower: 0x80, upper: 0xbf };
}

/** Starts a sequence. Returns false for a byte that starts none. */
function startSequence(state, byte) {
  if (byte >= 0xc2 && byte <= 0xdf) {
    state.needed = 1;
    state.code = byte & 0x1f;
  } else if (byte >= 0xe0 && byte <= 0xef) {
    state.lower = byte === 0xe0 ? 0xa0 : 0x80;
    state.upper = byte === 0xed ? 0x9f : 0xbf;
    state.needed = 2;
    state.code = byte & 0xf;
  } else if (byte >= 0xf0 && byte <= 0xf4) {
    state.lower = byte === 0xf0 ? 0x90 : 0x80;
    state.upper = byte === 0xf4 ? 0x8f : 0xbf;
    state.needed = 3;
    state.code = byte & 0x7;
  } else {
    return false;
  }
  return true;
}

/** Feeds bytes to the decoder; `onError` answers each malformed sequence. */
function decodeUtf8(state, bytes, sink, onError) {
  const length = typedArrayLength(bytes);
  for (let i = 0; i < length; i++) {
    const byte = bytes[i];
    if (state.needed === 0) {
      if (byte < 0x80) {
        addUnit(sink, byte);
      } else if (!startSequence(state, byte)) {
        onError(sink);
      }
      continue;
    }
    if (byte < state.lower || byte > state.upper) {
      state.needed = state.seen = 0;
      state.lower = 0x80;
      state.upper = 0xbf;
      onError(sink);
      i--;
      continue;
    }
    state.lower = 0x80;
    state.upper = 0xbf;
    state.code = (state.code << 6) | (byte & 0x3f);
    if (++state.seen === state.needed) {
      addCodePoint(sink, state.code);
      state.needed = state.seen = 0;
    }
  }
}
