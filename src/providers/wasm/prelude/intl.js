// Installs number formatting, only where the engine lacks it.

/** Whether the engine's toLocaleString groups digits, which it does only with locale data of its own. */
function engineFormatsNumbers() {
  return typeof Intl === 'object' && (95000).toLocaleString('en-US') === '95,000';
}

const numberFormats = new GuestWeakMap();

function numberFormatOf(receiver, method) {
  const settings = receiver !== null && typeof receiver === 'object' ? weakMapGet(numberFormats, receiver) : undefined;
  if (settings === undefined) {
    throwFrom(new GuestTypeError('Receiver is not an Intl.NumberFormat object'), method);
  }
  return settings;
}

/** Intl.NumberFormat; callable without `new`, like the standard one. */
function NumberFormat(locale, options) {
  const object = createObject(new.target === undefined ? NumberFormat.prototype : new.target.prototype);
  weakMapSet(numberFormats, object, numberFormatSettings(isArray(locale) ? locale[0] : locale, options, NumberFormat));
  return object;
}

const numberFormatMethods = {
  get format() {
    const settings = numberFormatOf(this, undefined);
    return (value) => formatNumber(toNumeric(value), settings);
  },
  resolvedOptions() {
    const settings = numberFormatOf(this, numberFormatMethods.resolvedOptions);
    const resolved = { locale: settings.locale, numberingSystem: 'latn', style: settings.style };
    if (settings.currency !== undefined) {
      resolved.currency = settings.currency;
      resolved.currencyDisplay = 'symbol';
      resolved.currencySign = 'standard';
    }
    resolved.minimumIntegerDigits = 1;
    resolved.minimumFractionDigits = settings.minimumDigits;
    resolved.maximumFractionDigits = settings.maximumDigits;
    resolved.useGrouping = settings.grouping ? 'auto' : false;
    return resolved;
  },
};

const localeMethods = {
  toLocaleString(locale, options) {
    const value = numberValue(this);
    return formatNumber(value, numberFormatSettings(locale, options, localeMethods.toLocaleString));
  },
};

if (!engineFormatsNumbers()) {
  defineHidden(Number.prototype, 'toLocaleString', localeMethods.toLocaleString);
  const prototype = NumberFormat.prototype;
  for (const key of ['format', 'resolvedOptions']) {
    defineProperty(prototype, key, { ...getOwnPropertyDescriptor(numberFormatMethods, key), enumerable: false });
  }
  defineProperty(prototype, symbolToStringTag, { __proto__: null, value: 'Intl.NumberFormat', configurable: true });
  defineProperty(NumberFormat, 'prototype', { __proto__: null, writable: false });
  defineHidden(NumberFormat, 'supportedLocalesOf', { supportedLocalesOf: (locales) => (isArray(locales) ? slice(locales) : locales === undefined ? [] : [`${locales}`]) }.supportedLocalesOf);
  const intl = typeof Intl === 'object' ? Intl : createObject(Object.prototype);
  defineHidden(intl, 'NumberFormat', NumberFormat);
  if (!hasOwn(intl, symbolToStringTag)) {
    defineProperty(intl, symbolToStringTag, { __proto__: null, value: 'Intl', configurable: true });
  }
  defineHidden(globalThis, 'Intl', intl);
}
