#!/usr/bin/env python3
"""Keeps results in the table of docs/reference/soak.md: one row a soak, the newest result of each.

usage: page.py FILE WHAT COMMAND < RESULT    (the lines of standard input are the result)
"""
import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

BEGIN, END = "<!-- soak:begin -->\n", "<!-- soak:end -->"
HEAD = "| What | Result | Date | Machine | Commit | Command |\n| --- | --- | --- | --- | --- | --- |\n"


def machine():
    model = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return f"{len(os.sched_getaffinity(0))} x {model}, Linux {platform.release().split('-')[0]}"


def commit():
    """The short id of the commit that was measured, with a + where the tree differs from it beyond the pages of docs."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()

    return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "--", ":/", ":!/docs") else "")


def keep(path, what, result, command):
    """Replaces the row of `what`, or adds it as the last one."""
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    table, _, after = rest.partition(END)
    rows = [row for row in table.splitlines() if row.startswith("| ")][2:]
    cells = [what, "<br>".join(result), datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), machine(), commit(),
             f"`{command}`"]
    new = "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
    old = next((i for i, row in enumerate(rows) if row.startswith(f"| {what} |")), None)
    if old is None:
        rows.append(new)
    else:
        rows[old] = new
    path.write_text(before + BEGIN + HEAD + "".join(row + "\n" for row in rows) + END + after)


if __name__ == "__main__":
    keep(Path(sys.argv[1]), sys.argv[2], [line.strip() for line in sys.stdin if line.strip()], sys.argv[3])
