"""The programs that need no daemon: `plimsoll` with a sandbox of its own, and the example that embeds one."""
import json
import subprocess
import unittest

import harness
from harness import text_file


def program(name, *arguments, **more):
    return subprocess.run([str(harness.BIN_DIR / name), *arguments], env={}, capture_output=True, timeout=harness.WAIT,
                          stdin=subprocess.DEVNULL, **more)


class Tool(unittest.TestCase):
    CODE = "console.log('out'); console.error('err'); throw new Error('end');"

    def test_C86_output_tier_digest_and_the_guests_exit_code(self):
        with text_file(self.CODE) as path:
            shown = program("plimsoll", "run", path)
            told = json.loads(program("plimsoll", "run", path, "--json").stdout)
        self.assertEqual((shown.returncode, shown.stdout), (1, b"out\n"))
        lines = shown.stderr.decode().splitlines()
        self.assertEqual(lines[0], "err")
        self.assertRegex(lines[-1], r"\Aplimsoll: wasm, process, exit 1, \d+ ms, record [0-9a-f]{12}…\Z")
        self.assertEqual((told["ran"], told["isolation"], told["exit_code"], told["stdout"]), (True, "process", 1, "out\n"))
        self.assertRegex(told["record"]["record_sha256"], r"\A[0-9a-f]{64}\Z")

    def test_C86_XB12_below_the_floor_nothing_runs(self):
        with text_file(self.CODE) as path:
            shown = program("plimsoll", "run", path, "--floor", "kernel")
            told = program("plimsoll", "run", path, "--floor", "kernel", "--json")
        self.assertEqual((shown.returncode, shown.stdout), (125, b""))
        self.assertEqual(shown.stderr.decode(), "plimsoll: nothing ran (isolation): sandbox isolation requirement not met: "
                                                "provider isolation process is below requested minimum kernel\n")
        self.assertEqual((told.returncode, json.loads(told.stdout)["ran"], json.loads(told.stdout)["reason"]),
                         (125, False, "isolation"))

    def test_a_result_that_cannot_be_written_is_no_success(self):
        with text_file("console.log('out')") as path, open("/dev/full", "wb") as full:
            for form in ([], ["--json"]):
                run = subprocess.run([str(harness.BIN_DIR / "plimsoll"), "run", path, *form], stdout=full,
                                     stderr=subprocess.PIPE, timeout=harness.WAIT)
                self.assertEqual(run.returncode, 126, form)
                self.assertIn(b"could not be written", run.stderr)


class Examples(unittest.TestCase):
    LABELS = ["provider", "isolation", "exit code", "timed out", "truncated", "duration", "stdout"]

    def test_C60_minimal_says_where_it_ran_and_prints_the_totals(self):
        shown = program("minimal")
        self.assertEqual((shown.returncode, shown.stderr), (0, b""))
        facts = [(line[:13].rstrip(), line[13:]) for line in shown.stdout.decode().splitlines()]
        self.assertEqual([label for label, _ in facts], [*self.LABELS, "record"])
        said = dict(facts)
        self.assertEqual((said["provider"], said["isolation"], said["exit code"], said["timed out"], said["truncated"]),
                         ("wasm", "process", "0", "no", "stdout no, stderr no"))
        self.assertEqual(json.loads(said["stdout"], object_pairs_hook=list),
                         [("Engineering", 59000000), ("Sales", 20300000), ("Operations", 9800000)])
