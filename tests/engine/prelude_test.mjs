// What the guest sees beyond the language: endings, console streams, timers, modules, globals, number formatting, tampering.
// Expectations are the specification's own, not another engine's.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Engine, readPrelude } from './lib/engine.mjs';

const engine = new Engine(process.env.QUICKJS_WASM);
engine.loadImage();

function run(code) {
  const { exit, stdout, stderr } = engine.run(code);
  return { exit, stdout: stdout.toString(), stderr: stderr.toString() };
}

function shows(code, stdout, stderr = '', exit = 0) {
  assert.deepEqual(run(code), { exit, stdout, stderr });
}

test('P5 console.log joins by one space and ends with a line feed', () => shows('console.log("wasm", 6*7)', 'wasm 42\n'));

test('print is console.log', () => shows('print("a", [1], {b: 2}); print()', 'a [ 1 ] { b: 2 }\n\n'));

test('P6 names of other environments do not exist', () => {
  for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'require', 'process', 'module', 'Buffer', 'exports', 'global', 'window',
    'document', 'Worker', 'setImmediate', 'os', 'std', 'bjson', '__plimsoll', '__plimsoll_drive', '__plimsoll_services']) {
    shows(`console.log(typeof ${name})`, 'undefined\n');
  }
});

test('P7 every path is missing', () => shows(`
  import("qjs:std").then(async (std) => {
    const os = await import("qjs:os");
    const error = {};
    console.log(std.open("/etc/passwd", "r", error), error.errno, JSON.stringify(os.readdir("/")), os.open("/x") < 0);
    console.log(JSON.stringify([os.stat("/"), os.lstat("/"), os.realpath("/"), os.getcwd()]), std.loadFile("/x"), std.popen("ls", "r"));
    console.log(std.getenv("PATH"), Object.keys(std.getenviron()).length, typeof os.exec, typeof os.Worker, typeof os.kill);
  })`, 'null 44 [[],44] true\n[[null,44],[null,44],["",44],["",44]] null null\nundefined 0 undefined undefined undefined\n'));

test('every module name gives one namespace, others reject', () => shows(`
  Promise.all([import("qjs:std"), import("qjs:std"), import("qjs:bjson")]).then(([a, b, c]) => {
    console.log(a === b, Object.keys(c).join());
    try { c.write({}) } catch (e) { console.log(e.name, e.message) }
    return import("fs");
  }).catch((e) => console.log(e.name))`, 'true read,write\nError qjs:bjson is not available in this engine\nReferenceError\n'));

test('std writes to both streams and formats like C', () => shows(`
  import("qjs:std").then((std) => {
    std.out.puts("a", 1, "\\n"); std.err.puts("e\\n");
    std.printf("%5d|%-5d|%05d|%x|%#X|%o|%c|%s|%.2s|%8.3f|%e|%g|%%|%+d\\n", 42, 42, 42, 255, 255, 8, "xy", "str", "abc", Math.PI, 12345.678, 0.0001, 7);
    std.out.printf("%s\\n", std.sprintf("%*d|%g|%g|%g", 6, 3, 1e10, 100000, 1.5));
    std.puts("end\\n");
  })`, 'a1\n   42|42   |00042|ff|0XFF|10|x|str|ab|   3.142|1.234568e+04|0.0001|%|+7\n     3|1e+10|100000|1.5\nend\n', 'e\n'));

test('P16 bytes that are not UTF-8 are written unchanged', () => {
  const { stdout } = engine.run(`import("qjs:std").then((std) => {
    const bytes = new Uint8Array([0x61, 0xff, 0xfe, 0x00, 0x80]); std.out.write(bytes.buffer, 1, 4); std.out.putByte(0xc3) })`);
  assert.deepEqual([...stdout], [0xff, 0xfe, 0x00, 0x80, 0xc3]);
});

test('std.exit ends the run at once with n & 255', () => {
  shows('import("qjs:std").then((std) => { try { std.exit(300) } finally { print("never") } })', '', '', 44);
  shows('import("qjs:std").then((std) => { print("kept"); std.exit(-1) }); setTimeout(() => print("never"), 0)', 'kept\n', '', 255);
});

