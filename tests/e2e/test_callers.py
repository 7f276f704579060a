"""Credentials, and what is refused before a body is read."""
import gzip
import json
import time
import unittest

from harness import SERVICE, Daemon, Raw, bearer, clients_file, request, until, wasm

RUN = SERVICE + "Run"
JSON = ("Content-Type", "application/json")
ID = "0123456789abcdef0123456789abcdef"
LIMIT = 8 * 1024 * 1024


class Callers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = clients_file({"runner": ("run-token", ["code:run"]), "reader": ("read-token", ["other"]),
                                 "root": ("root-token", ["*"])})
        cls.daemon = Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": cls.file.__enter__()})
        cls.daemon.listening()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()
        cls.file.__exit__(None, None, None)

    def test_D22_D24_W12_refused_at_once_whatever_the_body(self):
        cases = [([], 401, "unauthenticated"), ([("Authorization", "Basic x")], 401, "unauthenticated"),
                 ([("Authorization", "Bearer a b")], 401, "unauthenticated"),
                 ([("Authorization", "Bearer wrong")], 401, "unauthenticated"),
                 ([("Authorization", "Bearer run-token")] * 2, 401, "unauthenticated"),
                 ([("Authorization", "Bearer read-token")], 403, "permission_denied")]
        for headers, status, code in cases:
            with Raw(self.daemon.address) as raw:
                began = time.monotonic()
                raw.send("POST", RUN, [JSON, ("Content-Length", "100"), *headers], b"{}")
                answer = raw.answer(limit=1.0)
                self.assertLess(time.monotonic() - began, 1.0)
            self.assertEqual((answer.status, answer.code, answer.reason), (status, code, "permission"), headers)
            self.assertEqual(answer.headers["Connection"].lower(), "close")

    def test_D22_known_callers_pass(self):
        for token in ("run-token", "root-token"):
            self.assertEqual(self.daemon.run("console.log(1)", bearer(token)).stdout, "1\n")

    def test_W10_unknown_paths_and_procedures(self):
        answer = self.daemon.request("GET", "/nothing")
        self.assertEqual((answer.status, answer.mark), (404, "unsupported"))
        answer = self.daemon.call("Nothing", {}, bearer("run-token"))
        self.assertEqual((answer.status, answer.reason), (403, "permission"))

    def test_D28_W7_the_request_id_comes_back_once(self):
        with_id = {"Plimsoll-Request-Id": ID}
        token = {**bearer("run-token"), **with_id}
        answers = {
            200: self.daemon.run(headers=token), 401: self.daemon.run(headers=with_id),
            404: self.daemon.request("GET", "/nothing", headers=with_id),
            400: self.daemon.request("POST", RUN, "{", {"Content-Type": "application/json", **token}),
            415: self.daemon.request("POST", RUN, "{}", {"Content-Type": "text/plain", **token})}
        for status, answer in answers.items():
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.headers.get_all("Plimsoll-Request-Id"), [ID], status)
        self.assertEqual(self.daemon.request("GET", "/healthz", headers=with_id).headers["Plimsoll-Request-Id"], ID)

    def test_D28_W8_any_other_id_is_neither_echoed_nor_refused(self):
        for ids in ([ID.upper()], [ID[1:]], [ID, ID], ["g" * 32], [ID + "," + ID]):
            with Raw(self.daemon.address) as raw:
                raw.send("POST", SERVICE + "Describe", [JSON, ("Content-Length", "2"), ("Authorization", "Bearer run-token"),
                                                        *(("Plimsoll-Request-Id", i) for i in ids)], b"{}")
                answer = raw.answer()
            self.assertEqual(answer.status, 200)
            self.assertNotIn("Plimsoll-Request-Id", answer.headers)

    def test_W9_bodies_that_cannot_be_read(self):
        cases = [("{", "application/json", 400), ("{}", "text/plain", 415)]
        for body, content_type, status in cases:
            answer = self.daemon.request("POST", RUN, body, {"Content-Type": content_type, **bearer("run-token")})
            self.assertEqual((answer.status, answer.mark), (status, "request"))

    def test_D25_W9_W13_a_declared_length_over_the_limit(self):
        with Raw(self.daemon.address) as raw:
            raw.send("POST", RUN, [JSON, ("Content-Length", str(LIMIT + 1)), ("Authorization", "Bearer run-token")])
            answer = raw.answer(limit=1.0)
        self.assertEqual((answer.status, answer.code, answer.reason), (429, "resource_exhausted", "request"))

    def test_D25_a_body_that_unpacks_past_the_limit(self):
        bomb = gzip.compress(b" " * (LIMIT + 1))
        before = self.daemon.metric("plimsoll_runs_total")
        answer = self.daemon.request("POST", RUN, bomb, {"Content-Type": "application/json", "Content-Encoding": "gzip",
                                                         **bearer("run-token")})
        self.assertEqual((answer.status, answer.code, answer.mark), (429, "resource_exhausted", "request"))
        self.assertEqual(self.daemon.metric("plimsoll_runs_total"), before)

    def test_W14_two_requests_on_one_connection(self):
        body = json.dumps({"protocol": 5}).encode()
        with Raw(self.daemon.address) as raw:
            for _ in range(2):
                raw.send("POST", SERVICE + "Describe", [JSON, ("Content-Length", str(len(body))),
                                                        ("Authorization", "Bearer run-token")], body)
                self.assertEqual(raw.answer().status, 200)


