// The host functions the engine offers. The global object that carries them is gone before a guest could see it.

const host = globalThis.__plimsoll;
delete globalThis.__plimsoll;

const hostWrite = host.write;
const hostWriteBytes = host.writeBytes;
const hostNow = host.now;
const hostMonotonic = host.monotonic;
const hostSleepUntil = host.sleepUntil;
const hostRandom = host.random;
const hostExit = host.exit;
const hostMemoryUsed = host.memoryUsed;

/**
 * What no JavaScript can learn about an object: `[state, value]` for a promise (0 pending, 1 fulfilled, 2 rejected),
 * `[3, target, handler]` for a proxy (target null once revoked), undefined for everything else. An engine without it
 * shows promises as pending and proxies through their traps.
 */
const hostPeek = host.peek || (() => undefined);

/** Runs the engine's collector; an engine without it does nothing when asked. */
const hostCollect = host.gc || (() => {});

/** The version of the engine, for navigator.userAgent. */
const engineVersion = host.engineVersion || '0.17.0';

const STDOUT = 1;
const STDERR = 2;
