// class URLSearchParams: a list of name and value pairs, tied to a URL where a URL made it.

const FORM_SET = ` !"#$%&'()+,/:;<=>?@[\\]^\`{|}~`;
const paramLists = new GuestWeakMap();

function formEncode(text) {
  return replaceEvery(percentEncode(text, FORM_SET), '%20', '+');
}

function formDecode(text) {
  return percentDecode(replaceEvery(text, '+', ' '));
}

function parseForm(text) {
  const pairs = [];
  const parts = splitString(text, '&');
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] === '') {
      continue;
    }
    const equals = stringIndexOf(parts[i], '=');
    const name = equals === -1 ? parts[i] : stringSlice(parts[i], 0, equals);
    append(pairs, [formDecode(name), equals === -1 ? '' : formDecode(stringSlice(parts[i], equals + 1))]);
  }
  return pairs;
}

function serializeForm(pairs) {
  let text = '';
  for (let i = 0; i < pairs.length; i++) {
    text += `${i === 0 ? '' : '&'}${formEncode(pairs[i][0])}=${formEncode(pairs[i][1])}`;
  }
  return text;
}

function paramsOf(receiver) {
  const list = receiver !== null && typeof receiver === 'object' ? weakMapGet(paramLists, receiver) : undefined;
  if (list === undefined) {
    throwFrom(new GuestTypeError('Receiver is not a URLSearchParams'), paramsOf);
  }
  return list;
}

/** The parameters of a URL record: a change of them changes the record's query. */
function paramsForUrl(url) {
  const params = new URLSearchParams();
  const list = paramsOf(params);
  list.url = url;
  list.pairs = url.query === null ? [] : parseForm(url.query);
  return params;
}

/** After the query of a URL changed: brings its parameters up to date. */
function refreshParams(url) {
  if (url.params !== null && url.params !== undefined) {
    paramsOf(url.params).pairs = url.query === null ? [] : parseForm(url.query);
  }
}

/** After the parameters changed: brings the URL's query up to date. */
function updateUrl(list) {
  if (list.url !== null) {
    const query = serializeForm(list.pairs);
    list.url.query = query === '' ? null : query;
  }
}

/** Pairs from what the constructor accepts: a string, a sequence of pairs, a record. */
function initialPairs(init) {
  if (init === undefined || init === null) {
    return [];
  }
  if (typeof init !== 'object' && typeof init !== 'function') {
    const text = `${init}`;
    return parseForm(text[0] === '?' ? stringSlice(text, 1) : text);
  }
  const pairs = [];
  if (typeof init[symbolIterator] === 'function') {
    for (const entry of init) {
      const pair = [];
      for (const part of entry) {
        append(pair, toWellFormed(`${part}`));
      }
      if (pair.length !== 2) {
        throwFrom(new GuestTypeError('Each query pair must be an iterable [name, value] tuple'), URLSearchParams);
      }
      append(pairs, pair);
    }
    return pairs;
  }
  const keys = ownEnumerableKeys(init);
  for (let i = 0; i < keys.length; i++) {
    append(pairs, [toWellFormed(keys[i]), toWellFormed(`${init[keys[i]]}`)]);
  }
  return pairs;
}

const iteratorPrototype = getPrototypeOf(getPrototypeOf([][symbolIterator]()));
const paramsIterators = new GuestWeakMap();
const paramsIteratorPrototype = createObject(iteratorPrototype);

defineHidden(paramsIteratorPrototype, 'next', {
  next() {
    const state = weakMapGet(paramsIterators, this);
    const pair = state.list.pairs[state.index];
    if (pair === undefined) {
      return { value: undefined, done: true };
    }
    state.index++;
    return { value: state.part === 2 ? [pair[0], pair[1]] : pair[state.part], done: false };
  },
}.next);
defineProperty(paramsIteratorPrototype, symbolToStringTag, { __proto__: null, value: 'URLSearchParams Iterator', configurable: true });

/** An iterator over names (part 0), values (1) or pairs (2). */
function paramsIterator(list, part) {
  const iterator = createObject(paramsIteratorPrototype);
  weakMapSet(paramsIterators, iterator, { __proto__: null, list, part, index: 0 });
  return iterator;
}

