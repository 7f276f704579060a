"""Figures of one measured stretch, and their medians over the rounds."""

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence


class BenchError(Exception):
    """A row could not be measured as stated; its text says which and why."""


@dataclasses.dataclass(frozen=True)
class Sample:
    """What one stretch showed: percentiles in microseconds of one run, runs per second, and how many runs it rests on."""

    p50_us: float
    p99_us: float
    runs_per_s: float
    runs: int


@dataclasses.dataclass(frozen=True)
class Summary:
    """The medians over the rounds, with the least and the greatest runs/s seen."""

    p50_ms: float
    p99_ms: float
    runs_per_s: float
    slowest_per_s: float
    fastest_per_s: float
    runs: int
    rounds: int


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the ordered values do not exceed."""
    if not ordered:
        raise BenchError("no run was measured")
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def sample_of(durations_us: Iterable[float], seconds: float) -> Sample:
    """The figures of runs whose durations are known, made within `seconds` by all callers together."""
    ordered = sorted(durations_us)
    return Sample(percentile(ordered, 0.50), percentile(ordered, 0.99), len(ordered) / seconds, len(ordered))


def summarise(samples: Sequence[Sample]) -> Summary:
    """Medians of the rounds; each figure by itself."""
    rates = [sample.runs_per_s for sample in samples]
    return Summary(
        p50_ms=statistics.median(sample.p50_us for sample in samples) / 1000,
        p99_ms=statistics.median(sample.p99_us for sample in samples) / 1000,
        runs_per_s=statistics.median(rates),
        slowest_per_s=min(rates),
        fastest_per_s=max(rates),
        runs=sum(sample.runs for sample in samples),
        rounds=len(samples),
    )


def median_ratio(samples: Sequence[Sample], peers: Sequence[Sample]) -> float:
    """How many times the peer's runs/s, taken round by round, so that a slow minute of the machine hits both."""
    pairs = zip(samples, peers, strict=True)
    return statistics.median(sample.runs_per_s / peer.runs_per_s for sample, peer in pairs)
