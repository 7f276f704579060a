// Stand-in until the prelude is written: console, timers and the text of uncaught exceptions.
(() => {
  const host = globalThis.__plimsoll;
  delete globalThis.__plimsoll;
  const line = (fd) => (...parts) => { host.write(fd, parts.map(String).join(' ') + '\n'); };
  const out = line(1), error = line(2);
  globalThis.console = { log: out, info: out, debug: out, error, warn: error, trace: error };
  globalThis.print = out;
  globalThis.gc = () => host.gc();
  let timers = [], next = 1;
  const add = (repeat) => (callback, ms = 0, ...args) => {
    timers.push({ id: next, due: host.monotonic() + Math.max(0, +ms || 0), every: repeat ? +ms || 0 : -1, callback, args });
    return next++;
  };
  globalThis.setTimeout = add(false);
  globalThis.setInterval = add(true);
  globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers = timers.filter((timer) => timer.id !== id); };
  globalThis.__plimsoll_drive = {
    runTimers() {
      if (timers.length === 0) return false;
      timers.sort((a, b) => a.due - b.due || a.id - b.id);
      const timer = timers.shift();
      host.sleepUntil(timer.due);
      if (timer.every >= 0) timers.push({ ...timer, due: timer.due + timer.every });
      timer.callback(...timer.args);
      return true;
    },
    formatUncaught(value) {
      return value instanceof Error ? `${value.name}: ${value.message}\n${value.stack}` : `Uncaught ${String(value)}\n`;
    },
  };
})();