function matchesPair(pair, name, value) {
  return pair[0] === name && (value === undefined || pair[1] === value);
}

class URLSearchParams {
  constructor(init = undefined) {
    weakMapSet(paramLists, this, { __proto__: null, pairs: initialPairs(init), url: null });
  }
  append(name, value) {
    const list = paramsOf(this);
    append(list.pairs, [toWellFormed(`${name}`), toWellFormed(`${value}`)]);
    updateUrl(list);
  }
  delete(name, value = undefined) {
    const list = paramsOf(this);
    const kept = [];
    for (let i = 0; i < list.pairs.length; i++) {
      if (!matchesPair(list.pairs[i], `${name}`, value === undefined ? undefined : `${value}`)) {
        append(kept, list.pairs[i]);
      }
    }
    list.pairs = kept;
    updateUrl(list);
  }
  get(name) {
    const { pairs } = paramsOf(this);
    for (let i = 0; i < pairs.length; i++) {
      if (matchesPair(pairs[i], `${name}`)) {
        return pairs[i][1];
      }
    }
    return null;
  }
  getAll(name) {
    const { pairs } = paramsOf(this);
    const values = [];
    for (let i = 0; i < pairs.length; i++) {
      if (matchesPair(pairs[i], `${name}`)) {
        append(values, pairs[i][1]);
      }
    }
    return values;
  }
  has(name, value = undefined) {
    const { pairs } = paramsOf(this);
    for (let i = 0; i < pairs.length; i++) {
      if (matchesPair(pairs[i], `${name}`, value === undefined ? undefined : `${value}`)) {
        return true;
      }
    }
    return false;
  }
  set(name, value) {
    const list = paramsOf(this);
    const kept = [];
    let found = false;
    for (let i = 0; i < list.pairs.length; i++) {
      if (!matchesPair(list.pairs[i], `${name}`)) {
        append(kept, list.pairs[i]);
      } else if (!found) {
        found = true;
        append(kept, [list.pairs[i][0], toWellFormed(`${value}`)]);
      }
    }
    if (!found) {
      append(kept, [toWellFormed(`${name}`), toWellFormed(`${value}`)]);
    }
    list.pairs = kept;
    updateUrl(list);
  }
  sort() {
    const list = paramsOf(this);
    sort(list.pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    updateUrl(list);
  }
  get size() {
    return paramsOf(this).pairs.length;
  }
  toString() {
    return serializeForm(paramsOf(this).pairs);
  }
  forEach(callback, receiver = undefined) {
    const list = paramsOf(this);
    if (typeof callback !== 'function') {
      throwFrom(new GuestTypeError('The "callback" argument must be of type function'), URLSearchParams.prototype.forEach);
    }
    for (let i = 0; i < list.pairs.length; i++) {
      apply(callback, receiver, [list.pairs[i][1], list.pairs[i][0], this]);
    }
  }
  entries() {
    return paramsIterator(paramsOf(this), 2);
  }
  keys() {
    return paramsIterator(paramsOf(this), 0);
  }
  values() {
    return paramsIterator(paramsOf(this), 1);
  }
}

defineHidden(URLSearchParams.prototype, symbolIterator, URLSearchParams.prototype.entries);

defineHidden(URLSearchParams.prototype, CUSTOM_INSPECT, function (depth, options) {
  if (typeof depth === 'number' && depth < 0) {
    return '[Object]';
  }
  const { pairs } = paramsOf(this);
  const texts = [];
  let length = -2;
  for (let i = 0; i < pairs.length; i++) {
    const text = `${inspect(pairs[i][0], options)} => ${inspect(pairs[i][1], options)}`;
    append(texts, text);
    length += text.length + 2;
  }
  if (pairs.length === 0) {
    return 'URLSearchParams {}';
  }
  return length > options.breakLength ? `URLSearchParams {\n  ${joinStrings(texts, ',\n  ')} }` : `URLSearchParams { ${joinStrings(texts, ', ')} }`;
});
