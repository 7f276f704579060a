#!/usr/bin/env python3
"""Runs tests of this folder against the docker engine that PLIMSOLL_TEST_DOCKER_HOST names.

usage: run.py MODULE [unittest arguments]
"""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "images")]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unittest.main(module=sys.argv[1], argv=["run.py", *sys.argv[2:]], verbosity=2)
