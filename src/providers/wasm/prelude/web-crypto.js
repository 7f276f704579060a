// crypto.getRandomValues and crypto.randomUUID, on the host's random bytes.

const RANDOM_LIMIT = 65536;
const INTEGER_ARRAYS = {
  __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
  Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
};

function throwDomException(message, name, caller) {
  throwFrom(new GuestDOMException(message, name), caller);
}

const cryptoMethods = {
  getRandomValues(array) {
    const { getRandomValues } = cryptoMethods;
    if (array === null || typeof array !== 'object' || INTEGER_ARRAYS[typedArrayKind(array)] === undefined) {
      throwDomException('The data argument must be an integer-type TypedArray', 'TypeMismatchError', getRandomValues);
    }
    const length = typedArrayBytes(array);
    if (length > RANDOM_LIMIT) {
      throwDomException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError', getRandomValues);
    }
    if (length > 0) {
      typedArraySet(new Bytes(typedArrayBuffer(array), typedArrayOffset(array), length), new Bytes(hostRandom(length)));
    }
    return array;
  },
  randomUUID() {
    const bytes = new Bytes(hostRandom(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) {
      text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + padStart(numberToString(bytes[i], 16), 2, '0');
    }
    return text;
  },
};
