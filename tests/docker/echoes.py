#!/usr/bin/env python3
"""Snippets that print what they were given, against a real engine, one reader of their answers slow: no byte is lost, and what the
daemon and the engine hold afterwards is what they held after the first hundred (P70, XB4).

usage: echoes.py BIN_DIR RUNS [--runtime runc|runsc]

A figure is taken once the first hundred have ended and again 60 s after the last: descriptors and threads of the daemon and
containers on the engine are equal, its resident memory is at most a tenth more. Prints both figures and, last, what was counted.
Exit 1 when anything was not as it must be.
"""
import base64
import collections
import http.client
import json
import random
import sys
import threading
import time
from pathlib import Path

import world
from world import containers, harness

FIRST = 100  # runs, from the statement
REST = 60  # seconds, from the statement
SLOW = [False, False, False, True]  # one caller each
POOL = 2
SIZES = [0, 1, 100, 4096, 40000, 65536]  # bytes; the last is the most that is kept
Figures = collections.namedtuple("Figures", "descriptors threads containers memory_kib")


def figures(daemon):
    process = Path("/proc") / str(daemon.process.pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Figures(len(list((process / "fd").iterdir())), int(status["Threads"]), len(containers()),
                   int(status["VmRSS"].split()[0]))


def quiet(daemon):
    """Figures once no run's container is being removed and the pool is full again."""
    harness.until(lambda: len(containers()) == POOL, f"the engine to hold {POOL} waiting containers")
    time.sleep(5)  # connections that are idle end
    return figures(daemon)


def made(chance):
    """Bytes of a random size, and code that prints them; what repeats is not in the code twice."""
    size = chance.choice(SIZES)
    unit = chance.randbytes(max(1, min(size, 2000)))
    code = f"const unit = Buffer.from('{base64.b64encode(unit).decode()}', 'base64');" \
           f"process.stdout.write(Buffer.alloc({size}, unit));"
    return (unit * (size // len(unit) + 1))[:size], code


def ask(address, code, slow):
    """The answer to one snippet; a slow reader takes 4 KiB at a time with pauses. A refusal for want of a slot is asked again: slots
    are held until the sandboxes of earlier runs are gone."""
    connection = http.client.HTTPConnection(*address, timeout=120)
    try:
        while True:
            connection.request("POST", harness.SERVICE + "Run", json.dumps({"protocol": 5, "javascript": {"code": code}}),
                               {"Content-Type": "application/json"})
            response = connection.getresponse()
            body = b""
            while chunk := response.read(4096 if slow else 1 << 20):
                body += chunk
                if slow:
                    time.sleep(0.01)
            answer = harness.Answer(response, body)
            if answer.reason != "capacity":
                return answer
            time.sleep(0.05)
    finally:
        connection.close()


def send(daemon, numbers, slow, faults):
    """One caller: takes numbers until there are none."""
    for number in numbers:
        data, code = made(random.Random(number))
        try:
            answer = ask(daemon.address, code, slow)
            back = base64.b64decode(answer.json["javascript"].get("stdout", ""))
            if back != data:
                faults.append(f"run {number}: {len(data)} bytes sent, {len(back)} came back")
        except (OSError, KeyError, ValueError) as error:
            faults.append(f"run {number}: {error!r}")


def send_all(daemon, numbers):
    faults, lock, source = [], threading.Lock(), iter(numbers)

    def taken():
        while True:
            with lock:
                number = next(source, None)
            if number is None:
                return
            yield number

    threads = [threading.Thread(target=send, args=(daemon, taken(), slow, faults)) for slow in SLOW]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def grown(before, after):
    faults = []
    if after[:3] != before[:3]:
        faults.append(f"{before} became {after}")
    if after.memory_kib > before.memory_kib * 1.1:
        faults.append(f"memory grew from {before.memory_kib} to {after.memory_kib} KiB")
    return faults


def echoes(runtime, runs):
    if containers():
        return ["containers of other daemons are on the engine: their number cannot be told from ours"]
    more = {"SANDBOX_RUN_POOL": str(POOL), "SANDBOX_MAX_CONCURRENT": str(2 * len(SLOW))}
    with world.DockerDaemon(world.settings(runtime, **more)) as daemon:
        daemon.listening()
        start = time.monotonic()
        faults = send_all(daemon, range(FIRST))
        before = quiet(daemon)
        print(f"after {FIRST} runs: {before}", flush=True)
        faults += send_all(daemon, range(FIRST, runs))
        took = time.monotonic() - start
        time.sleep(REST)
        after = figures(daemon)
        faults += grown(before, after)
        daemon.stop()
    if containers():
        faults.append(f"{len(containers())} containers left after the daemon stopped")
    print(f"echoes {runtime}: {runs} runs in {took:.0f} s, {len(faults)} faults; after {FIRST} runs and {REST} s after the last: descriptors "
          f"{before.descriptors}, {after.descriptors}; threads {before.threads}, {after.threads}; containers {before.containers}, "
          f"{after.containers}; memory {before.memory_kib}, {after.memory_kib} KiB")
    return faults


if __name__ == "__main__":
    sys.exit(world.long_run(__doc__, "runs", lambda runtime, runs, _: echoes(runtime, runs)))
