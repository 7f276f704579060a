#!/usr/bin/env python3
"""Where the daemon's time goes under load: CPU by thread from /proc, then what `perf` and `strace` add where they are installed.

usage: profile.py BIN_DIR [--callers N] [--seconds S] [--out FOLDER]
"""

import argparse
import contextlib
import pathlib
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

from harness import cpu, load, rows, table
from harness.daemon import Daemon
from harness.figures import BenchError
from harness.report import CpuRow

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A prime rate does not beat with the kernel's tick.
SAMPLES_PER_S = 1999


@contextlib.contextmanager
def _under_load(daemon: Daemon, shape: load.Shape, seconds: float) -> Iterator[None]:
    """Keeps the shape's requests open while the body runs; a failed load fails the body's end."""
    failure: list[BenchError] = []

    def work() -> None:
        try:
            load.measure(rows.binary_target(), shape, daemon.address, seconds, 0.2)
        except BenchError as error:
            failure.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if failure:
        raise failure[0]


def _pids(daemon: Daemon) -> str:
    return ",".join(map(str, [daemon.pid, *cpu.descendants(daemon.pid)]))


def _cpu_split(daemon: Daemon, shape: load.Shape, seconds: float) -> str:
    rate = load.measure(rows.binary_target(), shape, daemon.address, min(1.0, seconds), 0.2).runs_per_s
    runs = max(shape.connections, int(rate * seconds))
    before = cpu.snapshot(daemon.pid)
    counted = load.count(rows.binary_target(), shape, daemon.address, runs)
    parts = cpu.difference(before, cpu.snapshot(daemon.pid), runs)
    row = CpuRow(f"h2c, binary, {shape.connections}", runs, counted.generator_cpu_s * 1e6 / runs, parts)
    return "\n".join(table.cpu_lines([row]))


def _perf_record(daemon: Daemon, shape: load.Shape, arguments: argparse.Namespace) -> None:
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S), "-g", "-o", str(arguments.out / "perf.data")]
    with _under_load(daemon, shape, arguments.seconds + 1):
        subprocess.run(
            [*command, "-p", _pids(daemon), "--", "sleep", str(arguments.seconds)],
            check=True, capture_output=True, timeout=arguments.seconds + 60,
        )


def _perf_report(arguments: argparse.Namespace) -> str:
    """Functions by their own share. Read once the workers are gone: while one lives, perf looks for its program inside the
    worker's own file system, where there is none."""
    command = ["perf", "report", "-i", str(arguments.out / "perf.data"), "--stdio", "--no-children", "-g", "none"]
    command += ["--percent-limit", "0.5", "-F", "overhead,comm,dso,symbol"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    lines = (line.rstrip(" -") for line in done.stdout.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("#"))


def _strace(daemon: Daemon, shape: load.Shape, arguments: argparse.Namespace) -> str:
    """System calls by count; their cost under strace says nothing, so read the counts."""
    counts = arguments.out / "strace.txt"
    trace = ["timeout", "--signal=INT", str(arguments.seconds), "strace", "-c", "-f", "-S", "calls", "-o", str(counts)]
    with _under_load(daemon, shape, arguments.seconds + 1):
        subprocess.run([*trace, "-p", _pids(daemon)], check=False, capture_output=True, timeout=arguments.seconds + 60)
    return counts.read_text()


def _with(tool: str, use: Callable[[], str | None]) -> str | None:
    """What `use` says, or why the tool could say nothing here."""
    if shutil.which(tool) is None:
        return "not installed, left out"
    try:
        return use()
    except (subprocess.SubprocessError, OSError) as error:
        return f"could not be used here: {error} {getattr(error, 'stderr', None)!r}"


def _profile(arguments: argparse.Namespace) -> dict[str, str]:
    shape = load.Shape(arguments.callers, 1)
    found: dict[str, str] = {}
    with Daemon(arguments.bin_dir.resolve(), arguments.out / "daemon.log") as daemon:
        rows.check_answers(daemon.address)
        found["CPU per run by thread"] = _cpu_split(daemon, shape, arguments.seconds)
        recorded = _with("perf", lambda: _perf_record(daemon, shape, arguments))
        counted = _with("strace", lambda: _strace(daemon, shape, arguments))
    found["perf"] = recorded or _with("perf", lambda: _perf_report(arguments)) or ""
    found["strace"] = counted or ""
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench/profile")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    try:
        text = "\n\n".join(f"## {title}\n{body}" for title, body in _profile(arguments).items())
    except BenchError as error:
        print(f"profile: failed: {error}", file=sys.stderr)
        return 1
    (arguments.out / "profile.txt").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
