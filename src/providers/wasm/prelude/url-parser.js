// The URL parser. A record has: scheme, username, password, host (null or text), port (null or number), path (an array of
// segments, or a string where the path is opaque), query and fragment (null or text). A parser that fails returns null.

const DEFAULT_PORTS = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 };
const DRIVE_LETTER = /^[a-zA-Z][:|]$/;
const STARTS_WITH_DRIVE = /^[a-zA-Z][:|](?:[/\\?#]|$)/;
const SINGLE_DOT = /^(?:\.|%2e)$/i;
const DOUBLE_DOT = /^(?:\.|%2e){2}$/i;

function isSpecialScheme(scheme) {
  return DEFAULT_PORTS[scheme] !== undefined;
}

function newUrlRecord(scheme) {
  return { __proto__: null, scheme, username: '', password: '', host: null, port: null, path: [], query: null, fragment: null };
}

/** Copies what a relative reference inherits. */
function inheritUrl(url, base, keepPath) {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
  if (keepPath) {
    url.path = slice(base.path);
    url.query = base.query;
  }
}

/** Without leading and trailing controls and spaces, without tabs and line ends anywhere. */
function stripUrlInput(text) {
  let start = 0;
  let end = text.length;
  while (start < end && stringAt(text, start) <= 0x20) {
    start++;
  }
  while (end > start && stringAt(text, end - 1) <= 0x20) {
    end--;
  }
  return withoutLineEnds(stringSlice(text, start, end));
}

function withoutLineEnds(text) {
  return replaceEvery(replaceEvery(replaceEvery(text, '\t', ''), '\n', ''), '\r', '');
}

/** Takes fragment and query off the end of `rest`. Returns what is before them; sets them on `url`. */
function takeQueryAndFragment(url, rest) {
  const hash = stringIndexOf(rest, '#');
  if (hash !== -1) {
    url.fragment = percentEncode(stringSlice(rest, hash + 1), FRAGMENT_SET);
    rest = stringSlice(rest, 0, hash);
  }
  const mark = stringIndexOf(rest, '?');
  if (mark !== -1) {
    url.query = percentEncode(stringSlice(rest, mark + 1), isSpecialScheme(url.scheme) ? SPECIAL_QUERY_SET : QUERY_SET);
    rest = stringSlice(rest, 0, mark);
  }
  return rest;
}

function shortenPath(url) {
  const { path } = url;
  const drive = url.scheme === 'file' && path.length === 1 && regExpExec(/^[a-zA-Z]:$/, path[0]) !== null;
  if (!drive && path.length > 0) {
    path.length--;
  }
}

/** Appends the segments of a path text to the path the record has; a leading slash only separates. */
function addPath(url, text) {
  const special = isSpecialScheme(url.scheme);
  if (special) {
    text = replaceEvery(text, '\\', '/');
  }
  if (text === '' && !special) {
    return;
  }
  const segments = splitString(text[0] === '/' ? stringSlice(text, 1) : text, '/');
  for (let i = 0; i < segments.length; i++) {
    const last = i === segments.length - 1;
    let segment = segments[i];
    if (regExpExec(DOUBLE_DOT, segment) !== null) {
      shortenPath(url);
      segment = last ? '' : null;
    } else if (regExpExec(SINGLE_DOT, segment) !== null) {
      segment = last ? '' : null;
    } else if (url.scheme === 'file' && url.path.length === 0 && regExpExec(DRIVE_LETTER, segment) !== null) {
      segment = `${segment[0]}:`;
    }
    if (segment !== null) {
      append(url.path, percentEncode(segment, PATH_SET));
    }
  }
}

/** A port text: null for the scheme's default, a number, or undefined when it is none. */
function parsePort(text, scheme) {
  if (text === '') {
    return null;
  }
  if (regExpExec(/^[0-9]+$/, text) === null || +text > 65535) {
    return undefined;
  }
  return +text === DEFAULT_PORTS[scheme] ? null : +text;
}

/** Splits `host:port`; a colon inside brackets separates nothing. The port is null when there is no colon. */
function splitHostPort(text) {
  const bracket = stringLastIndexOf(text, ']');
  const colon = stringIndexOf(text, ':', bracket === -1 ? 0 : bracket);
  return colon === -1 ? [text, null] : [stringSlice(text, 0, colon), stringSlice(text, colon + 1)];
}

/** Parses `user:password@host:port` and the path after it. Returns the record or null. */
function parseAuthority(url, rest) {
  const special = isSpecialScheme(url.scheme);
  let end = 0;
  while (end < rest.length && rest[end] !== '/' && !(special && rest[end] === '\\')) {
    end++;
  }
  let authority = stringSlice(rest, 0, end);
  const at = stringLastIndexOf(authority, '@');
  if (at !== -1) {
    const credentials = stringSlice(authority, 0, at);
    const colon = stringIndexOf(credentials, ':');
    url.username = percentEncode(colon === -1 ? credentials : stringSlice(credentials, 0, colon), USERINFO_SET);
    url.password = colon === -1 ? '' : percentEncode(stringSlice(credentials, colon + 1), USERINFO_SET);
    authority = stringSlice(authority, at + 1);
  }
  const parts = splitHostPort(authority);
  if (parts[0] === '' && (special || at !== -1 || parts[1] !== null)) {
    return null;
  }
  url.host = parts[0] === '' ? '' : parseHost(parts[0], special);
  url.port = parts[1] === null ? null : parsePort(parts[1], url.scheme);
  if (url.host === null || url.port === undefined) {
    return null;
  }
  addPath(url, stringSlice(rest, end));
  return url;
}

/** Parses what follows `file:`, or a reference relative to a file URL. */
function parseFile(url, rest, base) {
  url.host = '';
  const inherited = base !== null && base.scheme === 'file' ? base : null;
  const text = replaceEvery(rest, '\\', '/');
  if (startsWith(text, '//')) {
    const slash = stringIndexOf(text, '/', 2);
    const name = stringSlice(text, 2, slash === -1 ? text.length : slash);
    if (regExpExec(DRIVE_LETTER, name) !== null) {
      addPath(url, stringSlice(text, 2));
      return url;
    }
    url.host = name === '' ? '' : parseHost(name, true);
    if (url.host === null) {
      return null;
    }
    url.host = url.host === 'localhost' ? '' : url.host;
    addPath(url, slash === -1 ? '' : stringSlice(text, slash));
    return url;
  }
  if (startsWith(text, '/')) {
    if (inherited !== null) {
      url.host = inherited.host;
      const drive = inherited.path[0];
      if (drive !== undefined && regExpExec(/^[a-zA-Z]:$/, drive) !== null && regExpExec(STARTS_WITH_DRIVE, stringSlice(text, 1)) === null) {
        append(url.path, drive);
      }
    }
    addPath(url, text);
    return url;
  }
  return inherited === null ? (addPath(url, text), url) : parseRelativePath(url, text, inherited);
}

/** A reference without a leading slash: it replaces the last segment, or nothing when it is empty. */
function parseRelativePath(url, rest, base) {
  const { query } = url;
  inheritUrl(url, base, true);
  if (rest === '') {
    url.query = query !== null ? query : base.query;
    return url;
  }
  url.query = query;
  if (url.scheme === 'file' && regExpExec(STARTS_WITH_DRIVE, rest) !== null) {
    url.path = [];
  } else {
    shortenPath(url);
  }
  addPath(url, rest);
  return url;
}

function parseRelative(url, rest, base) {
  const text = isSpecialScheme(url.scheme) ? replaceEvery(rest, '\\', '/') : rest;
  if (startsWith(text, '//')) {
    return parseAuthority(url, withoutLeadingSlashes(text, isSpecialScheme(url.scheme)));
  }
  if (startsWith(text, '/')) {
    inheritUrl(url, base, false);
    addPath(url, text);
    return url;
  }
  return parseRelativePath(url, text, base);
}

/** Without the two slashes before an authority; a special scheme takes any number, of either kind. */
function withoutLeadingSlashes(text, special) {
  let start = special ? 0 : 2;
  while (special && (text[start] === '/' || text[start] === '\\')) {
    start++;
  }
  return stringSlice(text, start);
}

/** Parses a URL against a base record or null. Returns a record or null. */
function parseUrl(input, base) {
  const text = stripUrlInput(input);
  const scheme = regExpExec(/^([a-zA-Z][a-zA-Z0-9+.-]*):/, text);
  if (scheme !== null) {
    return parseAfterScheme(newUrlRecord(toLowerCase(scheme[1])), stringSlice(text, scheme[0].length), base);
  }
  if (base === null || (typeof base.path === 'string' && text[0] !== '#')) {
    return null;
  }
  const url = newUrlRecord(base.scheme);
  if (typeof base.path === 'string') {
    url.path = base.path;
    url.query = base.query;
    url.fragment = percentEncode(stringSlice(text, 1), FRAGMENT_SET);
    return url;
  }
  const rest = takeQueryAndFragment(url, text);
  return url.scheme === 'file' ? parseFile(url, rest, base) : parseRelative(url, rest, base);
}

function parseAfterScheme(url, text, base) {
  const rest = takeQueryAndFragment(url, text);
  if (url.scheme === 'file') {
    return parseFile(url, rest, base);
  }
  if (isSpecialScheme(url.scheme)) {
    if (base !== null && base.scheme === url.scheme && !startsWith(rest, '//')) {
      return parseRelative(url, rest, base);
    }
    return parseAuthority(url, withoutLeadingSlashes(rest, true));
  }
  if (startsWith(rest, '//')) {
    return parseAuthority(url, withoutLeadingSlashes(rest, false));
  }
  if (startsWith(rest, '/')) {
    addPath(url, rest);
  } else {
    url.path = percentEncode(rest, CONTROL_SET);
  }
  return url;
}

function serializePath(url) {
  if (typeof url.path === 'string') {
    return url.path;
  }
  return url.path.length === 0 ? '' : `/${joinStrings(url.path, '/')}`;
}

function serializeHost(url) {
  return url.host === null ? '' : url.port === null ? url.host : `${url.host}:${url.port}`;
}

function serializeUrl(url) {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '') {
      text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
    }
    text += serializeHost(url);
  } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') {
    text += '/.';
  }
  text += serializePath(url);
  text += url.query === null ? '' : `?${url.query}`;
  return url.fragment === null ? text : `${text}#${url.fragment}`;
}

/** Scheme, host and port of a URL; `null` as a text where the scheme has no such origin. */
function urlOrigin(url) {
  if (url.scheme === 'blob') {
    const inner = typeof url.path === 'string' ? parseUrl(url.path, null) : null;
    return inner !== null && (inner.scheme === 'http' || inner.scheme === 'https') ? urlOrigin(inner) : 'null';
  }
  return isSpecialScheme(url.scheme) && url.scheme !== 'file' ? `${url.scheme}://${serializeHost(url)}` : 'null';
}
