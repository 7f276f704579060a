"""The proxy in front of a real engine: what it passes on, what it changes and how it breaks."""
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOST = os.environ.get("PLIMSOLL_TEST_DOCKER_HOST", "")
IMAGE = os.environ.get("PLIMSOLL_TEST_IMAGE", "plimsoll/sandbox:latest")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("docker", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def call(path, method, target, body=None):
    connection = UnixConnection(path)
    try:
        connection.request(method, "/v1.41" + target, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


class EngineProxy(unittest.TestCase):
    def setUp(self):
        self.assertTrue(HOST.startswith("unix://"), "set PLIMSOLL_TEST_DOCKER_HOST to unix:// and a running engine's socket")
        self.engine = HOST.removeprefix("unix://")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.rules_file = folder.name + "/sock", Path(folder.name + "/rules.json")
        self.rules()
        self.proxy = subprocess.Popen([sys.executable, "-B", HERE / "engine_proxy.py", self.path, self.engine,
                                       self.rules_file], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.proxy.stdout.readline(), "ready\n")
        self.name = "t-engine-proxy-" + secrets.token_hex(8)
        self.addCleanup(call, self.engine, "DELETE", f"/containers/{self.name}?force=1&v=1")

    def end(self):
        self.proxy.terminate()
        self.proxy.wait(10)
        self.proxy.stdout.close()

    def rules(self, *rules):
        temporary = self.rules_file.with_suffix(".new")
        temporary.write_text(json.dumps(rules))
        temporary.rename(self.rules_file)

    def create(self):
        return call(self.path, "POST", f"/containers/create?name={self.name}", {
            "Image": IMAGE, "Entrypoint": ["/bin/cat"], "OpenStdin": True, "StdinOnce": True,
            "HostConfig": {"NetworkMode": "none", "PidsLimit": 64, "Memory": 64 << 20, "NanoCpus": 500_000_000,
                           "Tmpfs": {"/tmp": "size=16m"}}})

    def host_config(self):
        return call(self.engine, "GET", f"/containers/{self.name}/json")[1]["HostConfig"]

    def attach(self):
        stream = socket.socket(socket.AF_UNIX)
        self.addCleanup(stream.close)
        stream.settimeout(20)
        stream.connect(self.path)
        stream.sendall(f"POST /v1.41/containers/{self.name}/attach?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1\r\n"
                       "Host: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += stream.recv(1)
        self.assertTrue(head.startswith(b"HTTP/1.1 101 "), head)
        return stream

    def read_all(self, stream):
        heard = b""
        while data := stream.recv(65536):
            heard += data
        return heard

    def test_without_rules_everything_passes_the_attached_stream_included(self):
        self.assertEqual(call(self.path, "GET", "/version")[0], 200)
        self.assertEqual(self.create()[0], 201)
        self.assertEqual(self.host_config()["PidsLimit"], 64)
        stream = self.attach()
        self.assertEqual(call(self.path, "POST", f"/containers/{self.name}/start")[0], 204)
        stream.sendall(b"hello\n")
        self.assertEqual(stream.recv(14, socket.MSG_WAITALL), b"\x01\0\0\0\0\0\0\x06hello\n")
        stream.shutdown(socket.SHUT_WR)
        self.assertEqual(self.read_all(stream), b"")
        self.assertEqual(call(self.path, "POST", f"/containers/{self.name}/wait")[1]["StatusCode"], 0)

    def test_it_drops_and_sets_members_of_a_request(self):
        self.rules({"method": "POST", "path": "/containers/create",
                    "remove": ["HostConfig.PidsLimit", "HostConfig.Tmpfs", "HostConfig.NoSuch.Thing"],
                    "set": {"HostConfig.Memory": 32 << 20}})
        self.assertEqual(self.create()[0], 201)
        config = self.host_config()
        self.assertIn(config["PidsLimit"], (None, 0))
        self.assertFalse(config.get("Tmpfs"))
        self.assertEqual(config["Memory"], 32 << 20)
        self.assertEqual(config["NanoCpus"], 500_000_000)

    def test_it_changes_members_of_an_answer(self):
        self.rules({"path": "/info", "answer_set": {"DefaultRuntime": "nope", "DriverStatus.0.1": "x"},
                    "answer_remove": ["PidsLimit"]})
        info = call(self.path, "GET", "/info")[1]
        self.assertEqual((info["DefaultRuntime"], info["DriverStatus"][0][1]), ("nope", "x"))
        self.assertNotIn("PidsLimit", info)
        self.assertIn("PidsLimit", call(self.engine, "GET", "/info")[1])

    def test_it_answers_by_itself_as_often_as_told(self):
        self.rules({"path": "/containers/create", "status": 500, "message": "no", "times": 1})
        self.assertEqual(self.create(), (500, {"message": "no"}))
        self.assertEqual(self.create()[0], 201)

    def test_it_cuts_before_and_after_the_engine_has_seen_the_request(self):
        self.rules({"path": "/containers/create", "cut": "request", "times": 1})
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.create()
        self.assertEqual(call(self.engine, "GET", f"/containers/{self.name}/json")[0], 404)
        self.rules({"path": "/containers/create", "cut": "answer"})
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.create()
        self.assertEqual(call(self.engine, "GET", f"/containers/{self.name}/json")[0], 200)

    def test_it_delays_and_hangs(self):
        self.rules({"path": "/version", "delay_ms": 300})
        before = time.monotonic()
        self.assertEqual(call(self.path, "GET", "/version")[0], 200)
        self.assertGreaterEqual(time.monotonic() - before, 0.3)
        self.rules({"path": "/version", "hang": True})
        connection = UnixConnection(self.path)
        connection.timeout = 0.3
        with self.assertRaises(TimeoutError):
            connection.request("GET", "/version")
            connection.getresponse()
        connection.close()

    def test_it_cuts_a_stream_in_the_middle(self):
        self.rules({"path": "/containers/[^/]+/attach", "cut_after_bytes": 10})
        self.create()
        stream = self.attach()
        call(self.path, "POST", f"/containers/{self.name}/start")
        stream.sendall(b"hello\n")
        self.assertEqual(self.read_all(stream), b"\x01\0\0\0\0\0\0\x06he")

    def test_it_dies_with_all_its_connections(self):
        self.create()
        stream = self.attach()
        self.proxy.send_signal(signal.SIGTERM)
        self.assertEqual(self.read_all(stream), b"")
        with self.assertRaises(OSError):
            call(self.path, "GET", "/version")


if __name__ == "__main__":
    unittest.main()
