"""The three soaks of a running daemon. Each raises AssertionError where a promise is broken and gives a summary where all hold."""
import contextlib
import os
import random
import signal
import threading
import time
from dataclasses import dataclass

import processes
from harness import Daemon, bearer, clients_file, until
from load import Callers, Tally

LANES = 4  # connections of each caller: the two together keep twice as many runs under way as the daemon has by default
TOKENS = {"alice": "alice-token", "bob": "bob-token"}
GROWTH = 1.10  # resident memory may grow by a tenth after the warm-up
TURNS = 20_000  # of a loop: under kills a snippet takes up to a few milliseconds, so that many kills meet one
BURST = 3  # workers killed at once at most
CAP_MIB = 256  # SANDBOX_MEMORY_MB of wasm by default
SLACK_MIB = 64  # P9: what a worker may hold beside its guest's memory

# Takes memory until the engine refuses, and starts again, until its time is up.
ALLOCATING = "for (;;) { try { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)); } catch {} }"


class SoakedDaemon(Daemon):
    """A daemon that two callers may use without a rate. Counts the audit lines and keeps every other line."""

    def __init__(self, clients):
        self.completed = 0
        self.failed = 0
        super().__init__({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": clients, "SANDBOX_RATE_PER_MIN": "0",
                          "SANDBOX_MAX_CONCURRENT": "16", "SANDBOX_PER_KEY_CONCURRENT": "8"})
        self.listening()

    def take(self, line):
        if '"msg":"code run"' in line:
            self.completed += 1
        elif '"msg":"code run failed"' in line:
            self.failed += 1
        else:
            super().take(line)

    @property
    def audited(self):
        return self.completed + self.failed

    @property
    def pid(self):
        return self.process.pid


@contextlib.contextmanager
def soaked():
    with clients_file({name: (token, ["code:run"]) for name, token in TOKENS.items()}) as path, SoakedDaemon(path) as daemon:
        yield daemon


def check_answers(daemon, tally, asked, asked_in_all):
    """Nothing lost, doubled or another's: each request has one answer, one count of a run and one audit line."""
    examples = "\n".join(tally.examples)
    assert (tally.refused, tally.wrong, tally.lost) == (0, 0, 0), f"{tally}\n{examples}"
    assert tally.asked == asked, f"{asked} requests, {tally}"
    daemon.await_metric("plimsoll_inflight", 0)
    assert daemon.metric("plimsoll_runs_total") == asked_in_all, (daemon.metric("plimsoll_runs_total"), asked_in_all)
    until(lambda: daemon.audited >= asked_in_all, "the audit line of every run")
    assert daemon.audited == asked_in_all, (daemon.audited, asked_in_all)


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def settle(daemon):
    """Kills the idle workers; the descriptors of the daemon once the pool has its fresh workers back, and nothing else."""
    for worker in processes.workers(daemon.pid):
        kill(worker)
    seen = []

    def steady():
        seen.append((tuple(sorted(processes.workers(daemon.pid))), processes.descriptors(daemon.pid)))
        return len(seen) > 10 and len(set(seen[-10:])) == 1 and len(seen[-1][0]) == len(os.sched_getaffinity(0))

    until(steady, "the pool to have one fresh worker a core")
    until(lambda: processes.zombies(daemon.pid) == [], "every ended worker to be waited for")
    return processes.descriptors(daemon.pid)


def stop(daemon):
    assert daemon.stop() == 0, "the daemon did not stop cleanly"


@dataclass(frozen=True)
class Mark:
    """What the daemon held once so many runs had ended."""
    runs: int
    memory: processes.Memory
    threads: int
    descriptors: int  # with only the pool's fresh workers left

    def __str__(self):
        workers = self.memory.workers
        return (f"{self.runs:,} runs: daemon {self.memory.daemon:,} KiB, {self.threads} threads, {self.descriptors} descriptors; "
                f"{len(workers)} workers {sum(workers):,} KiB (largest {self.memory.largest_worker:,})")


def runs(marks, tell=lambda _: None):
    """Checked runs, with what the daemon holds at each of `marks`; the first one ends the warm-up. (marks, seconds)"""
    began = time.monotonic()
    taken = []
    with soaked() as daemon, Callers(daemon.address, TOKENS.values(), LANES) as callers:
        done = 0
        for runs_by_then in marks:
            check_answers(daemon, callers.run(runs_by_then - done), runs_by_then - done, runs_by_then)
            done = runs_by_then
            memory = processes.memory(daemon.pid)
            taken.append(Mark(done, memory, processes.threads(daemon.pid), settle(daemon)))
            tell(taken[-1])
        stop(daemon)
    check_growth(taken[0], taken[-1])
    return taken, time.monotonic() - began


