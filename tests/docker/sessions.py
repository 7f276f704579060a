#!/usr/bin/env python3
"""Many calls over many sessions against a real engine, with what can go wrong in between (S87).

usage: sessions.py BIN_DIR CALLS [--runtime runc|runsc] [--seed NUMBER]

A session has ten calls, in order. Now and then a call's guest kills what it can or forks and stays, its caller leaves, or the container is
killed or removed under it. Every answer must be this call's own, every record the next of its chain, and what the close counts what was
seen; a file written by the first call must be there for all others. At the end no container, host directory, slot, place or descriptor of a
session is left. Prints what was counted; exit 1 when anything was not as it must be.
"""
import base64
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import world
from world import harness

CALLS_OF_A_SESSION = 10
CALLERS = 3
DECOYS = ["process.kill(-1, 'SIGKILL')", "process.exit(137)", "process.kill(process.pid, 'SIGSEGV')",
          "require('child_process').spawn('sleep', ['600'], {detached: true, stdio: 'ignore'}).unref()",
          "require('child_process').spawn('sleep', ['600'], {detached: true, stdio: 'inherit'}).unref()"]


def containers():
    listed = world.engine().json("GET", "/containers/json",
                                 query={"all": 1, "filters": json.dumps({"label": ["io.plimsoll.session"]})})
    return [one["Id"] for one in listed]


class Chain:
    """What a caller has seen of one session."""

    def __init__(self, opened):
        self.session, self.calls, self.last = opened["session"], 0, ""

    def takes(self, record):
        fits = (record["session"], int(record["sequence"]), record.get("previousSha256", "")) == \
            (self.session, self.calls + 1, self.last)
        self.calls, self.last = int(record["sequence"]), record["recordSha256"]
        return fits


