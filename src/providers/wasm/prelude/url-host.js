// Hosts of the URL standard: domains (with Punycode), IPv4, IPv6, opaque hosts. A function that gets no host returns null.

const FORBIDDEN_HOST = '\0\t\n\r #/:<>?@[\\]^|';
const FORBIDDEN_DOMAIN = `${FORBIDDEN_HOST}%\x7f`;

function containsAny(text, characters) {
  for (let i = 0; i < text.length; i++) {
    if (stringIncludes(characters, text[i])) {
      return true;
    }
  }
  return false;
}

/** One number of an IPv4 address: decimal, octal or hexadecimal; NaN when it is none. */
function parseIpv4Number(text) {
  if (text === '') {
    return NaN;
  }
  if (regExpExec(/^0[xX]/, text) !== null) {
    const digits = stringSlice(text, 2);
    return digits === '' ? 0 : regExpExec(/^[0-9a-fA-F]+$/, digits) !== null ? parseInteger(digits, 16) : NaN;
  }
  if (text.length > 1 && text[0] === '0') {
    return regExpExec(/^[0-7]+$/, text) !== null ? parseInteger(text, 8) : NaN;
  }
  return regExpExec(/^[0-9]+$/, text) !== null ? parseInteger(text, 10) : NaN;
}

/** Whether the last label makes the domain an IPv4 address, valid or not. */
function endsInNumber(domain) {
  const labels = splitString(domain, '.');
  if (labels[labels.length - 1] === '' && labels.length > 1) {
    labels.length--;
  }
  const last = labels[labels.length - 1];
  return regExpExec(/^[0-9]+$/, last) !== null || regExpExec(/^0[xX][0-9a-fA-F]*$/, last) !== null;
}

function parseIpv4(domain) {
  const parts = splitString(domain, '.');
  if (parts[parts.length - 1] === '' && parts.length > 1) {
    parts.length--;
  }
  if (parts.length > 4) {
    return null;
  }
  let address = 0;
  for (let i = 0; i < parts.length; i++) {
    const number = parseIpv4Number(parts[i]);
    const limit = i === parts.length - 1 ? 256 ** (5 - parts.length) : 256;
    if (!(number < limit)) {
      return null;
    }
    address += i === parts.length - 1 ? number : number * 256 ** (3 - i);
  }
  return `${floor(address / 16777216)}.${floor(address / 65536) % 256}.${floor(address / 256) % 256}.${address % 256}`;
}

/** Splits the text of an IPv6 address into its eight pieces, or null. */
function parseIpv6Pieces(text) {
  const halves = splitString(text, '::');
  if (halves.length > 2) {
    return null;
  }
  const sides = [];
  for (let i = 0; i < halves.length; i++) {
    const side = halves[i] === '' ? [] : parseIpv6Side(halves[i], i === halves.length - 1);
    if (side === null) {
      return null;
    }
    append(sides, side);
  }
  if (halves.length === 1) {
    return sides[0].length === 8 ? sides[0] : null;
  }
  const missing = 8 - sides[0].length - sides[1].length;
  if (missing < 1) {
    return null;
  }
  const pieces = slice(sides[0]);
  for (let i = 0; i < missing; i++) {
    append(pieces, 0);
  }
  for (let i = 0; i < sides[1].length; i++) {
    append(pieces, sides[1][i]);
  }
  return pieces;
}

/** The pieces on one side of `::`; an IPv4 tail is allowed at the very end. */
function parseIpv6Side(text, atEnd) {
  const parts = splitString(text, ':');
  const pieces = [];
  for (let i = 0; i < parts.length; i++) {
    if (regExpExec(/^[0-9a-fA-F]{1,4}$/, parts[i]) !== null) {
      append(pieces, parseInteger(parts[i], 16));
      continue;
    }
    const quad = regExpExec(/^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/, parts[i]);
    if (!atEnd || i !== parts.length - 1 || quad === null || +quad[1] > 255 || +quad[2] > 255 || +quad[3] > 255 || +quad[4] > 255) {
      return null;
    }
    append(pieces, +quad[1] * 256 + +quad[2]);
    append(pieces, +quad[3] * 256 + +quad[4]);
  }
  return pieces;
}

