// The engine module under Node: the same bytes, the same prelude, the same host functions as the worker, in another runtime.
// `loadImage` starts the engine once and freezes it after the prelude; `run` restores that image and runs one script.

import { readFileSync } from 'node:fs';
import { randomFillSync } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FLAG_BACKTRACE_BARRIER = 64;
const STRIP_SOURCE = 16;
const STRIP_DEBUG = 32;

/** The worker's limits (design: own stack of 2 MiB, engine limits below the caps). */
export const LIMITS = { stackBytes: 2 << 20, maxStack: 1441792, memoryLimit: 252000000, maxPages: 4096 };

export const PRELUDE_DIR = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../src/providers/wasm/prelude');

/** Ends a run from inside a host call: it unwinds the module, so no guest code can catch it. */
class Ended extends Error {
  constructor(exit) {
    super(`exit ${exit}`);
    this.exit = exit;
  }
}

/** The prelude as one text, in its documented order, and the module sources. */
export function readPrelude(dir = PRELUDE_DIR) {
  const names = readFileSync(path.join(dir, 'ORDER'), 'utf8').split('\n').filter((line) => line !== '');
  const source = names.map((name) => readFileSync(path.join(dir, name), 'utf8')).join('');
  const module = (name) => readFileSync(path.join(dir, 'modules', `${name}.js`), 'utf8');
  return {
    source,
    install: module('install'),
    modules: new Map([['qjs:std', module('std')], ['qjs:os', module('os')], ['qjs:bjson', module('bjson')]]),
  };
}

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

/** Replaces each surrogate the engine encoded on its own (ED A0..BF xx) by U+FFFD. Both take three bytes. */
function repairSurrogates(bytes) {
  for (let i = 0; i + 2 < bytes.length; i++) {
    if (bytes[i] === 0xed && bytes[i + 1] >= 0xa0) {
      bytes.set([0xef, 0xbf, 0xbd], i);
    }
  }
  return bytes;
}

/** Zero pages at the end of memory need no copy: a fresh instance has them. */
function trimZeros(bytes) {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) {
    end--;
  }
  return bytes.slice(0, end);
}

export class Engine {
  constructor(wasmPath, prelude = readPrelude()) {
    this.module = new WebAssembly.Module(readFileSync(wasmPath));
    this.prelude = prelude;
    this.image = undefined;
  }

  /** A fresh instance with its imports bound to `this`; nothing is initialised. */
  instantiate() {
    this.out = [[], [], []];
    this.rejections = new Map();
    const env = {
      host_call: (name, length, self, count, args) => this.hostCall(name, length, count, args),
      host_interrupt: () => 0,
      host_promise_rejection: (promise, reason, handled) => this.noteRejection(promise, reason, handled),
      host_module_normalize: (base, name) => this.moduleName(name),
      host_module_load: (name, lengthOut) => this.moduleSource(name, lengthOut),
      host_get_timezone_offset: () => 0,
    };
    const nothing = () => 52;
    const wasi = {
      clock_time_get: (clock, precision, out) => {
        this.view().setBigUint64(out, clock === 0 ? BigInt(Date.now()) * 1000000n : process.hrtime.bigint(), true);
        return 0;
      },
      random_get: (at, length) => {
        randomFillSync(this.bytes(at, length));
        return 0;
      },
      fd_close: nothing, fd_fdstat_get: nothing, fd_seek: nothing, fd_write: nothing,
    };
    this.x = new WebAssembly.Instance(this.module, { env, wasi_snapshot_preview1: wasi }).exports;
    this.memory = this.x.memory;
  }

  view() {
    return new DataView(this.memory.buffer);
  }

  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /** Puts text into guest memory, zero-terminated. The caller frees it. */
  putText(text) {
    const encoded = typeof text === 'string' ? utf8.encode(text) : text;
    const at = this.x.wasm_malloc(encoded.length + 1);
    this.bytes(at, encoded.length).set(encoded);
    this.bytes(at + encoded.length, 1)[0] = 0;
    return [at, encoded.length];
  }

  withText(text, use) {
    const [at, length] = this.putText(text);
    const result = use(at, length);
    this.x.wasm_free(at);
    return result;
  }

  cString(at) {
    const memory = new Uint8Array(this.memory.buffer);
    return fromUtf8.decode(memory.slice(at, memory.indexOf(0, at)));
  }

  /** The bytes of a guest string, surrogates repaired. */
  stringBytes(value) {
    const lengthOut = this.x.wasm_malloc(4);
    const at = this.x.qjs_get_string_len(value, lengthOut);
    const bytes = repairSurrogates(this.bytes(at, this.view().getUint32(lengthOut, true)).slice());
    this.x.qjs_free_cstring(at);
    this.x.wasm_free(lengthOut);
    return bytes;
  }

  /** A copy of the bytes of a guest ArrayBuffer. */
  bufferBytes(value) {
    const lengthOut = this.x.wasm_malloc(4);
    const at = this.x.qjs_get_array_buffer(value, lengthOut);
    const bytes = this.bytes(at, this.view().getUint32(lengthOut, true)).slice();
    this.x.wasm_free(lengthOut);
    return bytes;
  }

