#!/usr/bin/env python3
"""compare.py says nothing differs for the reference itself, and finds a side that answers something else."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIAR = 'import sys, json; sys.stdin.read(); print(json.dumps({"exitCode": 0, "stdout": "", "stderr": ""}))'


def compare(node, wasm, *command):
    arguments = [sys.executable, str(HERE / "compare.py"), "--wasm", wasm, "--node", node, "--prefix", "bigint-00", "--base64", "--"]
    return subprocess.run(arguments + list(command), stdout=subprocess.PIPE, text=True, timeout=300)


def main(node, wasm):
    same = compare(node, wasm, node, "--stack-size=50000", str(HERE / "run_one.mjs"), wasm)
    assert same.returncode == 0 and "9 scripts, 0 different" in same.stdout, same.stdout
    other = compare(node, wasm, sys.executable, "-c", LIAR)
    assert other.returncode == 1 and "9 scripts, 9 different" in other.stdout, other.stdout
    print("compare.py: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
