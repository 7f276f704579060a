"""The adapter to `provider_bench`, the program that calls the wasm provider without a daemon or a network.

It prints one JSON line for each number of callers: {"in_flight": N, "p50_us": .., "p99_us": .., "runs_per_s": ..}; `runs`
may be there too. It reads BENCH_SECONDS, the length of each stretch, and BENCH_IN_FLIGHT, the numbers wanted.
"""

import json
import os
import pathlib
import subprocess
from collections.abc import Sequence

from harness.figures import BenchError, Sample

PROGRAM = "provider_bench"


def _parse(line: str) -> tuple[int, Sample]:
    entry = json.loads(line)
    rate = float(entry["runs_per_s"])
    sample = Sample(float(entry["p50_us"]), float(entry["p99_us"]), rate, int(entry.get("runs", 0)))
    if rate <= 0 or sample.p50_us <= 0:
        raise BenchError(f"{PROGRAM} measured nothing: {line}")
    return int(entry["in_flight"]), sample


def measure(bin_dir: pathlib.Path, in_flight: Sequence[int], seconds: float) -> dict[int, Sample]:
    """One sample for each number of callers asked for."""
    env = os.environ | {"BENCH_SECONDS": str(seconds), "BENCH_IN_FLIGHT": ",".join(map(str, in_flight))}
    command = [str(bin_dir / PROGRAM)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120 + 3 * seconds * len(in_flight), check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{PROGRAM}: {error}") from None
    if done.returncode != 0:
        raise BenchError(f"{PROGRAM} exited with {done.returncode}: {done.stderr[-400:]}")
    found = dict(_parse(line) for line in done.stdout.splitlines() if line.startswith("{"))
    missing = [number for number in in_flight if number not in found]
    if missing:
        raise BenchError(f"{PROGRAM} printed no line for in_flight {missing}")
    return found
