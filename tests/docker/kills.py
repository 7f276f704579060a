#!/usr/bin/env python3
"""A daemon under load against a real engine, ended by SIGKILL at a random moment, so often (P65, D60).

usage: kills.py BIN_DIR ROUNDS [--runtime runc|runsc] [--seed NUMBER]

What the daemon leaves must stay until five minutes past the first label, and be gone after one reaper pass that stands a second later
than that past the last; a second daemon's live containers, a few seconds younger, must stay. Prints one line a round and, last, what
was counted. Exit 1 when anything was not as it must be.
"""
import base64
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import world
from world import containers, harness


def reap(root, now):
    out = subprocess.run([str(harness.BIN_DIR / "docker-reap-once"), world.engine().path, root, str(int(now))],
                         check=True, capture_output=True, text=True).stdout.split()
    return int(out[0]), int(out[1])


def processes_of(ids):
    """Host processes whose cgroup names one of the containers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cgroup").read_text()
        except OSError:
            continue
        if any(i in text for i in ids):
            found.append(folder.name)
    return found


class Load:
    """Callers that send snippets and projects until told to stop; errors are what a killed daemon gives."""

    def __init__(self, daemon, callers=4):
        self.stop, self.answered, self.wrong = threading.Event(), 0, []
        self.threads = [threading.Thread(target=self.call, args=(daemon, i), daemon=True) for i in range(callers)]
        for thread in self.threads:
            thread.start()

    def call(self, daemon, number):
        turn = 0
        while not self.stop.is_set():
            word = f"{number}-{turn}"
            turn += 1
            try:
                if turn % 3:
                    answer = daemon.snippet(f"console.log('{word}')").json
                    printed = base64.b64decode(answer["javascript"].get("stdout", "")) if "javascript" in answer else None
                else:
                    answer = daemon.project([f"echo {word}"]).json
                    printed = base64.b64decode(answer["project"]["steps"][0]["stdout"]) if "project" in answer else None
            except (OSError, ValueError, EOFError):
                time.sleep(0.05)
                continue
            except Exception as error:  # http.client's own errors: the daemon is gone
                if type(error).__module__ != "http.client":
                    self.wrong.append(repr(error))
                continue
            if printed is not None:
                self.answered += 1
                if printed != word.encode() + b"\n":
                    self.wrong.append(f"{word}: {printed!r}")

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)


AFTER = 5 * 60  # seconds past its label after which a container that nobody holds may go


def killed_under_load(runtime, root, chance):
    """One daemon from start to SIGKILL at a random moment under load. Returns (answers, faults)."""
    more = {"TMPDIR": root, "SANDBOX_RUN_POOL": "2", "SANDBOX_MAX_CONCURRENT": "4"}
    with world.DockerDaemon(world.settings(runtime, **more)) as daemon:
        daemon.listening()
        load = Load(daemon)
        time.sleep(chance.uniform(0.2, 2.5))
        daemon.process.kill()
        daemon.process.wait(20)
        load.end()
    return load.answered, load.wrong


def settled():
    """The containers, once no create that was under way when its daemon died can still come."""
    before, still = containers(), 0
    while still < 3:
        time.sleep(1)
        now = containers()
        still = still + 1 if now == before else 0
        before = now
    return before


def renewed(second, old, left):
    """Makes the second daemon use its waiting container `old`, and waits until that is gone and a younger one is in its place."""
    answer = second.snippet("console.log('second')")
    assert answer.status == 200, answer.text
    deadline = time.monotonic() + 60
    while True:
        now = containers()
        fresh = {i: at for i, at in now.items() if i not in old and i not in left}
        if len(fresh) == 1 and not old & set(now):
            return fresh
        assert time.monotonic() < deadline, f"the second daemon has {len(fresh)} containers"
        time.sleep(0.1)


def judge(root, left, live):
    """The passes of the reaper after one kill: `left` is the dead daemon's, `live` the second one's."""
    faults = []
    everything = {**left, **live}
    for what, now in (("at once", time.time()), ("at the edge", min(everything.values()) + AFTER)):
        if reap(root, now)[0] != 0:
            faults.append(f"a container was removed {what}, before its time")
    removed = reap(root, max(left.values(), default=time.time()) + AFTER + 1)[0]
    now = containers()
    if removed != len(left) or any(i in now for i in left):
        faults.append(f"{removed} of {len(left)} leftovers were removed")
    if any(i not in now for i in live):
        faults.append("a live container of the second daemon was removed")
    if processes_of(left):
        faults.append("processes of a removed container live")
    directories = [p.name for p in Path(root).iterdir() if p.name.startswith("plimsoll-host-")]
    if directories:
        faults.append(f"host directories left: {directories}")
    return faults


def kills(runtime, rounds, seed):
    """A second daemon on the same engine lives through all rounds."""
    chance = random.Random(seed)
    answers, faults = 0, []
    if containers():
        return [f"{len(containers())} containers of other daemons are on the engine: a reaper with a clock ahead of its time would remove them"]
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as other_root:
        os.chmod(root, 0o700)
        with world.DockerDaemon(world.settings(runtime, TMPDIR=other_root, SANDBOX_RUN_POOL="1")) as second:
            second.listening()
            for number in range(rounds):
                before = set(settled())  # the second daemon's
                answered, found = killed_under_load(runtime, root, chance)
                left = {i: at for i, at in settled().items() if i not in before}
                live = renewed(second, before, left)
                found = found + judge(root, left, live)
                answers += answered
                faults += [f"round {number + 1}: {f}" for f in found]
                print(f"round {number + 1} of {rounds}: {answered} answers, {len(left)} left behind, {len(found)} faults", flush=True)
            second.stop()
    if containers():
        faults.append("the second daemon left containers behind when it stopped")
    print(f"kills {runtime}: {rounds} rounds, seed {seed}, {answers} answers, {len(faults)} faults")
    return faults


if __name__ == "__main__":
    sys.exit(world.long_run(__doc__, "rounds", kills))
