"""Bytes nobody meant, sent to the daemon's socket: W52 from outside."""
import gzip
import random
import socket
import unittest

from harness import SERVICE, WAIT, Daemon, clients_file

SEED = 20240229  # the same bytes at every run
REQUESTS = 2000
TOKEN = "token-of-a-caller"

METHODS = ["POST", "POST", "POST", "GET", "PUT", "HEAD", "OPTIONS", "post", "P\x00ST", ""]
TARGETS = [SERVICE + "Run", SERVICE + "Describe", SERVICE + "OpenSession", SERVICE + "SessionRun", SERVICE + "CloseSession",
           SERVICE + "Nothing", "/", "*", "/healthz", "/readyz", SERVICE + "Run?x", "//", "http://h" + SERVICE + "Run"]
TYPES = ["application/json", "application/proto", "application/grpc", "application/grpc+proto", "application/grpc-web",
         "application/grpc-web+proto", "application/connect+json", "text/plain", "application/json; charset=latin1", "", "/"]
ENCODINGS = ["identity", "gzip", "br", "gzip, gzip", "", "x" * 200]
BODIES = [b'{"protocol":5,"javascript":{"code":"console.log(1)"}}', b"\x08\x05\x52\x03\x0a\x011", b"\x00\x00\x00\x00\x02\x08\x05",
          b'{"protocol":4}', b"", b"[" * 200, b"\x00\xff\xff\xff\xff", b'{"protocol":5,"protocol":5}']
AUTHORIZATIONS = ["", "Bearer ", "Bearer wrong", "Basic " + TOKEN, "bearer", "Bearer " + TOKEN[:-1], "\xff"]


class Generator:
    """Requests near enough to good ones that every layer sees some of them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def noise(self, most):
        return self.random.randbytes(self.random.randrange(most))

    def mutated(self, data):
        data = bytearray(data)
        for _ in range(self.random.choice((0, 0, 1, 3, 20))):
            place = self.random.randrange(len(data) + 1)
            data[place:place + self.random.randrange(3)] = self.noise(4)
        return bytes(data)

    def body(self):
        body = self.random.choice(BODIES) if self.random.random() < 0.8 else self.noise(300)
        return gzip.compress(body) if self.random.random() < 0.3 else body

    def request(self, authorization):
        pick = self.random.choice
        body = self.mutated(self.body())
        length = len(body) if self.random.random() < 0.9 else pick((0, len(body) + 5, 8388609, -1, "0x1", ""))
        headers = [("Host", "h"), ("Content-Type", pick(TYPES)), ("Content-Length", length)]
        for name in ("Content-Encoding", "Connect-Content-Encoding", "Grpc-Encoding", "Transfer-Encoding"):
            if self.random.random() < 0.2:
                headers.append((name, pick(ENCODINGS + ["chunked"])))
        if self.random.random() < 0.2:
            headers.append(("Connect-Timeout-Ms", pick(("0", "1", "99999999999", "x"))))
        if authorization is not None:
            headers.append(("Authorization", authorization))
        self.random.shuffle(headers)
        head = f"{pick(METHODS)} {pick(TARGETS)} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers) + "\r\n"
        head = head.encode("latin-1")
        return (self.mutated(head) if self.random.random() < 0.3 else head) + body


def send_all(address, data):
    """Sends the bytes, ends the sending side, and gives everything that comes back before the connection closes."""
    received = b""
    with socket.create_connection(address, WAIT) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                received += piece
        except (ConnectionResetError, BrokenPipeError):
            pass  # closed: one of the two allowed ends
    return received


class AnyBytes(unittest.TestCase):
    def test_W52_one_answer_or_a_closed_connection_and_nothing_runs_without_a_token(self):
        generator = Generator(SEED)
        answered = 0
        with clients_file({"a": (TOKEN, ["code:run"])}) as path:
            with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path, "SANDBOX_RATE_PER_MIN": "0"}) as daemon:
                for number in range(REQUESTS):
                    authorization = generator.random.choice([None, *AUTHORIZATIONS])
                    received = send_all(daemon.address, generator.request(authorization))
                    self.assertTrue(received == b"" or received.startswith(b"HTTP/1.1 "), (number, received[:80]))
                    answered += received != b""
                self.assertEqual(daemon.metric("plimsoll_runs_total"), 0)
                self.assertGreater(answered, REQUESTS // 2)
                self.assertEqual(daemon.run("console.log(1)", {"Authorization": "Bearer " + TOKEN}).stdout, "1\n")
                self.assertEqual(daemon.stop(), 0)

    def test_W52_bytes_with_a_valid_token_end_no_daemon(self):
        generator = Generator(SEED + 1)
        with clients_file({"a": (TOKEN, ["code:run"])}) as path:
            with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path, "SANDBOX_RATE_PER_MIN": "0"}) as daemon:
                for number in range(REQUESTS):
                    received = send_all(daemon.address, generator.request("Bearer " + TOKEN))
                    self.assertTrue(received == b"" or received.startswith(b"HTTP/1.1 "), (number, received[:80]))
                self.assertGreater(daemon.metric("plimsoll_runs_total"), 0)  # some of them were good
                self.assertEqual(daemon.stop(), 0)
