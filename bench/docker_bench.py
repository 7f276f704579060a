#!/usr/bin/env python3
"""Measures runs behind the docker walls beside `docker run --rm` of the same image and runtime, in one go, and writes the table.

usage: docker_bench.py BIN_DIR [--page FILE] [--json FILE] [--paced N] [--cold N]

PLIMSOLL_TEST_DOCKER_HOST names the engine. Rows of one runtime are measured after one another, the two kinds of a comparison
in turns, so that a slow minute of the machine slows both.
"""
import argparse
import base64
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/docker"))
import world  # noqa: E402
from world import harness  # noqa: E402

SNIPPET = "console.log(6 * 7)"
TARGETS = {"runc": {"pool": 10.0, "project": 30.0}, "runsc": {"pool": 15.0, "project": 60.0}}
MARKS = ("<!-- docker:begin -->", "<!-- docker:end -->")


class Caller:
    """One caller with one connection, as a client library keeps it."""

    def __init__(self, daemon):
        self.connection = http.client.HTTPConnection(*daemon.address, timeout=60)

    def run(self, payload, check):
        body = json.dumps({"protocol": 5, **payload})
        start = time.monotonic()
        self.connection.request("POST", harness.SERVICE + "Run", body, {"Content-Type": "application/json"})
        answer = json.loads(self.connection.getresponse().read())
        took = (time.monotonic() - start) * 1000
        check(answer)
        return took

    def snippet(self):
        return self.run({"javascript": {"code": SNIPPET}}, self.check_snippet)

    def project(self):
        return self.run({"project": {"steps": ["echo one", "echo two"]}}, self.check_project)

    @staticmethod
    def check_snippet(answer):
        assert base64.b64decode(answer["javascript"]["stdout"]) == b"42\n", answer

    @staticmethod
    def check_project(answer):
        steps = [base64.b64decode(s["stdout"]) for s in answer["project"]["steps"]]
        assert steps == [b"one\n", b"two\n"], answer


def docker(*arguments):
    return subprocess.run(["docker", "-H", "unix://" + world.engine().path, *arguments], check=True, capture_output=True, text=True).stdout


def members():
    return docker("ps", "-q", "--no-trunc", "--filter", "label=io.plimsoll.expires").split()


def full(count):
    """Waits until the pool has so many running members."""
    limit = time.monotonic() + 60
    while len(members()) < count:
        assert time.monotonic() < limit, f"{len(members())} of {count} members after a minute"
        time.sleep(0.05)
    time.sleep(0.3)  # its interpreter has started


def docker_run(runtime):
    start = time.monotonic()
    out = docker("run", "--rm", "--network", "none", "--memory", "256m", "--pids-limit", "256", "--runtime", runtime,
                 world.SNIPPET, "node", "-e", SNIPPET)
    assert out == "42\n", out
    return (time.monotonic() - start) * 1000


def memory_of(container):
    """MiB of the host that a waiting member takes: the proportional set size of every process of its container, the
    sandbox's own included, in the container's cgroup or below."""
    total = 0
    for status in Path("/proc").glob("[0-9]*"):
        try:
            if container in (status / "cgroup").read_text():
                for line in (status / "smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1])
        except OSError:
            continue
    return total / 1024


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def row(name, values, target="", note=""):
    return {"row": name, "p50": statistics.median(values), "p99": percentile(values, 0.99), "count": len(values),
            "target": target, "note": note}


def verdict(value, limit, text):
    return f"{text}: {'met' if value <= limit else 'MISSED'}"


def paced(call, count, pool):
    values = []
    for _ in range(count):
        full(pool)
        begin = time.monotonic()
        values.append(call())
        time.sleep(max(0, 1 - (time.monotonic() - begin)))
    return values


def measure(runtime, arguments):
    rows = []
    limits = TARGETS[runtime]
    pool = 4
    with world.DockerDaemon(world.settings(runtime, SANDBOX_RUN_POOL=str(pool))) as daemon:
        caller = Caller(daemon)
        full(pool)
        memory = [memory_of(m) for m in members()]
        values = paced(caller.snippet, arguments.paced, pool)
        rows.append(row(f"{runtime}: fresh snippet from a full pool, one a second", values,
                        verdict(statistics.median(values), limits["pool"], f"<= {limits['pool']:.0f} ms p50"),
                        f"a waiting member takes {statistics.mean(memory):.0f} MiB (mean of {len(memory)})"))
        start = time.monotonic()
        values = [caller.snippet() for _ in range(arguments.paced)]
        rate = len(values) / (time.monotonic() - start)
        rows.append(row(f"{runtime}: the same, one after another without a pause", values, "",
                        f"{rate:.1f} runs/s; the refill makes no more"))
        values = paced(caller.project, max(10, arguments.paced // 2), pool)
        rows.append(row(f"{runtime}: project of two trivial steps from the pool, one a second", values,
                        verdict(statistics.median(values), limits["project"], f"<= {limits['project']:.0f} ms p50")))
        daemon.stop()
    with world.DockerDaemon(world.settings(runtime, SANDBOX_RUN_POOL="0")) as daemon:
        caller = Caller(daemon)
        ours, theirs = [], []
        for _ in range(arguments.cold):
            ours.append(caller.snippet())
            theirs.append(docker_run(runtime))
        ratio = statistics.median(ours) / statistics.median(theirs)
        rows.append(row(f"{runtime}: fresh snippet without a pool", ours, verdict(ratio, 1.0, "<= 1.0 x docker run"),
                        f"{ratio:.2f} x docker run"))
        rows.append(row(f"{runtime}: `docker run --rm` of the same image, `node -e`", theirs))
        daemon.stop()
    return rows


def table(rows, command):
    version = json.loads(docker("version", "--format", "{{json .Server}}"))
    head = [f"Date: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}  ", f"Command: {command}  ",
            f"Engine: {version['Version']}, kernel {os.uname().release}, {os.cpu_count()} cores  ",
            f"Commit: {subprocess.run(['git', 'rev-parse', '--short=12', 'HEAD'], cwd=ROOT, capture_output=True, text=True).stdout.strip()}  ",
            "", "| Row | runs | p50 ms | p99 ms | target | note |", "|---|---:|---:|---:|---|---|"]
    return "\n".join(head + [f"| {r['row']} | {r['count']} | {r['p50']:.1f} | {r['p99']:.1f} | {r['target']} | {r['note']} |"
                             for r in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir")
    parser.add_argument("--page")
    parser.add_argument("--json")
    parser.add_argument("--paced", type=int, default=30)
    parser.add_argument("--cold", type=int, default=15)
    arguments = parser.parse_args()
    harness.BIN_DIR = Path(arguments.bin_dir).resolve()
    rows = [r for runtime in world.RUNTIMES for r in measure(runtime, arguments)]
    text = table(rows, os.environ.get("BENCH_COMMAND", "bench/docker_bench.py"))
    print(text)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1))
    if arguments.page:
        page = Path(arguments.page)
        before, _, rest = page.read_text().partition(MARKS[0])
        _, end, after = rest.partition(MARKS[1])
        assert end, f"{page} lacks the marks {MARKS}"
        page.write_text(before + MARKS[0] + "\n" + text + "\n" + MARKS[1] + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
