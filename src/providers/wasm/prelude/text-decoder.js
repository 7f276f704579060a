// TextDecoder, on the decoder of encoding.js.

const DECODER_LABELS = {
  __proto__: null,
  'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8', unicode11utf8: 'utf-8', unicode20utf8: 'utf-8', 'x-unicode20utf8': 'utf-8',
  'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', 'ucs-2': 'utf-16le', unicode: 'utf-16le', csunicode: 'utf-16le',
};

const decoders = new GuestWeakMap();

/** The bytes of an ArrayBuffer, SharedArrayBuffer or view; a TypeError for anything else. */
function bytesOf(input, caller) {
  if (input === undefined) {
    return new Bytes(0);
  }
  if (input !== null && typeof input === 'object') {
    if (typedArrayKind(input) !== undefined) {
      return new Bytes(typedArrayBuffer(input), typedArrayOffset(input), typedArrayBytes(input));
    }
    if (accepts(bufferLength, input) || accepts(sharedBufferLength, input)) {
      return new Bytes(input);
    }
    if (accepts(dataViewBuffer, input)) {
      return new Bytes(dataViewBuffer(input), dataViewOffset(input), dataViewBytes(input));
    }
  }
  return throwFrom(new GuestTypeError('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView'), caller);
}

function decoderOf(receiver) {
  const decoder = receiver !== null && typeof receiver === 'object' ? weakMapGet(decoders, receiver) : undefined;
  if (decoder === undefined) {
    throwFrom(new GuestTypeError('Receiver is not a TextDecoder'), decoderOf);
  }
  return decoder;
}

function failDecoding(decoder) {
  decoder.utf8 = newUtf8State();
  decoder.odd = -1;
  decoder.started = false;
  throwFrom(new GuestTypeError(`The encoded data was not valid for encoding ${decoder.encoding}`), TextDecoder.prototype.decode);
}

/** Decodes UTF-16LE; a byte without its pair waits in `decoder.odd`, a high surrogate in `decoder.lead`. */
function decodeUtf16(decoder, bytes, sink, onError) {
  const length = typedArrayLength(bytes);
  for (let i = 0; i < length; i++) {
    if (decoder.odd < 0) {
      decoder.odd = bytes[i];
      continue;
    }
    const unit = decoder.odd | (bytes[i] << 8);
    decoder.odd = -1;
    const high = (unit & 0xfc00) === 0xd800;
    const low = (unit & 0xfc00) === 0xdc00;
    if (decoder.lead >= 0) {
      if (low) {
        addUnit(sink, decoder.lead);
        addUnit(sink, unit);
        decoder.lead = -1;
        continue;
      }
      decoder.lead = -1;
      onError(sink);
    }
    if (high) {
      decoder.lead = unit;
    } else if (low) {
      onError(sink);
    } else {
      addUnit(sink, unit);
    }
  }
}

class TextDecoder {
  constructor(label = 'utf-8', options = undefined) {
    const encoding = DECODER_LABELS[toLowerCase(trimString(`${label}`))];
    if (encoding === undefined) {
      throwFrom(new GuestRangeError(`The "${label}" encoding is not supported`), TextDecoder);
    }
    const given = options === undefined || options === null ? createObject(null) : options;
    weakMapSet(decoders, this, {
      __proto__: null, encoding, fatal: !!given.fatal, ignoreBOM: !!given.ignoreBOM,
      utf8: newUtf8State(), odd: -1, lead: -1, started: false,
    });
  }
  get encoding() {
    return decoderOf(this).encoding;
  }
  get fatal() {
    return decoderOf(this).fatal;
  }
  get ignoreBOM() {
    return decoderOf(this).ignoreBOM;
  }
  decode(input, options = undefined) {
    const decoder = decoderOf(this);
    const bytes = bytesOf(input, TextDecoder.prototype.decode);
    const more = options !== undefined && options !== null && !!options.stream;
    const sink = newTextSink();
    const onError = decoder.fatal ? () => failDecoding(decoder) : (to) => addUnit(to, REPLACEMENT);
    if (decoder.encoding === 'utf-8') {
      decodeUtf8(decoder.utf8, bytes, sink, onError);
    } else {
      decodeUtf16(decoder, bytes, sink, onError);
    }
    if (!more && (decoder.utf8.needed !== 0 || decoder.odd >= 0 || decoder.lead >= 0)) {
      decoder.utf8 = newUtf8State();
      decoder.odd = decoder.lead = -1;
      onError(sink);
    }
    let text = flushSink(sink);
    if (!decoder.ignoreBOM && !decoder.started && text !== '' && stringAt(text, 0) === 0xfeff) {
      text = stringSlice(text, 1);
      decoder.started = true;
    }
    decoder.started = more && (decoder.started || text !== '');
    return text;
  }
}
