#!/usr/bin/env python3
"""A machine that has what `scripts/setup.sh build` installs, and no package that only the tests need.

usage: fresh_machine.py C_COMPILER CXX_COMPILER
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
COMPILERS = []  # set by main
LIMIT = 120  # seconds: how long one configuration may take
TESTS_ALONE_NEED = ["GTest", "rapidcheck", "Python3"]


def configure(tests):
    """Configures a new tree on such a machine; `tests` is ON or OFF."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-fresh-") as tree:
        return subprocess.run(
            ["cmake", "-S", SOURCE, "-B", tree, "-G", "Ninja", f"-DPLIMSOLL_TESTS={tests}",
             f"-DCMAKE_C_COMPILER={COMPILERS[0]}", f"-DCMAKE_CXX_COMPILER={COMPILERS[1]}",
             *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in TESTS_ALONE_NEED)],
            capture_output=True, text=True, timeout=LIMIT, check=False)


class FreshMachine(unittest.TestCase):
    def test_the_programs_are_configured(self):
        done = configure("OFF")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_tests_are_not(self):
        done = configure("ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "|".join(TESTS_ALONE_NEED))

    def test_every_target_sets_up_what_it_builds(self):
        recipes = re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", (SOURCE / "Makefile").read_text(), re.MULTILINE)
        seen = {"programs": 0, "tests": 0}
        for target, recipe in recipes:
            sets = set(re.findall(r"scripts/setup\.sh ([a-z]+)", recipe))
            for part in re.findall(r"scripts/build\.sh [a-z]+ ([a-z]+)", recipe):
                seen[part] += 1
                wanted = {"build"} if part == "programs" else {"test", "ci", "bench"}
                self.assertTrue(sets & wanted, f"make {target} builds {part} and sets up {sorted(sets)}")
        self.assertGreaterEqual(seen["programs"], 4)
        self.assertGreaterEqual(seen["tests"], 5)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    COMPILERS[:] = sys.argv[1:]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(FreshMachine)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
