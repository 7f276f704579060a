"""The proxy in front of a real engine: what it passes on, what it changes and how it breaks."""
import http.client
import secrets
import socket
import time
import unittest

import world
from engine import Engine, EngineError


class EngineProxy(unittest.TestCase):
    def setUp(self):
        self.proxy = world.Proxy()
        self.addCleanup(self.proxy.__exit__)
        self.real, self.seen = world.engine(), Engine(self.proxy.host)
        self.name = "t-engine-proxy-" + secrets.token_hex(8)
        self.addCleanup(self.remove)

    def remove(self):
        if self.there():
            self.real.call("DELETE", f"/containers/{self.name}", query={"force": 1, "v": 1})

    def there(self):
        """What the engine itself says of the container; None where it has none."""
        try:
            return self.real.json("GET", f"/containers/{self.name}/json")
        except EngineError as error:
            if error.status == 404:
                return None
            raise

    def create(self):
        self.seen.json("POST", "/containers/create", query={"name": self.name}, timeout=20, body={
            "Image": world.PROJECT, "Entrypoint": ["/bin/cat"], "OpenStdin": True, "StdinOnce": True,
            "HostConfig": {"NetworkMode": "none", "PidsLimit": 64, "Memory": 64 << 20, "NanoCpus": 500_000_000,
                           "Tmpfs": {"/tmp": "size=16m"}}})

    def start(self):
        self.seen.call("POST", f"/containers/{self.name}/start")

    def attach(self):
        stream = socket.socket(socket.AF_UNIX)
        self.addCleanup(stream.close)
        stream.settimeout(20)
        stream.connect(self.proxy.path)
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
        self.assertIn("ApiVersion", self.seen.json("GET", "/version"))
        self.create()
        self.assertEqual(self.there()["HostConfig"]["PidsLimit"], 64)
        stream = self.attach()
        self.start()
        stream.sendall(b"hello\n")
        self.assertEqual(stream.recv(14, socket.MSG_WAITALL), b"\x01\0\0\0\0\0\0\x06hello\n")
        stream.shutdown(socket.SHUT_WR)
        self.assertEqual(self.read_all(stream), b"")
        self.assertEqual(self.seen.json("POST", f"/containers/{self.name}/wait")["StatusCode"], 0)

    def test_it_drops_and_sets_members_of_a_request(self):
        self.proxy.rules({"method": "POST", "path": "/containers/create",
                          "remove": ["HostConfig.PidsLimit", "HostConfig.Tmpfs", "HostConfig.NoSuch.Thing"],
                          "set": {"HostConfig.Memory": 32 << 20}})
        self.create()
        config = self.there()["HostConfig"]
        self.assertIn(config["PidsLimit"], (None, 0))
        self.assertFalse(config.get("Tmpfs"))
        self.assertEqual(config["Memory"], 32 << 20)
        self.assertEqual(config["NanoCpus"], 500_000_000)

    def test_it_changes_members_of_an_answer(self):
        self.proxy.rules({"path": "/info", "answer_set": {"DefaultRuntime": "nope", "DriverStatus.0.1": "x"},
                          "answer_remove": ["PidsLimit"]})
        info = self.seen.json("GET", "/info")
        self.assertEqual((info["DefaultRuntime"], info["DriverStatus"][0][1]), ("nope", "x"))
        self.assertNotIn("PidsLimit", info)
        self.assertIn("PidsLimit", self.real.json("GET", "/info"))

    def test_it_answers_by_itself_as_often_as_told(self):
        self.proxy.rules({"path": "/containers/create", "status": 500, "message": "no", "times": 1})
        with self.assertRaisesRegex(EngineError, "^the engine answered 500: no$"):
            self.create()
        self.assertIsNone(self.there())
        self.create()

    def test_it_cuts_before_and_after_the_engine_has_seen_the_request(self):
        self.proxy.rules({"path": "/containers/create", "cut": "request", "times": 1})
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.create()
        self.assertIsNone(self.there())
        self.proxy.rules({"path": "/containers/create", "cut": "answer"})
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.create()
        self.assertIsNotNone(self.there())

    def test_it_delays_and_hangs(self):
        self.proxy.rules({"path": "/version", "delay_ms": 300})
        before = time.monotonic()
        self.seen.call("GET", "/version")
        self.assertGreaterEqual(time.monotonic() - before, 0.3)
        self.proxy.rules({"path": "/version", "hang": True})
        with self.assertRaises(TimeoutError):
            self.seen.call("GET", "/version", timeout=0.3)

    def test_it_cuts_a_stream_in_the_middle(self):
        self.proxy.rules({"path": "/containers/[^/]+/attach", "cut_after_bytes": 10})
        self.create()
        stream = self.attach()
        self.start()
        stream.sendall(b"hello\n")
        self.assertEqual(self.read_all(stream), b"\x01\0\0\0\0\0\0\x06he")

    def test_it_dies_with_all_its_connections(self):
        self.create()
        stream = self.attach()
        self.proxy.die()
        self.assertEqual(self.read_all(stream), b"")
        with self.assertRaises(OSError):
            self.seen.call("GET", "/version")