class Callers:
    """Threads that share one budget of calls."""

    def __init__(self, daemon, calls, seed):
        self.daemon, self.left, self.lock = daemon, calls, threading.Lock()
        self.counts = {"sessions": 0, "answered": 0, "unanswered": 0, "left by their caller": 0, "ended early": 0, "opens harmed": 0}
        self.faults = []
        self.threads = [threading.Thread(target=self.live, args=(random.Random(f"{seed}-{i}"), i)) for i in range(CALLERS)]
        for thread in self.threads:
            thread.start()

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def live(self, chance, number):
        try:
            while self.take():
                self.session(chance, number)
        except Exception as error:
            self.fault(f"caller {number}: {error!r}")

    def session(self, chance, number):
        opened = self.daemon.call("OpenSession", {"protocol": 5, "owner": f"owner-{number}"})
        if opened.status != 200 and opened.reason == "environment":
            return self.count("opens harmed")  # the container it made was killed or removed
        if opened.status != 200:
            return self.fault(f"an open was refused: {opened.text}")
        opened = opened.json
        self.count("sessions")
        chain, lost = Chain(opened), False
        for turn in range(CALLS_OF_A_SESSION):
            if turn > 0 and not self.take():
                break
            outcome = self.call(chance, opened, chain, f"{number}-{turn}-{chance.random()}", turn)
            lost = lost or outcome == "lost"
            if outcome != "goes on":
                break
        closed = self.daemon.call("CloseSession", {"protocol": 5, "sessionId": opened["sessionId"]})
        if closed.status != 200:
            return self.fault(f"a close failed: {closed.text}")
        closed = closed.json
        seen = (int(closed.get("calls", 0)), closed.get("lastRecordSha256", ""))
        if not lost and seen != (chain.calls, chain.last):
            self.fault(f"a close counts {seen}, seen were {(chain.calls, chain.last)}")

    def call(self, chance, opened, chain, word, turn):
        """One call: `goes on`, `ended`, or `lost` when nobody heard its answer."""
        decoy = chance.choice(DECOYS) if chance.random() < 0.3 else ""
        file = "require('fs').writeFileSync('first', 'x')" if turn == 0 else "require('fs').readFileSync('first')"
        message = {"protocol": 5, "sessionId": opened["sessionId"],
                   "javascript": {"code": f"{file}; require('fs').writeSync(1, '{word}'); {decoy}"}}
        if chance.random() < 0.03:
            return self.leave(message)
        harm = None
        if chance.random() < 0.03:
            harm = threading.Thread(target=self.harm, args=(chance.random() * 0.1, chance.random() < 0.5))
            harm.start()
        answer = self.daemon.call("SessionRun", message)
        if harm:
            harm.join()
        return self.judge(answer, chain, word)

    def leave(self, message):
        """Sends a call and goes away at once."""
        connection = http.client.HTTPConnection(*self.daemon.address, timeout=30)
        connection.request("POST", harness.SERVICE + "SessionRun", json.dumps(message), {"Content-Type": "application/json"})
        connection.close()
        self.count("left by their caller")
        return "lost"

    @staticmethod
    def harm(pause, remove):
        """Kills or removes one container, whosever it is."""
        time.sleep(pause)
        found = containers()
        try:
            if found and remove:
                world.engine().call("DELETE", f"/containers/{random.choice(found)}", query={"force": 1})
            elif found:
                world.engine().call("POST", f"/containers/{random.choice(found)}/kill")
        except Exception:
            pass  # it is gone, or being removed

    def judge(self, answer, chain, word):
        body = answer.json
        if answer.status == 200:
            self.count("answered")
            printed = base64.b64decode(body["run"]["javascript"].get("stdout", "")).decode()
            if printed != word:
                self.fault(f"printed {printed!r} for {word!r}: {answer.text}")
            if not chain.takes(body["run"]["record"]):
                self.fault(f"a record is not the next of its chain: {answer.text}")
            if "ended" not in body:
                return "goes on"
            self.count("ended early")
            return "ended"
        told = {one["type"]: one["debug"] for one in body.get("details", [])}
        unanswered = told.get("plimsoll.v1.UnansweredCall")
        if unanswered:
            self.count("unanswered")
            if not chain.takes(unanswered["record"]) or answer.reason is not None:
                self.fault(f"an unanswered call is not the next of its chain: {answer.text}")
        elif answer.reason is None:
            self.fault(f"an error is neither marked nor counted: {answer.text}")
        if "plimsoll.v1.SessionEnded" in told:
            self.count("ended early")
            return "ended"
        return "goes on"


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def run(runtime, calls, seed):
    faults, began = [], time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o711)
        more = {"TMPDIR": root, "SANDBOX_RUN_POOL": "0", "SANDBOX_MAX_CONCURRENT": "8", "SANDBOX_MAX_SESSIONS": "6",
                "SANDBOX_MAX_SESSIONS_PER_OWNER": "2", "SANDBOX_SESSION_IDLE": "2s"}
        with world.DockerDaemon(world.settings(runtime, **more)) as daemon:
            daemon.listening()
            for _ in range(2):  # what is made once is there before it is counted
                Callers(daemon, CALLERS * 2, 0).threads[0].join()
            harness.until(lambda: daemon.metric("plimsoll_inflight") == 0, "the first sessions to be gone")
            at_first = descriptors(daemon.process.pid)
            callers = Callers(daemon, calls, seed)
            for thread in callers.threads:
                thread.join()
            try:
                harness.until(lambda: daemon.metric("plimsoll_inflight") == 0 and not containers(), "everything to be gone")
            except AssertionError as error:
                faults.append(f"{error}: {daemon.metric('plimsoll_inflight')} slots, {len(containers())} containers")
            at_last = descriptors(daemon.process.pid)
            if at_last > at_first + 8:  # connections to the engine that are kept
                faults.append(f"{at_first} descriptors became {at_last}")
            counts, found = callers.counts, callers.faults
        faults += found
        faults += [f"left in TMPDIR: {p.name}" for p in Path(root).iterdir() if p.name.startswith("plimsoll-host-")]
    done = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"sessions {runtime}: {calls} calls, seed {seed}: {done}; {len(faults)} faults; {time.monotonic() - began:.0f} s")
    return faults


if __name__ == "__main__":
    sys.exit(world.long_run(__doc__, "calls", run))
