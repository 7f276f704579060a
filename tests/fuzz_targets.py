#!/usr/bin/env python3
"""D63: every fuzz target is registered, has a seed corpus, and that corpus is replayed by the ordinary test run.

usage: fuzz_targets.py ROOT BUILD_DIR CTEST
"""
import json
import re
import subprocess
import sys
from pathlib import Path

REGISTRATION = re.compile(r"plimsoll_fuzz\(\s*(\w+)\s+SOURCES\s+(.*?)\s+DEPS\s.*?CORPUS\s+(\w+)", re.DOTALL)
PLACES = ("src", "guest", "clients", "tools", "tests", "examples")


def registered(root):
    """{source file: (name, corpus)} from every CMakeLists.txt."""
    found = {}
    for place in PLACES:
        for lists in (root / place).rglob("CMakeLists.txt"):
            for name, sources, corpus in REGISTRATION.findall(lists.read_text()):
                found.update({lists.parent / source: (name, corpus) for source in sources.split()})
    return found


def replayed(build, ctest):
    """{test name: its command} of the build."""
    listing = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, capture_output=True, check=True, timeout=60)
    return {test["name"]: test.get("command", []) for test in json.loads(listing.stdout)["tests"]}


def faults(root, build, ctest):
    targets, tests = registered(root), replayed(build, ctest)
    sources = sorted(path for place in PLACES for path in (root / place).rglob("*_fuzz.cc"))
    for source in sources:
        shown = source.relative_to(root)
        if source not in targets:
            yield f"{shown}: no CMakeLists.txt beside it registers it with plimsoll_fuzz"
            continue
        name, corpus = targets[source]
        folder = root / "fuzz" / corpus
        if not folder.is_dir() or not any(file.stat().st_size for file in folder.iterdir()):
            yield f"{shown}: fuzz/{corpus} holds no seed input"
        command = tests.get(f"Fuzz.{name}_ReplaysItsCorpus")
        if command is None or Path(command[-1]) != folder:
            yield f"{shown}: the test run does not replay fuzz/{corpus}"
    if not sources:
        yield "no fuzz target found at all"
    used = {corpus for _, corpus in targets.values()}
    for folder in sorted(path for path in (root / "fuzz").iterdir() if path.is_dir()):
        if folder.name not in used:
            yield f"fuzz/{folder.name}: a corpus that no target names"


def main():
    root, build, ctest = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    found = list(faults(root, build, ctest))
    print("\n".join(found) or f"{len(registered(root))} fuzz targets, each registered, seeded and replayed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
