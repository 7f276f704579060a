"""What a measurement found, its targets, and the raw data."""

import dataclasses
import json
import pathlib
from collections.abc import Mapping, Sequence

from harness import cpu
from harness.figures import BenchError, Sample, Summary, median_ratio, summarise
from harness.rows import Row

TARGETS = pathlib.Path(__file__).resolve().parent.parent / "targets.json"


@dataclasses.dataclass(frozen=True)
class Measured:
    """One row with what each round showed. `ratio` is runs/s against the peer row, `None` where there is no peer."""

    row: Row
    samples: Sequence[Sample]
    ratio: float | None

    @property
    def summary(self) -> Summary:
        return summarise(self.samples)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One target, the row it stands in, the figure measured for it, and whether it is met. `figure` is `None` when its row, or
    the row it is compared with, was left out."""

    row: str
    text: str
    wanted: str
    figure: float | None
    met: bool


@dataclasses.dataclass(frozen=True)
class CpuRow:
    """CPU of one run by part, from a stretch of exactly `runs` runs."""

    title: str
    runs: int
    generator_us: float
    parts: Mapping[str, cpu.Spent]


@dataclasses.dataclass(frozen=True)
class Report:
    """Everything one measurement found. `left_out` names each row that was not measured, and why."""

    facts: Mapping[str, str]
    measured: Sequence[Measured]
    cpu_rows: Sequence[CpuRow]
    verdicts: Sequence[Verdict]
    left_out: Mapping[str, str]


def with_ratios(rows: Sequence[Row], samples: Mapping[str, Sequence[Sample]]) -> list[Measured]:
    """Joins rows with their samples, and each with its peer's samples of the same rounds."""
    found = []
    for row in rows:
        if row.key not in samples:
            continue
        peers = samples.get(row.peer or "")
        found.append(Measured(row, samples[row.key], median_ratio(samples[row.key], peers) if peers else None))
    return found


def judge(measured: Sequence[Measured]) -> list[Verdict]:
    """Every target of bench/targets.json against what was measured."""
    by_key = {entry.row.key: entry for entry in measured}
    return [_judge_one(target, by_key) for target in json.loads(TARGETS.read_text())]


def _judge_one(target: Mapping[str, object], by_key: Mapping[str, Measured]) -> Verdict:
    at_least = "at_least" in target
    limit = float(target["at_least" if at_least else "at_most"])
    wanted = f"{'>=' if at_least else '<='} {limit:,g} {_unit(str(target['figure']))}"
    entry = by_key.get(str(target["row"]))
    figure = _figure(entry, target, by_key) if entry else None
    met = figure is not None and (figure >= limit if at_least else figure <= limit)
    return Verdict(str(target["row"]), str(target["text"]), wanted, figure, met)


def _unit(figure: str) -> str:
    return {"p50_ms": "ms p50", "runs_per_s": "runs/s", "ratio": "x quickjs"}[figure]


def _figure(entry: Measured, target: Mapping[str, object], by_key: Mapping[str, Measured]) -> float | None:
    if target["figure"] != "ratio":
        return getattr(entry.summary, str(target["figure"]))
    peer = by_key.get(str(target["to"]))
    return median_ratio(entry.samples, peer.samples) if peer else None


def write_json(report: Report, path: pathlib.Path) -> None:
    """Every round of every row, unrounded."""
    rows = [
        {
            "key": entry.row.key,
            "group": entry.row.group,
            "callers": entry.row.callers,
            "ratio": entry.ratio,
            "summary": dataclasses.asdict(entry.summary),
            "rounds": [dataclasses.asdict(sample) for sample in entry.samples],
        }
        for entry in report.measured
    ]
    whole = {
        "facts": dict(report.facts),
        "rows": rows,
        "cpu_per_run": [dataclasses.asdict(row) for row in report.cpu_rows],
        "targets": [dataclasses.asdict(verdict) for verdict in report.verdicts],
        "left_out": dict(report.left_out),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1) + "\n")


def replace_between_markers(text: str, begin: str, end: str, new: str) -> str:
    """`text` with what stands between the two marker lines replaced; both markers must be there once."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BenchError(f"the page needs the markers {begin} and {end} once each, in this order")
    head, _, rest = text.partition(begin)
    return f"{head}{begin}\n{new.strip()}\n{end}{rest.partition(end)[2]}"
