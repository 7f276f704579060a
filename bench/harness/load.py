"""Load over HTTP through h2load, each of whose answers is checked, and single answers through curl."""

import collections
import dataclasses
import pathlib
import re
import resource
import subprocess
import tempfile

from harness import wire
from harness.figures import BenchError, Sample, sample_of


@dataclasses.dataclass(frozen=True)
class Target:
    """One way of asking: what is sent, over which protocol, and which status every answer must have."""

    path: str
    body: bytes | None
    content_type: str
    http1: bool
    status: int


@dataclasses.dataclass(frozen=True)
class Shape:
    """How many connections there are, and how many requests each keeps open."""

    connections: int
    streams: int


@dataclasses.dataclass(frozen=True)
class Counted:
    """An exact number of answered requests and the generator's own CPU seconds for them."""

    runs: int
    generator_cpu_s: float


def _command(target: Target, shape: Shape, address: str, body_file: str) -> list[str]:
    command = ["h2load", "-t", "1", "-c", str(shape.connections), "-m", str(shape.streams)]
    command += ["-H", f"plimsoll-request-id: {wire.REQUEST_ID}"]
    if target.http1:
        command.append("--h1")
    if target.body is not None:
        command += ["-d", body_file, "-H", f"content-type: {target.content_type}"]
    return command + [f"http://{address}{target.path}"]


def _run(command: list[str], deadline_s: float) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=deadline_s, check=False)
    except subprocess.TimeoutExpired:
        raise BenchError(f"h2load did not end within {deadline_s:.0f} s: {' '.join(command)}") from None
    if done.returncode != 0:
        raise BenchError(f"h2load exited with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def _refuse_failures(output: str) -> int:
    """The number of requests done; raises unless every one of them was answered."""
    line = re.search(r"^requests: .*?(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", output, re.M)
    if line is None:
        raise BenchError(f"h2load printed no totals: {output[-500:]}")
    done, _, _, errored, timeout = (int(part) for part in line.groups())
    if done == 0 or errored or timeout:
        raise BenchError(f"h2load: {line.group(0)}")
    return done


def _refuse_other_statuses(output: str, expected: int) -> None:
    counts = re.search(r"^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output, re.M)
    wrong = [n for kind, n in enumerate(map(int, counts.groups()), 2) if kind != expected // 100] if counts else [1]
    if any(wrong):
        raise BenchError(f"expected only status {expected}: {counts.group(0) if counts else 'no status line'}")


def measure(target: Target, shape: Shape, address: str, seconds: float, warm_s: float) -> Sample:
    """Keeps the shape's requests open for `seconds` after a warm-up and times each; every answer must be as expected."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        body_file, log = pathlib.Path(folder, "body"), pathlib.Path(folder, "log")
        body_file.write_bytes(target.body or b"")
        command = _command(target, shape, address, str(body_file))
        command[1:1] = ["-D", f"{round(seconds * 1000)}ms", "--warm-up-time", f"{round(warm_s * 1000)}ms", f"--log-file={log}"]
        output = _run(command, seconds + warm_s + 30)
        _refuse_failures(output)
        _refuse_other_statuses(output, target.status)
        rows = [line.split("\t") for line in log.read_text().splitlines()]
    statuses = collections.Counter(row[1] for row in rows)
    if set(statuses) != {str(target.status)}:
        raise BenchError(f"expected only status {target.status}, saw {dict(statuses)}")
    return sample_of((float(row[2]) for row in rows), seconds)


def count(target: Target, shape: Shape, address: str, requests: int) -> Counted:
    """Sends exactly `requests` requests, so that CPU seconds taken around the call divide by a known number."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.NamedTemporaryFile(prefix="plimsoll-bench-") as body_file:
        body_file.write(target.body or b"")
        body_file.flush()
        command = _command(target, shape, address, body_file.name)
        command[1:1] = ["-n", str(requests)]
        output = _run(command, 120)
    done = _refuse_failures(output)
    _refuse_other_statuses(output, target.status)
    if done != requests:
        raise BenchError(f"h2load made {done} of {requests} requests")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Counted(done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def ask_once(target: Target, address: str) -> tuple[int, bytes]:
    """One answer, status and body, over the target's own protocol version; raises when another version answered."""
    version = "--http1.1" if target.http1 else "--http2-prior-knowledge"
    with tempfile.NamedTemporaryFile(prefix="plimsoll-bench-") as out:
        command = ["curl", "-sS", version, "--max-time", "10", "-o", out.name, "-w", "%{http_code} %{http_version}"]
        if target.body is not None:
            command += ["--data-binary", "@-", "-H", f"content-type: {target.content_type}"]
        command += ["-H", f"plimsoll-request-id: {wire.REQUEST_ID}", f"http://{address}{target.path}"]
        done = subprocess.run(command, input=target.body or b"", capture_output=True, timeout=20, check=False)
        if done.returncode != 0:
            raise BenchError(f"curl {version}: {done.stderr.decode(errors='replace').strip()}")
        status, spoken = done.stdout.decode().split()
        if spoken != ("1.1" if target.http1 else "2"):
            raise BenchError(f"asked over {version}, answered over HTTP/{spoken}")
        return int(status), pathlib.Path(out.name).read_bytes()
