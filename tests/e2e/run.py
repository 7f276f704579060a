#!/usr/bin/env python3
"""Starts the real plimsolld and checks it from outside.

usage: run.py BIN_DIR [unittest arguments]

BIN_DIR holds plimsolld and plimsoll-wasm-worker. Every daemon listens on a free port of loopback; nothing else is used.
"""
import sys
import unittest
from pathlib import Path

import harness


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    harness.BIN_DIR = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        return unittest.main(module=None, argv=["run.py", *sys.argv[2:]])
    suite = unittest.defaultTestLoader.discover(str(Path(__file__).resolve().parent), pattern="test_*.py")
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