test('std.evalScript evaluates in the global scope', () =>
  shows('var g = 1; import("qjs:std").then((std) => print(std.evalScript("g + 1")))', '2\n'));

test('os timers and sleep', () => shows(`
  import("qjs:os").then(async (os) => {
    const t = performance.now(); os.sleep(20); print(performance.now() - t >= 19);
    os.setTimeout(() => print("timer"), 1); await os.sleepAsync(10); print("slept");
  })`, 'true\ntimer\nslept\n'));

test('P12 an uncaught error is name, message, frames', () => {
  shows('throw new Error("boom")', '', 'Error: boom\n    at <eval> (<cmdline>:1:11)\n', 1);
  shows('function f() {\n  null.x;\n}\nf();', '', "TypeError: cannot read property 'x' of null\n    at f (<cmdline>:2:3)\n    at <eval> (<cmdline>:4:1)\n", 1);
  shows('let x = ;', '', "SyntaxError: unexpected token in expression: ';'\n    at <eval> (<cmdline>:1:9)\n", 1);
  shows('class MyError extends Error { constructor(m) { super(m); this.name = "Mine"; } }\nthrow new MyError("q")', '',
    'Mine: q\n    at MyError (<cmdline>:1:54)\n    at <eval> (<cmdline>:2:11)\n', 1);
});

test('an uncaught value that is no error is inspected', () => {
  shows('throw 5', '', 'Uncaught 5\n', 1);
  shows('throw {a: "b"}', '', "Uncaught { a: 'b' }\n", 1);
  shows('throw "text"', '', "Uncaught 'text'\n", 1);
  shows('throw undefined', '', 'Uncaught undefined\n', 1);
});

test('an uncaught value cannot break its own report', () => {
  assert.equal(run('throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })').exit, 1);
  assert.match(run('const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw 1 } }); throw e').stderr, /^Uncaught /);
  assert.match(run('Error.prototype.toString = null; throw new Error("still")').stderr, /^Error: still\n/);
});

test('an unhandled rejection ends with 1 after the loop', () => {
  shows('Promise.reject(new TypeError("late")); print("first"); setTimeout(() => print("timer"), 5)', 'first\ntimer\n',
    'TypeError: late\n    at <eval> (<cmdline>:1:20)\n', 1);
  shows('const p = Promise.reject(1); setTimeout(() => p.catch(() => print("handled")), 1)', 'handled\n');
});

test('P18 jobs run before timers, timers in due order', () => shows(`
  setTimeout(() => print("t80"), 80); setTimeout(() => print("t0a"), 0); setTimeout(() => print("t0b")); setTimeout((a, b) => print(a + b), 40, 3, 4);
  queueMicrotask(() => print("job")); Promise.resolve().then(() => print("then")); (async () => { await null; print("await") })(); print("script")`,
'script\njob\nthen\nawait\nt0a\nt0b\n7\nt80\n'));

test('timers really wait, intervals repeat until cleared', () => shows(`
  const start = performance.now(); let n = 0;
  const id = setInterval(() => { if (++n === 3) { clearInterval(id); print(n, performance.now() - start >= 29) } }, 10);
  const never = setTimeout(() => print("never"), 5); clearTimeout(never); clearTimeout(undefined); clearTimeout({}); clearInterval(12345);`,
'3 true\n'));

test('a job queued by a timer runs before the next timer', () => shows(
  'setTimeout(() => { Promise.resolve().then(() => print("job")); print("one") }); setTimeout(() => print("two"))', 'one\njob\ntwo\n'));

test('many timers fire in due order, equal delays in the order they were set', () => shows(`
  const before = performance.now(); const fired = [];
  for (let i = 0; i < 200; i++) { const delay = (i * 7919) % 8 * 5; setTimeout(() => fired.push([delay, i]), delay) }
  const setup = performance.now() - before;
  setTimeout(() => print(fired.length, fired.every(([d, i], at) => fired.slice(at).every(([e, j]) => e === d ? j >= i : e > d - setup - 1))), 40 + setup + 1)`,
'200 true\n'));

