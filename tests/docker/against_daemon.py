#!/usr/bin/env python3
"""Runs test modules of this folder against a real docker engine.

usage: against_daemon.py BIN_DIR MODULE [unittest arguments]
"""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    harness.BIN_DIR = Path(sys.argv[1]).resolve()
    return unittest.main(module=None, argv=["against_daemon.py", "-v", *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
