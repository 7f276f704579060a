#!/usr/bin/env python3
"""Tests of the harness itself: its codec, its figures, and that it refuses what it must. Needs h2load and curl for the last class."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import cpu, report, rows, table, wire  # noqa: E402
from harness.figures import BenchError, Sample, median_ratio, percentile, sample_of, summarise  # noqa: E402

STAND_INS = HERE / "testing"


def measured(key: str, samples: list[Sample]) -> report.Measured:
    row = rows.Row(key, rows.PROVIDER_GROUP, key, 1, lambda _: samples[0])
    return report.Measured(row, samples, None)


class Wire(unittest.TestCase):
    def test_encodes_the_request_byte_for_byte(self):
        self.assertEqual(wire.run_request_binary().hex(), "0805" "5212" "0a10" + b"console.log(6*7)".hex())
        self.assertEqual(wire.run_request_binary("vm").hex()[:12], "0805" "1202" "766d")

    def test_accepts_an_answer_with_record_and_stdout(self):
        wire.check_success_binary(200, bytes.fromhex("2202080452050a0334320a"))

    def test_refuses_an_answer_that_is_not_the_success(self):
        for body in ("2202080452050a0334330a", "52050a0334320a", "22020804", "2202080452070a0334320a1801", "220f08"):
            with self.assertRaises(wire.WrongAnswer, msg=body):
                wire.check_success_binary(200, bytes.fromhex(body))
        with self.assertRaises(wire.WrongAnswer):
            wire.check_success_binary(503, bytes.fromhex("2202080452050a0334320a"))

    def test_refuses_a_refusal_of_another_kind(self):
        for code, value in (("failed_precondition", "CAY"), ("unavailable", "CAU"), ("failed_precondition", "")):
            body = {"code": code, "details": [{"type": "plimsoll.v1.NotDispatched", "value": value}]}
            with self.assertRaises(wire.WrongAnswer):
                wire.check_floor_refusal(400, json.dumps(body).encode())


class Figures(unittest.TestCase):
    def test_percentile_is_the_nearest_rank(self):
        self.assertEqual(percentile(range(1, 101), 0.99), 99)
        self.assertEqual(percentile([7], 0.5), 7)
        with self.assertRaises(BenchError):
            percentile([], 0.5)

    def test_rates_count_the_runs_of_the_stretch(self):
        self.assertEqual(sample_of([100.0] * 50, 0.5), Sample(100.0, 100.0, 100.0, 50))

    def test_medians_are_taken_over_the_rounds(self):
        summary = summarise([Sample(1000, 2000, rate, 10) for rate in (90, 10, 50)])
        self.assertEqual((summary.runs_per_s, summary.slowest_per_s, summary.fastest_per_s, summary.runs), (50, 10, 90, 30))

    def test_ben3_ratios_are_taken_within_a_round(self):
        ours = [Sample(1, 1, rate, 1) for rate in (100, 10, 100)]
        theirs = [Sample(1, 1, rate, 1) for rate in (50, 5, 50)]
        self.assertEqual(median_ratio(ours, theirs), 2)


class Targets(unittest.TestCase):
    def test_ben4_every_target_names_a_row_and_a_missed_one_is_shown(self):
        plan = rows.Plan(HERE, HERE, 1.0, 1, 1, 2)
        known = {row.key for row in rows.all_rows(plan)} | {"start.1"}
        for target in json.loads(report.TARGETS.read_text()):
            self.assertIn(target["row"], known)
            self.assertIn(target.get("to", target["row"]), known)
        slow = report.judge([measured("provider.1", [Sample(151, 200, 100, 1)])])
        self.assertEqual([verdict.met for verdict in slow], [False] * len(slow))
        quick = report.judge([measured("provider.1", [Sample(150, 200, 100, 1)])])
        self.assertTrue(quick[0].met)

    def test_a_missing_marker_is_refused(self):
        self.assertEqual(report.replace_between_markers("a\nB\nold\nE\nz", "B", "E", "new"), "a\nB\nnew\nE\nz")
        with self.assertRaises(BenchError):
            report.replace_between_markers("a\nE\nB\n", "B", "E", "new")


class Cpu(unittest.TestCase):
    def test_own_work_is_seen(self):
        before = cpu.snapshot(os.getpid())
        sum(range(2_000_000))
        spent = cpu.difference(before, cpu.snapshot(os.getpid()), 1)
        self.assertGreater(sum(part.cpu_ns for part in spent.values()), 1_000_000)

    def test_parts_below_a_tenth_of_a_microsecond_are_not_shown(self):
        parts = {"io": cpu.Spent(5000), "idle": cpu.Spent(50)}
        shown = table.cpu_lines([report.CpuRow("row", 1, 1.0, parts)])[0]
        self.assertIn("io", shown)
        self.assertNotIn("idle", shown)


@unittest.skipUnless(shutil.which("h2load") and shutil.which("curl") and shutil.which("node"), "h2load, curl or node is missing")
class WholeRun(unittest.TestCase):
    def run_bench(self, **env: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "results.json")
            command = [sys.executable, str(HERE / "bench.py"), str(STAND_INS), "--json", str(out), "--rounds", "1", "--starts", "1"]
            settings = os.environ | {"XDG_CACHE_HOME": folder, "BENCH_SECONDS": "0.1"} | env
            done = subprocess.run(
                [*command, "--leave-out-uninstalled"], env=settings, capture_output=True, text=True, timeout=110, check=False
            )
            self.results = json.loads(out.read_text()) if out.exists() else None
            return done

    def test_every_row_is_in_the_table_and_left_out_ones_are_named(self):
        done = self.run_bench()
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = rows.Plan(HERE, HERE, 1.0, 1, 1, 2)
        keys = {row["key"] for row in self.results["rows"]} | set(self.results["left_out"])
        self.assertEqual(keys, {row.key for row in rows.all_rows(plan)} | {"start.1"})
        self.assertIn("Left out: quickjs.1", done.stdout)

    def test_ben1_a_wrong_answer_ends_the_run_without_a_table(self):
        done = self.run_bench(STAND_IN_WRONG_AFTER="200")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("row h2c_binary.1: expected only status 200", done.stderr)
        self.assertIsNone(self.results)


if __name__ == "__main__":
    unittest.main()
