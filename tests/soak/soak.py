#!/usr/bin/env python3
"""One long soak of the real plimsolld; prints what came of it, and keeps it in a table.

usage: soak.py BIN_DIR runs|allocating|kills [--page FILE --command TEXT]

runs        1,000,000 runs of two callers, each answer checked, with the resident memory at 10,000, 100,000 and 1,000,000
allocating  guests that take all the memory they can get
kills       10,000 runs of two callers in ten rounds while workers are killed at random
SOAK_SCALE (1) divides the number of runs, for a try.
"""
import argparse
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "e2e"))

import harness  # noqa: E402
import page  # noqa: E402
import rounds  # noqa: E402


def tell(line):
    print(f"soak: {line}", flush=True)


def runs(scale):
    marks, seconds = rounds.runs([10_000 // scale, 100_000 // scale, 1_000_000 // scale], tell)
    return (f"{marks[-1].runs:,} runs, two callers: memory",
            [f"every answer right, in {seconds:.0f} s", *map(str, marks)])


def allocating(_):
    largest, growth = rounds.allocating()
    return ("Guests that allocate for ever: memory",
            [f"the largest worker reached {largest:,} KiB under a cap of {rounds.CAP_MIB} MiB, the daemon grew by {growth:,} KiB"])


def kills(scale):
    tally, killed, seconds = rounds.kills(rounds=10, runs_each=1_000 // scale)
    return (f"{tally.asked:,} runs, two callers: workers killed at random",
            [f"{killed:,} workers killed; {tally.own:,} right answers, {tally.fault:,} unmarked errors, none refused, lost, doubled or "
             f"another's; the same descriptors and no zombie after each of ten rounds; in {seconds:.0f} s"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin_dir", type=Path)
    parser.add_argument("soak", choices=["runs", "allocating", "kills"])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--command", default="scripts/soak.sh")
    arguments = parser.parse_args()
    harness.BIN_DIR = arguments.bin_dir.resolve()
    what, result = {"runs": runs, "allocating": allocating, "kills": kills}[arguments.soak](int(os.environ.get("SOAK_SCALE", "1")))
    for line in result:
        tell(f"{what}: {line}")
    if arguments.page is not None:
        page.keep(arguments.page, what, result, arguments.command)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"soak: failed: {error}")
