// setTimeout, setInterval and their clear pair: real waiting, due order, equal due times in the order they were set.
// A callback runs as a job of the engine, not as a call from here: its stack holds no frame of the prelude, and what it
// throws is uncaught like anything thrown in a job.

const MAX_DELAY = 2147483647;

const timers = new GuestMap();
let timerHeap = [];
let lastTimerId = 0;

/** Whether timer `a` is due before timer `b`. */
function firesBefore(a, b) {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

let timerOrder = 0;

function pushTimer(timer) {
  timer.order = timerOrder++;
  let at = timerHeap.length;
  append(timerHeap, timer);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!firesBefore(timer, timerHeap[parent])) {
      break;
    }
    timerHeap[at] = timerHeap[parent];
    at = parent;
  }
  timerHeap[at] = timer;
}

function popTimer() {
  const first = timerHeap[0];
  const last = timerHeap[timerHeap.length - 1];
  timerHeap.length--;
  const size = timerHeap.length;
  if (size === 0) {
    return first;
  }
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && firesBefore(timerHeap[child + 1], timerHeap[child])) {
      child++;
    }
    if (!firesBefore(timerHeap[child], last)) {
      break;
    }
    timerHeap[at] = timerHeap[child];
    at = child;
  }
  timerHeap[at] = last;
  return first;
}

/** A delay as the guest gave it, in whole milliseconds from 1 to 2^31 - 1; anything else is 1, as in Node. */
function timerDelay(value) {
  const delay = +value;
  return delay >= 1 && delay <= MAX_DELAY ? trunc(delay) : 1;
}

/** Registers a timer; `again` says whether it repeats. Returns its id, a positive integer. */
function startTimer(caller, callback, delay, again, args) {
  if (typeof callback !== 'function') {
    const error = new GuestTypeError('The "callback" argument must be of type function');
    throwFrom(error, caller);
  }
  const wait = timerDelay(delay);
  const timer = { __proto__: null, id: ++lastTimerId, due: hostMonotonic() + wait, order: 0, wait, again, callback, args };
  mapSet(timers, timer.id, timer);
  pushTimer(timer);
  return timer.id;
}

/** Forgets a timer. It stays in the heap until due and is skipped there. */
function clearTimer(id) {
  mapDelete(timers, typeof id === 'string' ? +id : id);
}

/**
 * Waits for the next timer due and makes its callback a pending job. Returns false when no timer is left. The engine calls
 * it when no job is pending, and then runs jobs again.
 */
function runTimers() {
  while (timerHeap.length > 0) {
    const timer = popTimer();
    if (mapGet(timers, timer.id) !== timer) {
      continue;
    }
    hostSleepUntil(timer.due);
    const { callback, args } = timer;
    if (timer.again) {
      timer.due = max(timer.due + timer.wait, hostMonotonic());
      pushTimer(timer);
    } else {
      mapDelete(timers, timer.id);
    }
    enqueueJob(args.length === 0 ? callback : callbackWith(callback, args));
    return true;
  }
  return false;
}

/** The callback bound to its arguments, without a frame of ours between the engine and it. */
function callbackWith(callback, args) {
  const bound = [undefined];
  for (let i = 0; i < args.length; i++) {
    append(bound, args[i]);
  }
  return apply(FunctionBind, callback, bound);
}

const timerFunctions = {
  setTimeout(callback, delay, ...args) {
    return startTimer(setTimeout, callback, delay, false, args);
  },
  setInterval(callback, delay, ...args) {
    return startTimer(setInterval, callback, delay, true, args);
  },
  clearTimeout(id) {
    clearTimer(id);
  },
  clearInterval(id) {
    clearTimer(id);
  },
};
const { setTimeout, setInterval, clearTimeout, clearInterval } = timerFunctions;
