// The printf of the std module: flags, width, precision, and the conversions d i u x X o c s f e g %.

const CONVERSION = /^%([-+ #0]*)(\*|[0-9]*)(?:\.(\*|[0-9]*))?(?:l|ll|h|L|j|z)?([diuxXocsfFeEgGa%])/;

/** Digits of an integer conversion, without sign. */
function integerDigits(value, kind) {
  const integer = typeof value === 'bigint' ? value : trunc(GuestNumber(value)) || 0;
  const negative = integer < 0 && (kind === 'd' || kind === 'i');
  const base = kind === 'x' || kind === 'X' ? 16 : kind === 'o' ? 8 : 10;
  const magnitude = negative ? -integer : integer < 0 ? unsignedOf(integer) : integer;
  const digits = typeof magnitude === 'bigint' ? bigIntToString(magnitude, base) : numberToString(magnitude, base);
  return [negative ? '-' : '', kind === 'X' ? toUpperCase(digits) : digits];
}

/** A negative integer seen as an unsigned one of 32 bits. */
function unsignedOf(integer) {
  return typeof integer === 'bigint' ? integer & 0xffffffffffffffffn : integer >>> 0;
}

const numberToExponential = uncurry(Number.prototype.toExponential);
const numberToPrecision = uncurry(Number.prototype.toPrecision);

/** An exponent in C's form, at least two digits. */
function cExponent(text) {
  const found = regExpExec(/^(.*e[+-])([0-9])$/, text);
  return found === null ? text : `${found[1]}0${found[2]}`;
}

/** The text of %g: as many significant digits as asked for, zeros at the end dropped, an exponent where it is shorter. */
function generalText(magnitude, precision, keepZeros) {
  const digits = precision === 0 ? 1 : precision;
  const scientific = numberToExponential(magnitude, digits - 1);
  const exponent = +stringSlice(scientific, stringIndexOf(scientific, 'e') + 1);
  const plain = exponent >= -4 && exponent < digits;
  let text = plain ? numberToFixed(magnitude, max(0, digits - 1 - exponent)) : scientific;
  if (!keepZeros) {
    const found = regExpExec(/^([0-9]*)(?:\.([0-9]*?)0*)?(e.*)?$/, text);
    text = found[1] + (found[2] ? `.${found[2]}` : '') + (found[3] || '');
  }
  return plain ? text : cExponent(text);
}

function floatDigits(value, kind, precision, alternate) {
  const number = GuestNumber(value);
  const sign = number < 0 || isSame(number, -0) ? '-' : '';
  const magnitude = abs(number);
  if (!isFiniteNumber(number)) {
    return [sign, isNotANumber(number) ? 'nan' : 'inf'];
  }
  const digits = min(precision === undefined ? 6 : precision, 100);
  const lower = toLowerCase(kind);
  const text = lower === 'f' ? numberToFixed(magnitude, digits) :
    lower === 'e' ? cExponent(numberToExponential(magnitude, digits)) : generalText(magnitude, digits, alternate);
  return [sign, kind === lower ? text : toUpperCase(text)];
}

function convertArgument(value, kind, flags, width, precision) {
  let sign = '';
  let body;
  let numeric = true;
  if (kind === 'c') {
    body = typeof value === 'string' ? stringSlice(value, 0, 1) : fromCodePoint(GuestNumber(value));
    numeric = false;
  } else if (kind === 's') {
    body = GuestString(value);
    body = precision === undefined ? body : stringSlice(body, 0, precision);
    numeric = false;
  } else if (stringIncludes('diuxXo', kind)) {
    const parts = integerDigits(value, kind);
    sign = parts[0];
    body = padStart(parts[1], precision === undefined ? 0 : precision, '0');
    body = stringIncludes(flags, '#') && kind !== 'd' && kind !== 'i' && kind !== 'u' ? (kind === 'o' ? '0' : `0${kind}`) + body : body;
  } else {
    const parts = floatDigits(value, kind, precision, stringIncludes(flags, '#'));
    sign = parts[0];
    body = parts[1];
  }
  if (numeric && sign === '') {
    sign = stringIncludes(flags, '+') ? '+' : stringIncludes(flags, ' ') ? ' ' : '';
  }
  if (stringIncludes(flags, '-')) {
    return padEnd(sign + body, width);
  }
  return numeric && stringIncludes(flags, '0') ? sign + padStart(body, width - sign.length, '0') : padStart(sign + body, width);
}

/** Formats `args[0]` with the arguments after it. A conversion nobody knows is a TypeError. */
function printfText(args) {
  const pattern = GuestString(args[0]);
  let text = '';
  let next = 1;
  let start = 0;
  for (let at = stringIndexOf(pattern, '%'); at !== -1; at = stringIndexOf(pattern, '%', start)) {
    text += stringSlice(pattern, start, at);
    const found = regExpExec(CONVERSION, stringSlice(pattern, at));
    if (found === null) {
      throw new GuestTypeError('invalid conversion specifier in format string');
    }
    start = at + found[0].length;
    if (found[4] === '%') {
      text += '%';
      continue;
    }
    let width = found[2] === '*' ? trunc(GuestNumber(args[next++])) : +found[2];
    const flags = width < 0 ? `${found[1]}-` : found[1];
    width = abs(width);
    const precision = found[3] === undefined ? undefined : found[3] === '*' ? trunc(GuestNumber(args[next++])) : +found[3];
    text += convertArgument(args[next++], found[4], flags, width, precision);
  }
  return text + stringSlice(pattern, start);
}
