#!/usr/bin/env python3
"""Fails unless the raw data holds every row the harness knows, each measured or left out by name, and the table shows them.

usage: check_table.py RESULTS.json TABLE.md
"""

import json
import pathlib
import sys

from harness import machine, rows


def problems(results: dict, shown: str) -> list[str]:
    """One line for each thing that is missing."""
    plan = rows.Plan(pathlib.Path("."), pathlib.Path("."), 1.0, 1, 1, machine.cores())
    expected = {row.key for row in rows.all_rows(plan)} | {"start.1"}
    measured = {row["key"]: row for row in results["rows"]}
    found = [f"row {key} is missing" for key in sorted(expected - set(measured) - set(results["left_out"]))]
    found += [f"row {key} measured nothing" for key, row in measured.items() if not row["summary"]["runs_per_s"] > 0]
    over_http = [key for key in expected if key.startswith(("h2c", "http1", "floor", "healthz"))]
    if len(results["cpu_per_run"]) != len(over_http):
        found.append(f"{len(over_http)} rows are over HTTP, {len(results['cpu_per_run'])} have their CPU measured")
    headings = (rows.PROVIDER_GROUP, rows.RPC_GROUP, rows.FLOOR_GROUP, rows.START_GROUP, "CPU per run")
    return found + [f"the table lacks {heading!r}" for heading in headings if heading not in shown]


def main() -> int:
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    found = problems(results, pathlib.Path(sys.argv[2]).read_text())
    for problem in found:
        print(f"check_table: {problem}")
    for key, reason in results["left_out"].items():
        print(f"check_table: {key} left out, {reason}")
    if not found:
        print(f"check_table: {len(results['rows'])} rows measured")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
