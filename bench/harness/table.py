"""The table as Markdown: the same text is printed and written into the page."""

from collections.abc import Sequence

from harness.report import CpuRow, Measured, Report, Verdict

BEGIN = "<!-- bench:begin -->"
END = "<!-- bench:end -->"


def _milliseconds(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table whose columns are also aligned for reading in a terminal; all but the first are right-aligned."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (width + 2) if at == 0 else "-" * (width + 1) + ":" for at, width in enumerate(widths)) + "|"
    return [line(header), rule, *(line(row) for row in rows)]


def _target(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    outcome = "not measured" if verdict.figure is None else "met" if verdict.met else "**missed**"
    return f"{verdict.wanted}: {outcome}"


def _row(entry: Measured, verdict: Verdict | None) -> list[str]:
    summary = entry.summary
    return [
        entry.row.title,
        str(entry.row.callers),
        _milliseconds(summary.p50_ms),
        _milliseconds(summary.p99_ms),
        _count(summary.runs_per_s),
        f"{_count(summary.slowest_per_s)} to {_count(summary.fastest_per_s)}",
        _ratio(entry.ratio),
        _target(verdict),
    ]


def _speed(measured: Sequence[Measured], verdicts: Sequence[Verdict]) -> list[str]:
    by_row = {verdict.row: verdict for verdict in verdicts}
    header = ["Row", "callers", "p50 ms", "p99 ms", "runs/s", "least to most of the rounds", "x quickjs", "target"]
    rows, group = [], None
    for entry in measured:
        if entry.row.group != group:
            group = entry.row.group
            rows.append([f"*{group}*", *[""] * (len(header) - 1)])
        rows.append(_row(entry, by_row.get(entry.row.key)))
    return _lines(header, rows)


def _cpu_order(rows: Sequence[CpuRow]) -> list[str]:
    """The parts that matter anywhere, the dearest first."""
    total: dict[str, float] = {}
    for row in rows:
        for name, spent in row.parts.items():
            total[name] = total.get(name, 0) + spent.cpu_ns
    return [name for name in sorted(total, key=lambda name: -total[name]) if total[name] / len(rows) >= 100]


def cpu_lines(rows: Sequence[CpuRow]) -> list[str]:
    """CPU of one run by part, in microseconds; parts below a tenth of one are not shown."""
    parts = _cpu_order(rows)
    header = ["CPU per run, microseconds", "all", "load generator", *parts, "in the kernel", "waiting for a core", "sleeps"]
    lines = []
    for row in rows:
        spent = list(row.parts.values())
        cells = [f"{row.parts[name].cpu_ns / 1000:.1f}" if name in row.parts else "0.0" for name in parts]
        lines.append([
            row.title,
            f"{row.generator_us + sum(part.cpu_ns for part in spent) / 1000:.1f}",
            f"{row.generator_us:.1f}",
            *cells,
            f"{sum(part.kernel_ns for part in spent) / 1000:.1f}",
            f"{sum(part.waiting_ns for part in spent) / 1000:.1f}",
            f"{sum(part.sleeps for part in spent):.1f}",
        ])
    return _lines(header, lines)


def markdown(report: Report) -> str:
    """Facts, the table with its targets, and the CPU split."""
    out = [f"{name[0].upper()}{name[1:]}: {value}  " for name, value in report.facts.items()]
    out += ["", *_speed(report.measured, report.verdicts)]
    if report.cpu_rows:
        out += ["", *cpu_lines(report.cpu_rows)]
    if report.left_out:
        out += ["", "Left out: " + "; ".join(f"{name}: {reason}" for name, reason in report.left_out.items()) + "."]
    return "\n".join(out) + "\n"