  number(value) {
    return this.x.qjs_new_number(value);
  }

  undefinedValue() {
    return this.x.qjs_dup_value(this.x.qjs_get_undefined());
  }

  /** The host functions of the contract; each answers with a value of its own. */
  hostCall(namePointer, nameLength, count, argsPointer) {
    const name = fromUtf8.decode(this.bytes(namePointer, nameLength).slice());
    const arg = (i) => this.view().getUint32(argsPointer + 4 * i, true);
    const float = (i) => this.x.qjs_get_float64(arg(i));
    switch (name) {
      case 'write':
        this.out[float(0)].push(this.stringBytes(arg(1)));
        return this.undefinedValue();
      case 'writeBytes':
        this.out[float(0)].push(this.bufferBytes(arg(1)));
        return this.undefinedValue();
      case 'now':
        return this.number(Date.now());
      case 'monotonic':
        return this.number(performance.now());
      case 'sleepUntil':
        this.sleepUntil(float(0));
        return this.undefinedValue();
      case 'random':
        return this.randomBuffer(float(0));
      case 'exit':
        throw new Ended(float(0));
      case 'memoryUsed':
        return this.number(this.memory.buffer.byteLength);
      case 'gc':
        this.x.qjs_run_gc();
        return this.undefinedValue();
      case 'peek':
        return this.peek(arg(0));
      default:
        throw new Error(`no host function ${name}`);
    }
  }

