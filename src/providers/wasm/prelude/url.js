// class URL.

const urlRecords = new GuestWeakMap();

function urlOf(receiver) {
  const url = receiver !== null && typeof receiver === 'object' ? weakMapGet(urlRecords, receiver) : undefined;
  if (url === undefined) {
    throwFrom(new GuestTypeError('Receiver is not a URL'), urlOf);
  }
  return url;
}

function parseUrlOrThrow(input, base, caller) {
  const text = `${input}`;
  const baseRecord = base === undefined ? null : parseUrl(`${base}`, null);
  const record = base !== undefined && baseRecord === null ? null : parseUrl(text, baseRecord);
  if (record === null) {
    const error = new GuestTypeError('Invalid URL');
    error.code = 'ERR_INVALID_URL';
    error.input = text;
    if (base !== undefined) {
      error.base = `${base}`;
    }
    throwFrom(error, caller);
  }
  return record;
}

/** Makes one record say what another says. */
function copyUrl(to, from) {
  const keys = ownEnumerableKeys(from);
  for (let i = 0; i < keys.length; i++) {
    to[keys[i]] = from[keys[i]];
  }
}

/** Whether credentials and a port make sense for the URL. */
function canHaveCredentials(url) {
  return url.host !== null && url.host !== '' && url.scheme !== 'file';
}

/** Sets host, and port where the text has one and `withPort` says it counts. A text that is no host changes nothing. */
function setUrlHost(url, value, withPort) {
  if (typeof url.path === 'string') {
    return;
  }
  const special = isSpecialScheme(url.scheme);
  let text = withoutLineEnds(`${value}`);
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '/' || text[i] === '?' || text[i] === '#' || (special && text[i] === '\\')) {
      text = stringSlice(text, 0, i);
    }
  }
  const parts = url.scheme === 'file' ? [text, null] : splitHostPort(text);
  if ((parts[0] === '' && (special ? url.scheme !== 'file' : url.username !== '' || url.port !== null)) || (!withPort && parts[1] !== null)) {
    return;
  }
  const host = parts[0] === '' ? '' : parseHost(parts[0], special);
  if (host === null) {
    return;
  }
  url.host = url.scheme === 'file' && host === 'localhost' ? '' : host;
  const digits = parts[1] === null ? null : regExpExec(/^[0-9]+/, parts[1]);
  const port = digits === null ? undefined : parsePort(digits[0], url.scheme);
  if (port !== undefined) {
    url.port = port;
  }
}

function setUrlProtocol(url, value) {
  const found = regExpExec(/^([a-zA-Z][a-zA-Z0-9+.-]*)(?::|$)/, `${value}`);
  const scheme = found === null ? '' : toLowerCase(found[1]);
  if (scheme === '' || isSpecialScheme(scheme) !== isSpecialScheme(url.scheme)) {
    return;
  }
  if (scheme === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) {
    return;
  }
  if (url.scheme === 'file' && url.host === '') {
    return;
  }
  url.scheme = scheme;
  url.port = url.port === DEFAULT_PORTS[scheme] ? null : url.port;
}

class URL {
  constructor(input, base = undefined) {
    const record = parseUrlOrThrow(input, base, URL);
    record.params = null;
    weakMapSet(urlRecords, this, record);
  }
  static canParse(input, base = undefined) {
    const baseRecord = base === undefined ? null : parseUrl(`${base}`, null);
    return !(base !== undefined && baseRecord === null) && parseUrl(`${input}`, baseRecord) !== null;
  }
  static parse(input, base = undefined) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }
  get href() {
    return serializeUrl(urlOf(this));
  }
  set href(value) {
    const url = urlOf(this);
    const record = parseUrlOrThrow(value, undefined, undefined);
    const { params } = url;
    copyUrl(url, record);
    url.params = params;
    refreshParams(url);
  }
  get origin() {
    return urlOrigin(urlOf(this));
  }
  get protocol() {
    return `${urlOf(this).scheme}:`;
  }
  set protocol(value) {
    setUrlProtocol(urlOf(this), value);
  }
  get username() {
    return urlOf(this).username;
  }
  set username(value) {
    const url = urlOf(this);
    if (canHaveCredentials(url)) {
      url.username = percentEncode(`${value}`, USERINFO_SET);
    }
  }
  get password() {
    return urlOf(this).password;
  }
  set password(value) {
    const url = urlOf(this);
    if (canHaveCredentials(url)) {
      url.password = percentEncode(`${value}`, USERINFO_SET);
    }
  }
  get host() {
    return serializeHost(urlOf(this));
  }
  set host(value) {
    setUrlHost(urlOf(this), value, true);
  }
  get hostname() {
    const { host } = urlOf(this);
    return host === null ? '' : host;
  }
  set hostname(value) {
    setUrlHost(urlOf(this), value, false);
  }
  get port() {
    const { port } = urlOf(this);
    return port === null ? '' : `${port}`;
  }
  set port(value) {
    const url = urlOf(this);
    const digits = regExpExec(/^[0-9]*/, withoutLineEnds(`${value}`))[0];
    if (!canHaveCredentials(url) || (digits === '' && `${value}` !== '')) {
      return;
    }
    const port = parsePort(digits, url.scheme);
    if (port !== undefined) {
      url.port = port;
    }
  }
  get pathname() {
    return serializePath(urlOf(this));
  }
  set pathname(value) {
    const url = urlOf(this);
    if (typeof url.path === 'string') {
      return;
    }
    const escaped = replaceEvery(replaceEvery(withoutLineEnds(`${value}`), '?', '%3F'), '#', '%23');
    url.path = [];
    addPath(url, escaped);
  }
  get search() {
    const { query } = urlOf(this);
    return query === null || query === '' ? '' : `?${query}`;
  }
  set search(value) {
    const url = urlOf(this);
    const text = withoutLineEnds(`${value}`);
    const query = text[0] === '?' ? stringSlice(text, 1) : text;
    url.query = text === '' ? null : percentEncode(query, isSpecialScheme(url.scheme) ? SPECIAL_QUERY_SET : QUERY_SET);
    refreshParams(url);
  }
  get searchParams() {
    const url = urlOf(this);
    if (url.params === null) {
      url.params = paramsForUrl(url);
    }
    return url.params;
  }
  get hash() {
    const { fragment } = urlOf(this);
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }
  set hash(value) {
    const text = withoutLineEnds(`${value}`);
    urlOf(this).fragment = text === '' ? null : percentEncode(text[0] === '#' ? stringSlice(text, 1) : text, FRAGMENT_SET);
  }
  toString() {
    return serializeUrl(urlOf(this));
  }
  toJSON() {
    return serializeUrl(urlOf(this));
  }
}

const URL_PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'];

defineHidden(URL.prototype, CUSTOM_INSPECT, function (depth, options) {
  if (typeof depth === 'number' && depth < 0) {
    return this;
  }
  const parts = {};
  for (let i = 0; i < URL_PARTS.length; i++) {
    parts[URL_PARTS[i]] = this[URL_PARTS[i]];
  }
  return `URL ${inspect(parts, options)}`;
});