test('an error in a timer is uncaught and its stack is the guest\'s alone', () => shows(
  'setTimeout(function tick() { null.x }, 1); setTimeout(() => print("never"), 50)', '',
  "TypeError: cannot read property 'x' of null\n    at tick (<cmdline>:1:29)\n", 1));

test('a timer needs a function', () => shows('try { setTimeout("code") } catch (e) { print(e.name, e.stack.includes("startTimer"), /at <eval> \\(<cmdline>:1:/.test(e.stack)) }',
  'TypeError false true\n'));

test('P14 no console method throws; error, warn and trace go to stderr', () => {
  const methods = ['log', 'info', 'debug', 'dir', 'dirxml', 'table', 'group', 'groupCollapsed', 'groupEnd', 'count', 'countReset', 'time', 'timeLog',
    'timeEnd', 'assert', 'clear', 'error', 'warn', 'trace'];
  const nasty = 'const nasty = { toString() { throw 1 }, get [Symbol.toStringTag]() { throw 2 }, toJSON() { throw 3 } };';
  for (const name of methods) {
    for (const args of ['', '"x"', 'Symbol("s")', 'nasty', '"%s", nasty', '"%j", nasty', 'null, null', 'new Proxy({}, { get() { throw 4 }, ownKeys() { throw 5 } })', '"%d", 1n']) {
      const { exit, stdout, stderr } = run(`${nasty} console.${name}(${args})`);
      assert.equal(exit, 0, `${name}(${args}): ${stderr}`);
      if (['error', 'warn', 'trace'].includes(name)) {
        assert.equal(stdout, '');
        assert.notEqual(stderr, '');
      }
    }
  }
  shows('console.log("l"); console.info("i"); console.debug("d"); console.error("e"); console.warn("w")', 'l\ni\nd\n', 'e\nw\n');
  shows('function f() { console.trace("t", 1) }\nf()', '', 'Trace: t 1\n    at f (<cmdline>:1:23)\n    at <eval> (<cmdline>:2:1)\n');
});

test('P15 number formatting', () => shows(`
  print((95000).toLocaleString(), (95000).toLocaleString("en-US", { style: "currency", currency: "USD" }),
    (-1234567.5).toLocaleString("de-DE", { style: "currency", currency: "USD" }), new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" }).format(1000))`,
'95,000 $95,000.00 -$1,234,567.50 €1,000.00\n'));

