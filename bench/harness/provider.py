"""The adapter to `wasm_provider_bench`, the program that calls the wasm provider without a daemon or a network.

    wasm_provider_bench WORKER_PROGRAM RUNS

It measures RUNS runs with each of 1, 2, 8 and 64 in flight, one after another, and prints one JSON line for each.
"""

import json
import pathlib
import subprocess

from harness.figures import BenchError, Sample

PROGRAM = "wasm_provider_bench"
WORKER = "plimsoll-wasm-worker"
IN_FLIGHT = (1, 2, 8, 64)
# Long enough to see a rate, short enough to cost nothing.
TRIAL_RUNS = 500


def _parse(line: str) -> tuple[int, Sample]:
    entry = json.loads(line)
    if entry["faults"] != 0 or entry["runs_per_s"] <= 0:
        raise BenchError(f"{PROGRAM}: {line}")
    sample = Sample(entry["p50_ms"] * 1000, entry["p99_ms"] * 1000, float(entry["runs_per_s"]), int(entry["runs"]))
    return int(entry["in_flight"]), sample


def _measure(bin_dir: pathlib.Path, runs: int) -> dict[int, Sample]:
    command = [str(bin_dir / PROGRAM), str(bin_dir / WORKER), str(runs)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{PROGRAM}: {error}") from None
    if done.returncode != 0:
        raise BenchError(f"{PROGRAM} exited with {done.returncode}: {done.stderr[-400:]}")
    found = dict(_parse(line) for line in done.stdout.splitlines() if '"in_flight"' in line)
    missing = [number for number in IN_FLIGHT if number not in found]
    if missing:
        raise BenchError(f"{PROGRAM} printed no line for {missing} in flight")
    return found


class ProviderBench:
    """Gives one sample at a time of what the program measures together: asked for a number of callers whose sample of the
    last start was given out already, it starts the program again, which begins the next round."""

    def __init__(self, bin_dir: pathlib.Path, seconds: float):
        self._bin_dir = bin_dir
        self._seconds = seconds
        self._runs = 0
        self._waiting: dict[int, Sample] = {}

    def sample(self, in_flight: int) -> Sample:
        """The next sample with `in_flight` callers, from a stretch of about the seconds stated."""
        if in_flight not in self._waiting:
            if self._runs == 0:
                rate = max(sample.runs_per_s for sample in _measure(self._bin_dir, TRIAL_RUNS).values())
                self._runs = max(TRIAL_RUNS, int(rate * self._seconds))
            self._waiting = _measure(self._bin_dir, self._runs)
        return self._waiting.pop(in_flight)
