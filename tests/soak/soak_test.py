#!/usr/bin/env python3
"""The soaks at the size of a test run.

usage: soak_test.py BIN_DIR [unittest arguments]
"""
import sys
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "e2e"))

import harness  # noqa: E402
import rounds  # noqa: E402
from load import Connection, judge  # noqa: E402


class Soak(unittest.TestCase):
    def test_D28_D51_twenty_thousand_runs_keep_their_memory(self):
        marks, _ = rounds.runs([2_000, 20_000])
        self.assertEqual([mark.runs for mark in marks], [2_000, 20_000])

    def test_P22_POOL3_POOL9_every_answer_under_kills_is_the_requests_own_or_an_unmarked_error(self):
        tally, _, _ = rounds.kills(rounds=10, runs_each=200)
        self.assertEqual(tally.own + tally.fault, 2_000)

    def test_P9_a_guest_that_allocates_for_ever_stays_within_its_cap(self):
        rounds.allocating()


class Judge(unittest.TestCase):
    """What tells a right answer from a wrong one."""

    def setUp(self):
        self.connection = Connection.__new__(Connection)
        self.connection.id = "0" * 31 + "7"
        self.own = {"plimsoll-request-id": self.connection.id}

    def kind(self, status, body, headers=None):
        return judge(self.connection, status, self.own if headers is None else headers, body)[0]

    def test_only_the_requests_own_token_is_right(self):
        self.assertEqual(self.kind(200, b'{"javascript":{"stdout":"MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDcK"}}'), "own")
        self.assertEqual(self.kind(200, b'{"javascript":{"stdout":"MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDgK"}}'), "wrong")
        self.assertEqual(self.kind(200, b'{"javascript":{}}'), "wrong")

    def test_another_requests_id_or_bytes_after_the_answer_are_wrong(self):
        body = b'{"javascript":{"stdout":"MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDcK"}}'
        self.assertEqual(self.kind(200, body, {"plimsoll-request-id": "8"}), "wrong")
        self.assertEqual(self.kind(200, body + b"HTTP/1.1 200 OK"), "wrong")

    def test_an_error_is_told_from_a_refusal(self):
        fault = b'{"code":"internal","message":"internal error 0123456789abcdef: the run failed"}'
        self.assertEqual(self.kind(500, fault), "fault")
        self.assertEqual(self.kind(500, b'{"code":"internal","message":"without an id"}'), "wrong")
        self.assertEqual(self.kind(500, fault, {**self.own, "plimsoll-not-dispatched": "capacity"}), "refused")
        self.assertEqual(self.kind(429, b'{"code":"resource_exhausted","message":"","details":[{}]}'), "refused")


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    harness.BIN_DIR = Path(sys.argv[1]).resolve()
    return unittest.main(argv=["soak_test.py", *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