/** The address with its longest run of two or more zero pieces shortened. */
function serializeIpv6(pieces) {
  let bestStart = -1;
  let bestLength = 1;
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && pieces[i + length] === 0) {
      length++;
    }
    if (length > bestLength) {
      bestStart = i;
      bestLength = length;
    }
    i += length;
  }
  let text = '';
  for (let i = 0; i < 8; i++) {
    if (i === bestStart) {
      text += i === 0 ? '::' : ':';
      i += bestLength - 1;
      continue;
    }
    text += numberToString(pieces[i], 16) + (i === 7 ? '' : ':');
  }
  return text;
}

/** How Punycode's bias follows the deltas it has seen. */
function adaptBias(delta, count, first) {
  delta = first ? floor(delta / 700) : delta >> 1;
  delta += floor(delta / count);
  let k = 0;
  for (; delta > 455; k += 36) {
    delta = floor(delta / 35);
  }
  return k + floor(36 * delta / (delta + 38));
}

function punycodeDigit(digit) {
  return fromCharCode(digit < 26 ? 97 + digit : 22 + digit);
}

/** The Punycode of one label given as code points (RFC 3492). */
function punycode(points) {
  let text = '';
  for (let i = 0; i < points.length; i++) {
    text += points[i] < 128 ? fromCharCode(points[i]) : '';
  }
  const basic = text.length;
  let handled = basic;
  text += basic > 0 ? '-' : '';
  for (let code = 128, delta = 0, bias = 72; handled < points.length; delta++, code++) {
    let next = 0x7fffffff;
    for (let i = 0; i < points.length; i++) {
      next = points[i] >= code && points[i] < next ? points[i] : next;
    }
    delta += (next - code) * (handled + 1);
    code = next;
    for (let i = 0; i < points.length; i++) {
      delta += points[i] < code ? 1 : 0;
      if (points[i] !== code) {
        continue;
      }
      let rest = delta;
      for (let k = 36; ; k += 36) {
        const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (rest < threshold) {
          break;
        }
        text += punycodeDigit(threshold + (rest - threshold) % (36 - threshold));
        rest = floor((rest - threshold) / (36 - threshold));
      }
      text += punycodeDigit(rest);
      bias = adaptBias(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
  }
  return text;
}

/** A domain in ASCII: compatibility forms and case folded, labels outside ASCII in Punycode. */
function domainToAscii(domain) {
  const labels = splitString(toLowerCase(normalize(toLowerCase(domain), 'NFKC')), '.');
  for (let i = 0; i < labels.length; i++) {
    if (regExpExec(/[^\x00-\x7f]/, labels[i]) === null) {
      continue;
    }
    const points = [];
    for (let j = 0; j < labels[i].length; j++) {
      const point = codePointAt(labels[i], j);
      if (point !== 0xad && point !== 0x200b && point !== 0x2060 && point !== 0xfeff) {
        append(points, point);
      }
      j += point > 0xffff ? 1 : 0;
    }
    labels[i] = `xn--${punycode(points)}`;
  }
  return joinStrings(labels, '.');
}

/** The host of a URL, serialised, or null when the text is no host. */
function parseHost(text, special) {
  if (text[0] === '[') {
    const pieces = endsWith(text, ']') ? parseIpv6Pieces(stringSlice(text, 1, -1)) : null;
    return pieces === null ? null : `[${serializeIpv6(pieces)}]`;
  }
  if (!special) {
    return containsAny(text, FORBIDDEN_HOST) ? null : percentEncode(text, CONTROL_SET);
  }
  const domain = domainToAscii(percentDecode(text));
  if (domain === '' || containsAny(domain, FORBIDDEN_DOMAIN) || regExpExec(/[\x00-\x1f]/, domain) !== null) {
    return null;
  }
  return endsInNumber(domain) ? parseIpv4(domain) : domain;
}
