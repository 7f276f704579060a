#!/usr/bin/env python3
"""Runs clang-tidy 19 over the C++ files of the repository, and again only over what has changed.

usage: scripts/tidy.py BUILD_DIR [FILE ...]

BUILD_DIR holds a compile_commands.json made for clang and the generated headers. Without files, every .cc file known to
git is checked. A clean file leaves a stamp in build/tidy/clean, named by the hash of everything its result depends on: the
file and all headers of ours it reaches, its compile command, the checks and the version of clang-tidy. System headers are
not hashed: remove build/tidy after an upgrade of a library.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAMPS = ROOT / "build/tidy/clean"
TIDY = "clang-tidy-19"
# The list for tests. A test may be one long story, GoogleTest's macros confuse the analysis of control flow, and the
# sanitizers run every test; what is left are leaks into children, dangling views and the house's form.
TEST_CHECKS = ("-*,android-cloexec-*,bugprone-argument-comment,bugprone-dangling-handle,bugprone-unused-raii,"
               "bugprone-use-after-move,google-build-using-namespace,modernize-use-override,performance-for-range-copy,"
               "readability-braces-around-statements,readability-identifier-naming")
INCLUDE = re.compile(rb'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def overrides(file):
    """The options that replace the list of .clang-tidy where a shorter one is due."""
    path = file.relative_to(ROOT)
    test = re.search(r"_(test|testclient_unsafe|fuzz|bench)\.cc$|^testing", path.name) or {"testing", "testkit", "fuzz", "tests"} & set(path.parts)
    return [f"--checks={TEST_CHECKS}"] if test else []


@functools.cache
def contents(path):
    """The bytes of a file of ours and what it includes by name; None for a file that is not there."""
    if not path.is_file():
        return None
    data = path.read_bytes()
    return hashlib.sha256(data).hexdigest(), [name.decode() for name in INCLUDE.findall(data)]


def closure(file, folders):
    """Every file of ours that `file` reaches by #include. A conditional include counts as taken."""
    reached, todo = {}, [file]
    while todo:
        path = todo.pop()
        found = contents(path)
        if found is None or path in reached:
            continue
        reached[path] = found[0]
        for folder in [path.parent, *folders]:
            todo += [pathlib.Path(os.path.normpath(folder / name)) for name in found[1]]
    return reached


def key(file, command, salt):
    words = shlex.split(command)
    folders = [word[2:] for word in words if word.startswith("-I")]
    folders += [after for word, after in zip(words, words[1:]) if word == "-isystem"]
    ours = [pathlib.Path(folder) for folder in folders if folder.startswith(str(ROOT))]
    headers = (f"{path} {digest}" for path, digest in sorted(closure(file, ours).items()))
    return hashlib.sha256("\n".join([salt, command, *overrides(file), *headers]).encode()).hexdigest()


def check(file):
    command = [TIDY, "--quiet", "-p", STAMPS.parent, file, *overrides(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stdout if run.stdout.strip() else run.stderr


def findings(text):
    """The findings of one file one by one, so that one in a header is shown once and not per includer."""
    blocks = re.split(r"^(?=/\S+:\d+:\d+: (?:error|warning):)", text, flags=re.MULTILINE)
    return [block for block in blocks if block.strip()]


def main(build, names):
    # A file that several targets compile is checked once, so clang-tidy is given a database without the repetitions.
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        entries.setdefault(pathlib.Path(entry["file"]), entry)
    STAMPS.mkdir(parents=True, exist_ok=True)
    (STAMPS.parent / "compile_commands.json").write_text(json.dumps(list(entries.values())))
    listed = names or subprocess.check_output(["git", "-C", ROOT, "ls-files", "*.cc"], text=True).split()
    files = [(ROOT / name).resolve() for name in listed]
    for file in set(files) - set(entries):
        print(f"tidy: not checked, for no target of this build compiles it: {file.relative_to(ROOT)}")
        files.remove(file)

    version = subprocess.check_output([TIDY, "--version"], text=True)
    salt = version + (ROOT / ".clang-tidy").read_text() + TEST_CHECKS
    stamps = {file: STAMPS / key(file, entries[file]["command"], salt) for file in files}
    if not names:
        for stale in set(STAMPS.iterdir()) - set(stamps.values()):
            stale.unlink()
    todo = [file for file in files if not stamps[file].exists()]
    print(f"tidy: {len(files) - len(todo)} files unchanged since they were found clean, {len(todo)} to check", flush=True)

    started, told, shown, bad = time.monotonic(), time.monotonic(), set(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(check, file): file for file in todo}
        for count, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            clean, text = job.result()
            if clean:
                stamps[jobs[job]].touch()
            else:
                bad += 1
                fresh = [block for block in findings(text) if block not in shown]
                shown.update(fresh)
                print("".join(fresh), end="", flush=True)
            if time.monotonic() - told > 15:
                told = time.monotonic()
                print(f"tidy: [{count}/{len(todo)}]", flush=True)
    print(f"tidy: {bad} files with findings, {len(shown)} findings; {time.monotonic() - started:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
