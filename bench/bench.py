#!/usr/bin/env python3
"""Measures plimsoll beside what a user would pick instead and prints one table.

Rows are measured in rounds (A B C A B C ...), so that a slow minute of the machine hits all of them; the table shows medians of
the rounds. Every answer must be right: one wrong answer, or one row that cannot be measured, ends the run without a table.
"""

import argparse
import os
import pathlib
import sys
from collections.abc import Sequence

from harness import cpu, engines, load, machine, rows, table
from harness.daemon import Daemon
from harness.figures import BenchError, Sample
from harness.report import CpuRow, Report, judge, replace_between_markers, with_ratios, write_json
from harness.wire import WrongAnswer

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Above this share of the machine used by something else, the figures say little about the programs measured.
NOISY_PERCENT = 10


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("bin_dir", type=pathlib.Path, help="where plimsolld and wasm_provider_bench are")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/bench/results.json", help="where the raw data goes")
    parser.add_argument("--page", type=pathlib.Path, help="the Markdown page whose table is replaced")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--leave-out-uninstalled", action="store_true", help="do not install the npm baselines, leave them out")
    return parser.parse_args()


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _needs_npm(row: rows.Row) -> bool:
    return row.key.startswith(("quickjs.", "isolated_vm."))


def _in_rounds(plan: rows.Plan, wanted: Sequence[rows.Row], daemon: Daemon) -> dict[str, list[Sample]]:
    samples: dict[str, list[Sample]] = {row.key: [] for row in wanted}
    for number in range(1, plan.rounds + 1):
        _say(f"round {number} of {plan.rounds}")
        for row in wanted:
            try:
                samples[row.key].append(row.measure(daemon))
            except BenchError as error:
                raise BenchError(f"row {row.key}: {error}") from None
    return samples


def _cpu_rows(plan: rows.Plan, wanted: Sequence[rows.Row], samples: dict[str, list[Sample]], daemon: Daemon) -> list[CpuRow]:
    found = []
    for row in wanted:
        if row.target is None or row.shape is None:
            continue
        runs = max(row.callers, int(samples[row.key][-1].runs_per_s * plan.seconds))
        daemon.shorten_log()
        before = cpu.snapshot(daemon.pid)
        counted = load.count(row.target, row.shape, daemon.address, runs)
        parts = cpu.difference(before, cpu.snapshot(daemon.pid), runs)
        title = f"{row.title.replace('**plimsoll** ', '')}, {row.callers}"
        found.append(CpuRow(title, runs, counted.generator_cpu_s * 1e6 / runs, parts))
    return found


def _measure(plan: rows.Plan, left_out: dict[str, str]) -> Report:
    interference = machine.Interference()
    _say(f"{plan.starts} starts of the daemon")
    start, start_samples = rows.start_row(plan)
    wanted = [row for row in rows.all_rows(plan) if row.key not in left_out]
    with Daemon(plan.bin_dir, plan.build_dir / "daemon.log") as daemon:
        rows.check_answers(daemon.address)
        samples = _in_rounds(plan, wanted, daemon)
        _say("CPU per run")
        cpu_rows = _cpu_rows(plan, wanted, samples, daemon)
    measured = with_ratios([*wanted, start], samples | {start.key: start_samples})
    command = os.environ.get("BENCH_COMMAND") or "bench/bench.py"
    facts = machine.describe(command)
    share = interference.share()
    facts["measured"] = f"{plan.rounds} rounds of {plan.seconds:g} s a row; {share['others']:.0f} % of the machine went to "
    facts["measured"] += f"other processes and {share['stolen']:.0f} % to the hypervisor's other guests"
    if share["others"] + share["stolen"] > NOISY_PERCENT:
        _say(f"the machine was busy with something else ({share['others'] + share['stolen']:.0f} %): measure again when it is quiet")
    return Report(facts, measured, cpu_rows, judge(measured), left_out)


def _left_out(plan: rows.Plan, arguments: argparse.Namespace) -> dict[str, str]:
    if not arguments.leave_out_uninstalled or engines.installed():
        engines.install()
        return {}
    return {row.key: "its npm package is not installed" for row in rows.engine_rows(plan) if _needs_npm(row)}


def main() -> int:
    arguments = _arguments()
    seconds = float(os.environ.get("BENCH_SECONDS", "2"))
    build_dir = arguments.json.parent
    build_dir.mkdir(parents=True, exist_ok=True)
    plan = rows.Plan(arguments.bin_dir.resolve(), build_dir.resolve(), seconds, arguments.rounds, arguments.starts, machine.cores())
    try:
        report = _measure(plan, _left_out(plan, arguments))
    except (BenchError, WrongAnswer) as error:
        _say(f"failed: {error}")
        return 1
    text = table.markdown(report)
    print(text, end="")
    write_json(report, arguments.json)
    if arguments.page is not None:
        page = arguments.page.read_text()
        arguments.page.write_text(replace_between_markers(page, table.BEGIN, table.END, text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
