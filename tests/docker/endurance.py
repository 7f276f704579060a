#!/usr/bin/env python3
"""Many runs against a real engine: what the daemon and the engine hold afterwards is what they held after the first hundred (P70).

usage: endurance.py BIN_DIR RUNS [--runtime runc|runsc]

Four callers send snippets, and a project every fifth time. A figure is taken once the first hundred have ended and again 60 s after
the last: descriptors and threads of the daemon and containers on the engine are equal, its resident memory at most a tenth more.
Prints both figures and, last, what was counted. Exit 1 when anything was not as it must be.
"""
import argparse
import collections
import sys
import threading
import time
from pathlib import Path

import world
from world import containers, harness

FIRST = 100  # runs, from the statement
REST = 60  # seconds, from the statement
CALLERS = 4
Figures = collections.namedtuple("Figures", "descriptors threads containers memory_kib")


def figures(daemon):
    process = Path("/proc") / str(daemon.process.pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Figures(len(list((process / "fd").iterdir())), int(status["Threads"]), len(containers()),
                   int(status["VmRSS"].split()[0]))


def quiet(daemon, pool):
    """Figures once no run's container is being removed and the pool is full again."""
    harness.until(lambda: len(containers()) == pool, f"the engine to hold {pool} waiting containers")
    time.sleep(5)  # connections to the engine and callers' connections that are idle end
    return figures(daemon)


def send(daemon, numbers, faults):
    """One caller: takes numbers until there are none."""
    for number in numbers:
        word = f"run-{number}"
        try:
            answer = ask(daemon, number, word)
            result = answer.json["javascript"] if number % 5 else answer.json["project"]["steps"][0]
            if world.raw(result, "stdout") != word + "\n":
                faults.append(f"{word}: {result}")
        except (OSError, KeyError, ValueError) as error:
            faults.append(f"{word}: {error!r}")


def ask(daemon, number, word):
    """The answer to one run, asked for again while the sandboxes of runs before it are still being removed: they hold slots."""
    while True:
        answer = daemon.snippet(f"console.log('{word}')") if number % 5 else daemon.project([f"echo {word}"])
        if answer.reason != "capacity":
            return answer
        time.sleep(0.05)


def send_all(daemon, numbers):
    faults, lock, source = [], threading.Lock(), iter(numbers)

    def taken():
        while True:
            with lock:
                number = next(source, None)
            if number is None:
                return
            yield number

    threads = [threading.Thread(target=send, args=(daemon, taken(), faults)) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def endure(runtime, runs, pool=2):
    if containers():
        return ["containers of other daemons are on the engine: their number cannot be told from ours"]
    more = {"SANDBOX_RUN_POOL": str(pool), "SANDBOX_MAX_CONCURRENT": str(2 * CALLERS)}
    with world.DockerDaemon(world.settings(runtime, **more)) as daemon:
        daemon.listening()
        start = time.monotonic()
        faults = send_all(daemon, range(FIRST))
        before = quiet(daemon, pool)
        print(f"after {FIRST} runs: {before}", flush=True)
        faults += send_all(daemon, range(FIRST, runs))
        took = time.monotonic() - start
        time.sleep(REST)
        after = figures(daemon)
        print(f"{REST} s after {runs} runs: {after}", flush=True)
    if after[:3] != before[:3]:
        faults.append(f"{before} became {after}")
    if after.memory_kib > before.memory_kib * 1.1:
        faults.append(f"memory grew from {before.memory_kib} to {after.memory_kib} KiB")
    print(f"endurance {runtime}: {runs} runs in {took:.0f} s, {len(faults)} faults; after {FIRST} runs and at the end: descriptors "
          f"{before.descriptors}, {after.descriptors}; threads {before.threads}, {after.threads}; containers {before.containers}, "
          f"{after.containers}; memory {before.memory_kib}, {after.memory_kib} KiB")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir")
    parser.add_argument("runs", type=int)
    parser.add_argument("--runtime", default="runc", choices=sorted(world.RUNTIMES))
    arguments = parser.parse_args()
    harness.BIN_DIR = Path(arguments.bin_dir).resolve()
    faults = endure(arguments.runtime, arguments.runs)
    for fault in faults:
        print("fault:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