  sleepUntil(due) {
    const wait = due - performance.now();
    if (wait > 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }

  randomBuffer(length) {
    const at = this.x.wasm_malloc(length || 1);
    randomFillSync(this.bytes(at, length));
    const buffer = this.x.qjs_new_array_buffer(at, length);
    this.x.wasm_free(at);
    return buffer;
  }

  /** `[state, value]` of a promise, `[3, target, handler]` of a proxy, undefined for the rest. */
  peek(value) {
    if (this.x.qjs_is_promise(value)) {
      const state = this.x.qjs_promise_state(value);
      return this.array([this.number(state), state === 0 ? this.undefinedValue() : this.x.qjs_promise_result(value)]);
    }
    if (this.x.qjs_is_proxy(value)) {
      const target = this.x.qjs_get_proxy_target(value);
      const revoked = !this.x.qjs_is_object(target);
      return this.array([this.number(3), revoked ? this.x.qjs_dup_value(this.x.qjs_get_null()) : target, this.x.qjs_get_proxy_handler(value)]);
    }
    return this.undefinedValue();
  }

  array(values) {
    const array = this.x.qjs_new_array();
    values.forEach((value, i) => {
      this.x.qjs_set_prop_uint32(array, i, value);
      this.x.qjs_free_value(value);
    });
    return array;
  }

  noteRejection(promise, reason, handled) {
    const identity = this.x.qjs_get_value_ptr(promise);
    if (handled) {
      this.rejections.delete(identity);
    } else {
      this.rejections.set(identity, [promise, reason]);
    }
  }

  moduleName(name) {
    return this.putText(this.cString(name))[0];
  }

  moduleSource(name, lengthOut) {
    const text = this.prelude.modules.get(this.cString(name));
    if (text === undefined) {
      return 0;
    }
    const [at, length] = this.putText(text);
    this.view().setUint32(lengthOut, length, true);
    return at;
  }

  evaluate(source, fileName, flags = 0) {
    return this.withText(source, (at, length) => this.withText(fileName, (file) => this.x.qjs_eval(at, length, file, flags)));
  }

  /**
   * The prelude as bytecode without source and debug data: its functions look native and have no file. It is compiled in an
   * instance of its own, so that the compiler's leftovers are not part of the image.
   */
  compilePrelude() {
    this.instantiate();
    this.x._initialize();
    this.x.qjs_init();
    const lengthOut = this.x.wasm_malloc(4);
    const code = this.withText(this.prelude.source, (at, length) =>
      this.withText('<prelude>', (file) => this.x.qjs_compile(at, length, file, 0, STRIP_SOURCE | STRIP_DEBUG, lengthOut)));
    if (code === 0) {
      throw new Error(`prelude does not compile: ${this.exceptionText()}`);
    }
    return this.bytes(code, this.view().getUint32(lengthOut, true)).slice();
  }

  evaluateBytecode(bytecode) {
    const at = this.x.wasm_malloc(bytecode.length);
    this.bytes(at, bytecode.length).set(bytecode);
    const result = this.x.qjs_eval_bytecode(at, bytecode.length);
    this.x.wasm_free(at);
    return result;
  }

  exceptionText() {
    const error = this.x.qjs_get_exception();
    return `${fromUtf8.decode(this.stringBytes(error))} ${fromUtf8.decode(this.stringBytes(this.property(error, 'stack')))}`;
  }

  property(object, name) {
    return this.withText(name, (at) => this.x.qjs_get_prop_string(object, at));
  }

  call(target, ...args) {
    const at = this.x.wasm_malloc(4 * args.length || 4);
    args.forEach((value, i) => this.view().setUint32(at + 4 * i, value, true));
    const result = this.x.qjs_call(target, this.x.qjs_get_undefined(), args.length, at);
    this.x.wasm_free(at);
    return result;
  }

  /** Starts the engine, runs the prelude and keeps memory, stack pointer and roots as the image of every run. */
  loadImage() {
    const bytecode = this.compilePrelude();
    this.instantiate();
    this.x._initialize();
    this.x.__stack_pointer.value = (this.x.wasm_malloc(LIMITS.stackBytes) + LIMITS.stackBytes) & ~15;
    if (this.x.qjs_init() !== 0) {
      throw new Error('the engine does not start');
    }
    this.x.qjs_set_max_stack_size(LIMITS.maxStack);
    this.x.qjs_set_memory_limit(LIMITS.memoryLimit);
    this.x.qjs_set_module_loader(1);
    this.x.qjs_set_promise_rejection_handler(1);
    this.defineHost();
    this.check(this.evaluateBytecode(bytecode), 'prelude');
    this.check(this.evaluate(this.prelude.install, '<modules>'), 'modules');
    this.drainJobs();
    if (this.rejections.size > 0) {
      throw new Error(`module: ${fromUtf8.decode(this.stringBytes([...this.rejections.values()][0][1]))}`);
    }
    const drive = this.property(this.x.qjs_get_global(), '__plimsoll_drive');
    const roots = { runTimers: this.property(drive, 'runTimers'), formatUncaught: this.property(drive, 'formatUncaught'),
      beginRun: this.property(drive, 'beginRun') };
    this.check(this.evaluate('delete globalThis.__plimsoll_drive', '<modules>'), 'drive');
    this.x.qjs_run_gc();
    this.image = { memory: trimZeros(new Uint8Array(this.memory.buffer)), pages: this.memory.buffer.byteLength / 65536,
      stack: this.x.__stack_pointer.value, runtime: this.x.qjs_get_runtime_ptr(), context: this.x.qjs_get_context_ptr(), roots };
  }

  check(result, what) {
    if (this.x.qjs_is_exception(result)) {
      throw new Error(`${what}: ${this.exceptionText()}`);
    }
  }

  defineHost() {
    const host = this.x.qjs_new_object();
    for (const name of ['write', 'writeBytes', 'now', 'monotonic', 'sleepUntil', 'random', 'exit', 'memoryUsed', 'gc', 'peek']) {
      const value = this.withText(name, (at, length) => this.x.qjs_new_host_function(at, length, 0));
      this.withText(name, (at) => this.x.qjs_set_prop_string(host, at, value));
    }
    const version = this.withText(this.cString(this.x.qjs_get_quickjs_version()), (at, length) => this.x.qjs_new_string(at, length));
    this.withText('engineVersion', (at) => this.x.qjs_set_prop_string(host, at, version));
    this.withText('__plimsoll', (at) => this.x.qjs_set_prop_string(this.x.qjs_get_global(), at, host));
  }

  restore() {
    this.instantiate();
    const missing = this.image.pages - this.memory.buffer.byteLength / 65536;
    if (missing > 0) {
      this.memory.grow(missing);
    }
    const memory = new Uint8Array(this.memory.buffer);
    memory.set(this.image.memory);
    memory.fill(0, this.image.memory.length);
    this.x.__stack_pointer.value = this.image.stack;
    this.x.qjs_set_runtime_and_context(this.image.runtime, this.image.context);
  }

  /** Runs pending jobs. Returns whether one threw; the exception is then pending. */
  drainJobs() {
    while (this.x.qjs_is_job_pending()) {
      if (this.x.qjs_execute_pending_job() < 0) {
        return true;
      }
    }
    return false;
  }

  uncaught(error) {
    const text = this.stringBytes(this.call(this.image.roots.formatUncaught, error));
    this.out[2].push(text, utf8.encode('\n'));
    return 1;
  }

  /** Runs one script to its end in a restored image. Returns `{exit, stdout, stderr}`, the texts as Buffers. */
  run(code) {
    this.restore();
    let exit;
    try {
      exit = this.runToEnd(code);
    } catch (error) {
      if (error instanceof Ended) {
        exit = error.exit;
      } else if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        exit = 134;
        if (this.out[2].length === 0) {
          this.out[2].push(utf8.encode(`guest aborted: ${error.message}\n`));
        }
      } else {
        throw error;
      }
    }
    return { exit, stdout: Buffer.concat(this.out[1]), stderr: Buffer.concat(this.out[2]) };
  }

  runToEnd(code) {
    this.call(this.image.roots.beginRun);
    if (this.x.qjs_is_exception(this.evaluate(code, '<cmdline>', FLAG_BACKTRACE_BARRIER))) {
      return this.uncaught(this.x.qjs_get_exception());
    }
    do {
      if (this.drainJobs()) {
        return this.uncaught(this.x.qjs_get_exception());
      }
    } while (this.x.qjs_get_bool(this.call(this.image.roots.runTimers)));
    for (const [, reason] of this.rejections.values()) {
      return this.uncaught(reason);
    }
    return 0;
  }
}
