#!/usr/bin/env python3
"""Checks the documentation against the repository and the built programs.

usage: run.py BIN_DIR [unittest arguments]
"""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parent.parent / "examples")]

import harness  # noqa: E402  (the daemon under test)
import test_console  # noqa: E402


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    harness.BIN_DIR = test_console.BIN_DIR = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        return unittest.main(module=None, argv=["run.py", *sys.argv[2:]])
    suite = unittest.defaultTestLoader.discover(str(HERE), pattern="test_*.py")
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
