"""What a log line and a record may never hold."""
import base64
import http.client
import json
import secrets
import unittest

from harness import SERVICE, WAIT, Daemon, bearer, clients_file, wasm

RUNS = 1000


class Markers:
    """Random words that the code, the output, the names and the values of one test carry. None may come back out."""

    def __init__(self):
        self.words = []

    def new(self):
        self.words.append("m" + secrets.token_hex(8))
        return self.words[-1]

    def found_in(self, text):
        """The words in `text`, as they are or as base64 shows them at any of its three offsets."""
        found = []
        for word in self.words:
            shapes = [word] + [base64.b64encode(b" " * pad + word.encode())[4:-4].decode() for pad in range(3)]
            found += [word for shape in shapes if shape in text]
        return found


class Secrets(unittest.TestCase):
    def test_R16_P71_a_thousand_runs_leave_no_code_output_or_token(self):
        markers = Markers()
        tokens = [markers.new() for _ in range(2)]
        with clients_file({"a": (tokens[0], ["code:run"]), "b": (tokens[1], ["code:run"])}) as path:
            with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path, "SANDBOX_RATE_PER_MIN": "0"}) as daemon:
                connection = http.client.HTTPConnection(*daemon.address, timeout=WAIT)
                records = [self.run_one(connection, markers, tokens[i % 2], i) for i in range(RUNS)]
                connection.close()
                daemon.stop()
                self.assertEqual(len([r for r in daemon.records if r["msg"] == "code run"]), RUNS)
                self.assertEqual(markers.found_in("".join(daemon.lines)), [])
                self.assertEqual(markers.found_in("".join(records)), [])

    def run_one(self, connection, markers, token, number):
        """One run that prints what its code does not spell, and ends in one of three ways; gives its record's text."""
        code, out = markers.new(), markers.new()
        half = len(out) // 2
        program = f"/* {code} */ const out = '{out[:half]}' + '{out[half:]}'; console.log(out); console.error(out);"
        program += ("", "throw new Error(out)", "Promise.reject(out)")[number % 3]
        connection.request("POST", SERVICE + "Run", json.dumps({"protocol": 5, "javascript": {"code": program}}),
                           {"Content-Type": "application/json", **bearer(token)})
        text = connection.getresponse().read().decode()
        self.assertEqual(set(markers.found_in(text)), {out})  # so a word that did leak would be found
        return json.dumps(json.loads(text)["record"])

    def test_P71_nothing_of_a_refused_request_is_logged(self):
        markers = Markers()
        markers.words.append("918273645546372")
        new = markers.new
        requests = [
            {"project": {"files": [{"path": new() + "/" + new(), "content": new()}], "steps": [new()], "artifacts": [new()]}},
            {"project": {"files": [{"path": "../" + new(), "content": new()}], "steps": [new()], "artifacts": [new()]}},
            {"module": {"model": new(), "rows": [{"values": [918273645546372]}], "endTime": 1, "step": 1}},
            {"javascript": {"code": new() + "\0"}},
            {"javascript": {"code": new(), "grantProfile": new()}},
            {"javascript": {"code": new()}, "minimumIsolation": new()},
            {"javascript": {"code": new()}, "softwareRule": {"mode": new(), "identities": [new()]}},
        ]
        with Daemon(wasm()) as daemon:
            for request in requests:
                self.assertGreaterEqual(daemon.call("Run", {"protocol": 5, **request}).status, 400, request)
            daemon.call("Run", {"protocol": 5, "javascript": {"code": new()}, new(): new()})  # an unknown field is let be
            daemon.call("SessionRun", {"protocol": 5, "sessionId": new(), "cell": {"code": new()}})
            daemon.request("POST", "/" + new(), new(), {"Content-Type": new(), "Plimsoll-Request-Id": new()})
            daemon.run(headers=bearer(new()))
            daemon.run(traceId=new() + "/")
            daemon.stop()
            self.assertEqual(markers.found_in("".join(daemon.lines)), [])

    def test_P71_nothing_of_a_timed_out_or_stopped_run_is_logged(self):
        markers = Markers()
        code, out = markers.new(), markers.new()
        program = f"/* {code} */ console.log('{out}'); for (;;) {{}}"
        with Daemon(wasm()) as daemon:
            self.assertEqual(daemon.run(program, timeoutMs=50).json["javascript"]["exitCode"], 124)
            self.assertEqual(daemon.run(program, {"Connect-Timeout-Ms": "50"}).code, "deadline_exceeded")
            self.assertIn("deadline", daemon.record("code run failed")["error"])
            daemon.stop()
            self.assertEqual(markers.found_in("".join(daemon.lines)), [])


