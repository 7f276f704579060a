// Number formatting where the engine has none: en-US grouping whatever the locale, at most three decimals by default,
// currencies with a symbol. A number with no finite value is String(value).

const CURRENCY_SYMBOLS = {
  __proto__: null, USD: '$', CAD: '$', AUD: '$', EUR: '€', GBP: '£', JPY: '¥', CNY: '¥', INR: '₹',
};
const MAX_FRACTION_DIGITS = 100;
const toBigInt = BigInt;

/** A digit count from options; a RangeError names the option and its limits. */
function fractionDigits(options, name, standard, caller) {
  const given = options[name];
  if (given === undefined) {
    return standard;
  }
  const digits = GuestNumber(given);
  if (!(digits >= 0 && digits <= MAX_FRACTION_DIGITS)) {
    throwFrom(new GuestRangeError(`${name} value is out of range.`), caller);
  }
  return floor(digits);
}

/** Reads options into a plain record. `caller` is the function the guest called. */
function numberFormatSettings(locale, options, caller) {
  const given = options === undefined ? createObject(null) : GuestObject(options);
  const style = given.style === undefined ? 'decimal' : `${given.style}`;
  if (style !== 'decimal' && style !== 'currency' && style !== 'percent') {
    throwFrom(new GuestRangeError(`Value ${style} out of range for Intl.NumberFormat options property style`), caller);
  }
  const currency = given.currency === undefined ? undefined : toUpperCase(`${given.currency}`);
  if (style === 'currency' && currency === undefined) {
    throwFrom(new GuestTypeError('Currency code is required with currency style.'), caller);
  }
  if (currency !== undefined && regExpExec(/^[A-Z]{3}$/, currency) === null) {
    throwFrom(new GuestRangeError(`Invalid currency code : ${currency}`), caller);
  }
  const least = style === 'currency' ? 2 : 0;
  const most = style === 'currency' ? 2 : style === 'percent' ? 0 : 3;
  const minimum = fractionDigits(given, 'minimumFractionDigits', undefined, caller);
  const maximum = fractionDigits(given, 'maximumFractionDigits', undefined, caller);
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    throwFrom(new GuestRangeError('maximumFractionDigits value is out of range.'), caller);
  }
  return {
    __proto__: null,
    locale: typeof locale === 'string' && locale !== '' ? locale : 'en-US',
    style,
    currency: style === 'currency' ? currency : undefined,
    grouping: given.useGrouping === undefined ? true : given.useGrouping !== false && given.useGrouping !== 'false',
    minimumDigits: minimum !== undefined ? minimum : min(least, maximum === undefined ? least : maximum),
    maximumDigits: maximum !== undefined ? maximum : max(most, minimum === undefined ? most : minimum),
  };
}

function groupDigits(digits) {
  let text = '';
  let end = digits.length;
  for (; end > 3; end -= 3) {
    text = `,${stringSlice(digits, end - 3, end)}${text}`;
  }
  return stringSlice(digits, 0, end) + text;
}

/** `value` rounded half away from zero on its shortest decimal text, as `[integer digits, fraction digits]`. */
function roundDecimal(value, digits) {
  const text = value < 1e21 ? plainDecimal(value) : bigIntToString(toBigInt(value));
  const dot = stringIndexOf(text, '.');
  const whole = dot === -1 ? text : stringSlice(text, 0, dot);
  const fraction = dot === -1 ? '' : stringSlice(text, dot + 1);
  if (fraction.length <= digits) {
    return [whole, padEnd(fraction, digits, '0')];
  }
  const up = fraction[digits] >= '5' ? 1n : 0n;
  const scaled = padStart(bigIntToString(toBigInt(whole + stringSlice(fraction, 0, digits)) + up), digits + 1, '0');
  const split = scaled.length - digits;
  return [stringSlice(scaled, 0, split), stringSlice(scaled, split)];
}

/** The shortest decimal text of a number under 1e21, without an exponent. */
function plainDecimal(value) {
  const text = `${value}`;
  const at = stringIndexOf(text, 'e-');
  if (at === -1) {
    return text;
  }
  const exponent = +stringSlice(text, at + 2);
  const mantissa = stringSlice(text, 0, at);
  const digits = mantissa[0] + stringSlice(mantissa, 2);
  return `0.${repeat('0', exponent - 1)}${digits}`;
}

function formatMagnitude(magnitude, settings) {
  const parts = typeof magnitude === 'bigint' ?
    [bigIntToString(magnitude), repeat('0', settings.maximumDigits)] : roundDecimal(magnitude, settings.maximumDigits);
  const whole = settings.grouping ? groupDigits(parts[0]) : parts[0];
  let fraction = parts[1];
  while (fraction.length > settings.minimumDigits && endsWith(fraction, '0')) {
    fraction = stringSlice(fraction, 0, -1);
  }
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function currencyPrefix(settings) {
  if (settings.style !== 'currency') {
    return '';
  }
  const symbol = CURRENCY_SYMBOLS[settings.currency];
  return symbol === undefined ? `${settings.currency} ` : symbol;
}

/** A number or bigint by the settings: sign, symbol, grouped digits. */
function formatNumber(value, settings) {
  if (typeof value === 'number' && !isFiniteNumber(value)) {
    return GuestString(value);
  }
  const negative = value < 0 || isSame(value, -0);
  let magnitude = negative ? -value : value;
  if (settings.style === 'percent') {
    magnitude = typeof magnitude === 'bigint' ? magnitude * 100n : magnitude * 100;
  }
  const suffix = settings.style === 'percent' ? '%' : '';
  return `${negative ? '-' : ''}${currencyPrefix(settings)}${formatMagnitude(magnitude, settings)}${suffix}`;
}

function toNumeric(value) {
  const primitive = typeof value === 'object' && value !== null ? GuestNumber(value) : value;
  return typeof primitive === 'bigint' ? primitive : GuestNumber(primitive);
}