def check_growth(first, last):
    assert last.memory.daemon <= first.memory.daemon * GROWTH, f"the daemon grew: {first}; {last}"
    assert last.memory.largest_worker <= first.memory.largest_worker * GROWTH, f"the workers grew: {first}; {last}"
    assert (last.threads, last.descriptors) == (first.threads, first.descriptors), f"{first}; {last}"


class Killer:
    """Kills random workers at random moments inside its block: idle, busy or still starting. Five starts that fail in a row would open
    the breaker (POOL-8, which has tests of its own): between two bursts the killed are gone and a run ends, which ends the row."""

    def __init__(self, daemon, seed):
        self.daemon = daemon
        self.random = random.Random(seed)
        self.killed = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _kill(self):
        while self._wait_for_a_run():
            alive = processes.workers(self.daemon.pid)
            victims = self.random.sample(alive, min(len(alive), self.random.randint(1, BURST)))
            for victim in victims:
                kill(victim)
            self.killed += len(victims)
            while not self._ended.wait(self.random.uniform(0.001, 0.01)) and processes.children(self.daemon.pid).keys() & set(victims):
                pass

    def _wait_for_a_run(self):
        """Waits until a run has ended in the pool since this call; False when the block ends first. Of the runs that are told as complete
        later, only those under way now can have ended before."""
        enough = self.daemon.completed + LANES * len(TOKENS) + 1
        while not self._ended.wait(self.random.uniform(0.001, 0.01)):
            if self.daemon.completed >= enough:
                return True
        return False


def check_recovered(daemon, descriptors):
    """The pool serves again, and nothing of the killed workers is left."""
    assert daemon.request("GET", "/healthz").status == 200
    assert daemon.request("GET", "/readyz").status == 200
    after = settle(daemon)
    assert after == descriptors, f"{descriptors} descriptors before the kills, {after} after"


def kills(rounds, runs_each, seed=1):
    """Rounds of checked runs under kills; each must leave a daemon that is as before. (tally, workers killed, seconds)"""
    began = time.monotonic()
    total, killed, asked = Tally(), 0, 0
    with soaked() as daemon, Callers(daemon.address, TOKENS.values(), LANES) as callers:
        asked += 200
        check_answers(daemon, callers.run(asked), asked, asked)
        descriptors = settle(daemon)
        for number in range(rounds):
            with Killer(daemon, seed + number) as killer:
                tally = callers.run(runs_each, TURNS)
            asked += runs_each
            check_answers(daemon, tally, runs_each, asked)
            check_recovered(daemon, descriptors)
            assert daemon.run("console.log(6 * 7)", bearer(TOKENS["alice"])).stdout == "42\n"
            asked += 1
            total, killed = total + tally, killed + killer.killed
        assert daemon.metric("plimsoll_runs_failed_total") == total.fault
        stop(daemon)
    assert killed > 0 and total.fault > 0, f"{killed} workers killed, {total}: no kill met a run"
    return total, killed, time.monotonic() - began


def allocating(runs_at_once=2):
    """Guests that take all the memory they can get. (largest worker in KiB, growth of the daemon in KiB)"""
    with soaked() as daemon:
        header = bearer(TOKENS["alice"])
        assert daemon.run("1", header).status == 200
        before = processes.resident(daemon.pid)
        answers = []
        guests = [threading.Thread(target=lambda: answers.append(daemon.run(ALLOCATING, header, timeoutMs=3000)))
                  for _ in range(runs_at_once)]
        for guest in guests:
            guest.start()
        largest = 0
        while any(guest.is_alive() for guest in guests):
            largest = max(largest, processes.memory(daemon.pid).largest_worker)
            time.sleep(0.002)
        growth = processes.resident(daemon.pid) - before
        assert [answer.json["javascript"]["exitCode"] for answer in answers] == [124] * runs_at_once, [a.text for a in answers]
        stop(daemon)
    assert largest > CAP_MIB * 1024 // 2, f"the guests took {largest} KiB only: they do not test the cap"
    assert largest < (CAP_MIB + SLACK_MIB) * 1024, f"a worker reached {largest} KiB under a cap of {CAP_MIB} MiB"
    assert growth < 4096, f"the daemon grew by {growth} KiB"
    return largest, growth