test('number formatting rules', () => {
  const cases = [
    ['(0).toLocaleString()', '0'], ['(999).toLocaleString()', '999'], ['(1000).toLocaleString()', '1,000'], ['(-1000).toLocaleString()', '-1,000'],
    ['(1234.5678).toLocaleString()', '1,234.568'], ['(1.0005).toLocaleString()', '1.001'], ['(0.5).toLocaleString()', '0.5'],
    ['(1e21).toLocaleString()', '1,000,000,000,000,000,000,000'], ['(1e-7).toLocaleString()', '0'], ['NaN.toLocaleString()', 'NaN'],
    ['Infinity.toLocaleString()', 'Infinity'], ['(-Infinity).toLocaleString()', '-Infinity'],
    ['(1.5).toLocaleString("x", { minimumFractionDigits: 2 })', '1.50'], ['(1.239).toLocaleString("x", { maximumFractionDigits: 2 })', '1.24'],
    ['(2).toLocaleString("x", { maximumFractionDigits: 0 })', '2'], ['(2.5).toLocaleString("x", { maximumFractionDigits: 0 })', '3'],
    ['(1.1).toLocaleString("x", { minimumFractionDigits: 3, maximumFractionDigits: 5 })', '1.100'],
    ['(1234.5).toLocaleString("x", { useGrouping: false })', '1234.5'],
    ['(5).toLocaleString("x", { style: "currency", currency: "CAD" })', '$5.00'], ['(5).toLocaleString("x", { style: "currency", currency: "GBP" })', '£5.00'],
    ['(5).toLocaleString("x", { style: "currency", currency: "JPY" })', '¥5.00'], ['(5).toLocaleString("x", { style: "currency", currency: "CNY" })', '¥5.00'],
    ['(5).toLocaleString("x", { style: "currency", currency: "INR" })', '₹5.00'], ['(5).toLocaleString("x", { style: "currency", currency: "CHF" })', 'CHF 5.00'],
    ['(5).toLocaleString("x", { style: "currency", currency: "usd", minimumFractionDigits: 0 })', '$5'],
    ['(1.999).toLocaleString("x", { style: "currency", currency: "AUD" })', '$2.00'], ['(0.256).toLocaleString("x", { style: "percent" })', '26%'],
    ['new Intl.NumberFormat().format(1234.5)', '1,234.5'], ['new Intl.NumberFormat("en").format("12")', '12'], ['new Intl.NumberFormat("en").format(12345n)', '12,345'],
    ['[1000, 2000].map(new Intl.NumberFormat("en").format).join()', '1,000,2,000'],
    ['new Intl.NumberFormat("fr").resolvedOptions().locale', 'fr'], ['new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).resolvedOptions().minimumFractionDigits', '2'],
    ['new Intl.NumberFormat().resolvedOptions().maximumFractionDigits', '3'], ['Intl.NumberFormat("en") instanceof Intl.NumberFormat', 'true'],
  ];
  for (const [code, expected] of cases) {
    shows(`print(String(${code}))`, `${expected}\n`);
  }
  for (const code of ['(1).toLocaleString("en", { style: "currency" })', '(1).toLocaleString("en", { maximumFractionDigits: -1 })',
    '(1).toLocaleString("en", { minimumFractionDigits: 5, maximumFractionDigits: 1 })', 'Number.prototype.toLocaleString.call("x")']) {
    shows(`try { ${code} } catch (e) { print(e instanceof TypeError || e instanceof RangeError, e.stack.includes("prelude")) }`, 'true false\n');
  }
});

test('shell globals', () => shows(`
  print(scriptArgs.length, argv0, /^quickjs-ng\\/\\d+\\.\\d+\\.\\d+$/.test(navigator.userAgent), typeof performance.now(), typeof queueMicrotask, gc(), performance.now() < 1000)`,
'0 qjs true number function undefined true\n'));

test('nothing is enumerable on globalThis and nothing shows prelude source', () => {
  shows('print(Object.keys(globalThis).length); for (const k in globalThis) print(k)', '0\n');
  shows(`for (const k of Reflect.ownKeys(globalThis)) { const v = globalThis[k];
    if (typeof v === "function" && !/\\[native code\\]/.test(Function.prototype.toString.call(v))) print("source of", k);
    if (v && (typeof v === "object" || typeof v === "function")) for (const m of Reflect.ownKeys(v)) { const d = Reflect.getOwnPropertyDescriptor(v, m);
      for (const f of [d.value, d.get, d.set]) if (typeof f === "function" && !/\\[native code\\]/.test(Function.prototype.toString.call(f))) print("source of", k, String(m)) } }`, '');
});

test('the console works when the guest has broken the built-ins', () => {
  const value = '{ a: [1, , 2], m: new Map([[1, { b: 2 }]]), s: new Set([1]), d: new Date(0), r: /x/g, e: 5n }';
  const expected = run(`console.log(${value}, "%s")`).stdout;
  const attacks = [
    'Array.prototype.join = null', 'Array.prototype.push = null', 'Array.prototype[Symbol.iterator] = null', 'String.prototype.slice = null',
    'Object.prototype.hasOwnProperty = null', 'Function.prototype.call = null; Function.prototype.apply = null; Function.prototype.bind = null',
    'Reflect.ownKeys = Reflect.apply = Reflect.getPrototypeOf = null', 'Object.keys = Object.getOwnPropertyDescriptor = null',
    'Map.prototype.forEach = Map.prototype.get = Map.prototype.set = null', 'Set.prototype.forEach = null', 'RegExp.prototype.exec = null',
    'RegExp.prototype[Symbol.replace] = null', 'globalThis.Map = globalThis.Set = globalThis.Object = globalThis.String = globalThis.Array = undefined',
    'Object.prototype.get = function () { return "polluted" }; Object.prototype.set = function () {}', 'Object.prototype.value = 1; Object.prototype.depth = 0',
    'Object.defineProperty(Object.prototype, "writable", { value: false, configurable: true })',
    'Object.defineProperty(Array.prototype, 0, { set() { throw 1 }, configurable: true })', 'Math.max = Math.min = null', 'Number.isInteger = isNaN = null',
    'Array.isArray = () => false', 'Promise.prototype.then = null', 'globalThis.Error = null', 'String.prototype[Symbol.iterator] = null',
  ];
  for (const attack of attacks) {
    const shown = run(`const value = ${value}; ${attack}; console.log(value, "%s"); console.error("x", 1); console.groupCollapsed("g")`);
    assert.deepEqual(shown, { exit: 0, stdout: `${expected}g\n`, stderr: 'x 1\n' }, attack);
  }
});

