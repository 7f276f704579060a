"""examples/recompute_record.py against the golden vectors and a real answer."""
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import harness
import pages
import recompute_record

REQUEST = {"protocol": 5, "minimumIsolation": "process", "timeoutMs": 2000,
           "javascript": {"code": "console.log('out'); console.error('err'); throw new Error('boom')"}}


def cases(group):
    vectors = json.loads((pages.ROOT / "tests/vectors/records.json").read_text())["cases"]
    return [(case["id"], case["input"], case["expected"]) for case in vectors if case["group"] == group]


def recompute(request, answer):
    """The exit code and the output of the program."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "request.json", Path(folder) / "answer.json"]
        for path, message in zip(paths, (request, answer)):
            path.write_text(json.dumps(message))
        output = io.StringIO()
        with mock.patch("sys.argv", ["recompute_record.py", *map(str, paths)]), contextlib.redirect_stdout(output):
            return recompute_record.main(), output.getvalue()


class GoldenVectors(unittest.TestCase):
    # Left out: other spellings of JSON and base64, which the daemon takes and never sends.
    def test_R1_requests(self):
        wanted = [(i, e) for name, i, e in cases("request") if "javascript" in i["request"]
                  and i["request"].get("protocol", 0) >= 2 and name != "req-js-snake-case"]
        self.assertGreater(len(wanted), 5)
        for given, expected in wanted:
            self.assertEqual(recompute_record.request_digest(given["request"]), expected["sha256"])

    def test_R2_results(self):
        wanted = [(i, e) for name, i, e in cases("result") if "javascript" in i["response"] and "base64" not in name]
        self.assertGreater(len(wanted), 3)
        for given, expected in wanted:
            self.assertEqual(recompute_record.result_digest(given["response"]["javascript"]), expected["sha256"])

    def test_R3_records(self):
        wanted = [(i, e) for _, i, e in cases("record") if i["record"].get("version") == 4]
        self.assertGreater(len(wanted), 3)
        for given, expected in wanted:
            self.assertEqual(recompute_record.record_digest(given["record"]), expected["sha256"])


class RealAnswer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with harness.Daemon(harness.wasm()) as daemon:
            cls.answer = daemon.call("Run", REQUEST).json

    def test_every_digest_of_a_real_record_is_recomputed(self):
        code, output = recompute(REQUEST, self.answer)
        self.assertEqual((code, output.count("matches")), (0, 3), output)

    def test_a_changed_byte_is_found(self):
        changed = json.loads(json.dumps(self.answer))
        changed["javascript"]["stdout"] = "T1VUCg=="
        code, output = recompute(REQUEST, changed)
        self.assertEqual(code, 1)
        self.assertIn("resultSha256 DIFFERS", output)

    def test_a_changed_tier_is_found(self):
        changed = json.loads(json.dumps(self.answer))
        changed["record"]["isolation"] = "vm"
        code, output = recompute(REQUEST, changed)
        self.assertEqual(code, 1)
        self.assertIn("recordSha256 DIFFERS", output)
