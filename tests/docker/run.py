#!/usr/bin/env python3
"""Runs tests of this folder against the docker engine that PLIMSOLL_TEST_DOCKER_HOST names.

usage: run.py BIN_DIR MODULE[.CLASS[.TEST]] ... [unittest arguments]

BIN_DIR holds plimsolld and what it starts; a module that starts no daemon does not look there.
"""
import sys
import unittest
from pathlib import Path

import world


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    world.harness.BIN_DIR = Path(sys.argv[1]).resolve()
    return unittest.main(module=None, argv=["run.py", "-v", *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