test('timers and rejections work when the guest has broken the built-ins', () => shows(
  `Function.prototype.bind = null; Map.prototype.get = null; globalThis.queueMicrotask = null; Math.max = null; Array.prototype.push = null;
   setTimeout((a) => console.log("fired", a), 1, 2); setInterval(function () { throw 7 }, 5)`, 'fired 2\n', 'Uncaught 7\n', 1));

test('a run leaves nothing for the next', () => {
  shows('globalThis.leak = 1; Array.prototype.extra = 2; console.count(); console.group(); setTimeout(() => {}, 1e9); throw 1', 'default: 1\n', 'Uncaught 1\n', 1);
  shows('print(typeof leak, [].extra); console.count()', 'undefined undefined\ndefault: 1\n');
});

test('P17 each run has its own randomness', () => {
  const seen = new Set();
  for (let i = 0; i < 20; i++) {
    seen.add(run('print(Math.random(), Math.random())').stdout);
  }
  assert.equal(seen.size, 20);
});

test('Math.random is uniform enough', () => shows(`
  const buckets = new Array(64).fill(0); let runs = 0, last = 0; const n = 64000;
  for (let i = 0; i < n; i++) { const x = Math.random(); buckets[Math.floor(x * 64)]++; if ((x < 0.5) !== (last < 0.5)) runs++; last = x }
  const chi = buckets.reduce((sum, b) => sum + (b - n / 64) ** 2 / (n / 64), 0);
  print(chi < 140, Math.abs(runs - n / 2) < 700)`, 'true true\n'));

test('P13 deep recursion is a catchable RangeError', () => {
  const { exit, stderr } = run('function f(n){return n<=0?0:1+f(n-1)} f(200000)');
  assert.equal(exit, 1);
  assert.match(stderr, /^RangeError: Maximum call stack size exceeded\n/);
  shows('let d = 0; function f() { d++; f() } try { f() } catch (e) { print(e.name, d >= 5000) }', 'RangeError true\n');
  shows('let a = []; for (let i = 0; i < 20000; i++) a = [a]; console.log(a)', '[ [ [ [Array] ] ] ]\n');
});

test('P8 31 arrays of a million doubles are held, the 32nd is refused and caught', () => shows(
  'const held = []; try { for (;;) held.push(new Float64Array(1e6)) } catch (e) { print(held.length, e.message) }', '31 out of memory\n'));

test('lone surrogates are written as U+FFFD', () => shows('print("a\\ud800b", "\\udc00", "\\u{1f600}")', 'a\ufffdb \ufffd \u{1f600}\n'));

test('errors of prelude functions begin at the caller', () => {
  for (const code of ['new URL("bad")', 'structuredClone(() => {})', 'new TextDecoder("nope")', 'crypto.getRandomValues(1)', 'setInterval(1)', '(1).toLocaleString("x", { style: "currency" })']) {
    shows(`try { ${code} } catch (e) { print(e.stack.split("\\n")[0].includes("<cmdline>:1:"), e.stack.includes("null")) }`, 'true false\n');
  }
});

test('the image is what the files say', () => {
  const { source } = readPrelude();
  assert.ok(!/[^\S\n]\n/.test(source), 'trailing blanks');
  assert.ok(source.startsWith('// Opens'));
});