class DecodeSlots(unittest.TestCase):
    def test_D26_slow_bodies_of_one_caller_hold_up_nobody_else(self):
        with clients_file({"a": ("token-a", ["code:run"]), "b": ("token-b", ["code:run"])}) as path:
            with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path, "SANDBOX_MAX_CONCURRENT": "1"}) as daemon:
                with Raw(daemon.address) as slow:
                    slow.send("POST", RUN, [JSON, ("Content-Length", "100"), ("Authorization", "Bearer token-a")], b"{}")
                    until(lambda: daemon.call("Describe", {}, bearer("token-a")).status == 429, "the slot to be held")
                    answer = daemon.call("Describe", {}, bearer("token-a"))
                    self.assertEqual((answer.code, answer.reason), ("resource_exhausted", "capacity"))
                    self.assertEqual(daemon.call("Describe", {}, bearer("token-b")).status, 200)

    def test_D27_a_long_run_holds_no_decode_slot(self):
        with clients_file({"a": ("token-a", ["code:run"])}) as path:
            with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path, "SANDBOX_MAX_CONCURRENT": "1"}) as daemon:
                with daemon.busy(bearer("token-a")):
                    self.assertEqual(daemon.call("Describe", {}, bearer("token-a")).status, 200)


class FailedCredentials(unittest.TestCase):
    def test_D23_many_failures_give_one_line_without_a_token(self):
        with Daemon({"SANDBOX_PROVIDER": "", "PLIMSOLL_TOKEN": "x" * 32}) as daemon:
            for i in range(1000):
                self.assertEqual(daemon.run(headers=bearer(f"guess-{i}")).status, 401)
            self.assertEqual(daemon.metric("plimsoll_auth_failures_total"), 1000)
            daemon.stop()
            lines = [r for r in daemon.records if r["msg"] == "credentials refused"]
            self.assertEqual(len(lines), 1)
            self.assertIn("count", lines[0])
            self.assertNotIn("guess", "".join(daemon.lines))


class OpenMode(unittest.TestCase):
    def test_D29_what_open_mode_says_of_unknown_and_malformed(self):
        with Daemon(wasm()) as daemon:
            answer = daemon.call("Nothing", {})
            self.assertEqual((answer.status, answer.mark), (404, "unsupported"))
            answer = daemon.request("POST", RUN, "{", {"Content-Type": "application/json"})
            self.assertEqual((answer.status, answer.mark), (400, "request"))

    def test_D30_options_star_with_a_held_back_body(self):
        with Daemon(wasm()) as daemon:
            for address in (daemon.address, daemon.metrics_address):
                with Raw(address) as raw:
                    raw.send("OPTIONS", "*", [("Content-Length", "100")])
                    self.assertIn(raw.answer(limit=5.0).status, range(400, 500))

    def test_D50_one_path_on_the_metrics_listener(self):
        with Daemon(wasm()) as daemon:
            page = request(daemon.metrics_address, "GET", "/metrics")
            self.assertEqual(page.status, 200)
            self.assertTrue(page.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
            for reason in ("at_capacity", "per_key", "rate", "paid_caller", "paid_daemon"):
                self.assertIn('plimsoll_shed_total{reason="%s"} 0\n' % reason, page.text)
            self.assertEqual(request(daemon.metrics_address, "GET", "/healthz").status, 404)
            self.assertEqual(daemon.request("GET", "/metrics").status, 404)
