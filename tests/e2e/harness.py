"""A daemon under test, its log, and small clients for it. Every wait has a limit and waits for something."""
import base64
import contextlib
import ctypes
import errno
import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

BIN_DIR = None  # set by run.py
WAIT = 20.0  # seconds: how long anything may take before a test fails
SERVICE = "/plimsoll.v1.SandboxService/"
ENDLESS = "for (;;) {}"


class Daemon:
    """A plimsolld with exactly the environment given, on free ports unless told otherwise."""

    def __init__(self, environment=None, arguments=()):
        self.environment = {"PLIMSOLL_ADDR": "127.0.0.1:0", "PLIMSOLL_METRICS_ADDR": "127.0.0.1:0", **(environment or {})}
        self.records = []  # each line of the log, parsed
        self.lines = []
        self._changed = threading.Condition()
        self._ended = False
        self.process = subprocess.Popen([str(BIN_DIR / "plimsolld"), *arguments], env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for raw in self.process.stderr:
            self.take(raw.decode("utf-8"))
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self, line):
        """Keeps one line of the log. Called on the reader's thread."""
        with self._changed:
            self.lines.append(line)
            self.records.append(json.loads(line))
            self._changed.notify_all()

    def record(self, message, count=1):
        """The count-th record with this msg, once it is there; None when the log ends without it."""
        def found():
            return [r for r in self.records if r["msg"] == message]

        with self._changed:
            self._changed.wait_for(lambda: len(found()) >= count or self._ended, WAIT)
            matching = found()
            return matching[count - 1] if len(matching) >= count else None

    def listening(self):
        record = self.record("plimsolld listening")
        assert record is not None, "the daemon did not start:\n" + "".join(self.lines)
        return record

    def exit_code(self):
        code = self.process.wait(WAIT)
        self._reader.join(WAIT)
        return code

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.exit_code()

    @property
    def address(self):
        return split(self.listening()["addr"])

    @property
    def metrics_address(self):
        return split(self.listening()["metrics_addr"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT)
        self._reader.join(WAIT)
        if not self._reader.is_alive():  # a process that outlived the daemon may hold the other end
            self.process.stderr.close()

    def request(self, method, path, body=None, headers=None):
        return request(self.address, method, path, body, headers)

    def call(self, procedure, message, headers=None):
        return request(self.address, "POST", SERVICE + procedure, json.dumps(message),
                       {"Content-Type": "application/json", **(headers or {})})

    def run(self, code="1", headers=None, **fields):
        return self.call("Run", {"protocol": 5, "javascript": {"code": code}, **fields}, headers)

    def metric(self, series):
        """The value of one series, named with its labels as on the page."""
        for line in request(self.metrics_address, "GET", "/metrics").text.splitlines():
            if line.startswith(series + " "):
                return float(line.rsplit(" ", 1)[1])
        raise AssertionError(f"no series {series}")

    def await_metric(self, series, value):
        until(lambda: self.metric(series) == value, f"{series} to be {value}")

    @contextlib.contextmanager
    def busy(self, headers=None, timeout_ms=20000):
        """A run that is in progress inside the block; its client leaves at the end, which stops the run."""
        before = self.metric("plimsoll_inflight")
        connection = http.client.HTTPConnection(*self.address, timeout=WAIT)
        connection.request("POST", SERVICE + "Run",
                           json.dumps({"protocol": 5, "timeoutMs": timeout_ms, "javascript": {"code": ENDLESS}}),
                           {"Content-Type": "application/json", **(headers or {})})
        try:
            self.await_metric("plimsoll_inflight", before + 1)
            yield connection
        finally:
            connection.close()


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.text = body.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def code(self):
        return self.json["code"]

    @property
    def reason(self):
        """The reason of the NotDispatched detail, or None without one."""
        for detail in self.json.get("details", []):
            if detail["type"].endswith("NotDispatched"):
                return reason_in(decode(detail["value"]))
        return None

    @property
    def mark(self):
        return self.headers.get("Plimsoll-Not-Dispatched")

    @property
    def stdout(self):
        return decode(self.json["javascript"].get("stdout", "")).decode("utf-8")


REASONS = ["unspecified", "request", "permission", "protocol", "unsupported", "isolation", "capacity", "environment"]


def reason_in(message):
    """NotDispatched holds one enum, field 1, as one byte."""
    return REASONS[message[1]] if len(message) == 2 and message[0] == 0x08 else "undecodable"


def decode(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def split(address):
    host, _, port = address.rpartition(":")
    return host, int(port)


def request(address, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(*address, timeout=WAIT)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return Answer(response, response.read())
    finally:
        connection.close()


class Raw:
    """A connection on which a test writes what it likes."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, WAIT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, target, headers, body=b""):
        head = f"{method} {target} HTTP/1.1\r\nHost: test\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers)
        self.socket.sendall(head.encode() + b"\r\n" + body)

    def answer(self, limit=WAIT):
        """The next answer, which must begin within `limit` seconds."""
        self.socket.settimeout(limit)
        response = http.client.HTTPResponse(self.socket, method="POST")
        response.begin()
        return Answer(response, response.read())


def until(condition, what):
    deadline = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def children(pid):
    """The live child processes of `pid`."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


def close_listener(pid, port):
    """Makes the listening socket of another process fail, as a kernel or a neighbour in its namespace could. False where
    this machine does not let one process take a descriptor of its child."""
    getfd = 438  # pidfd_getfd(2), the same number on every architecture
    pidfd = os.pidfd_open(pid)
    try:
        for number in map(int, os.listdir(f"/proc/{pid}/fd")):
            taken = ctypes.CDLL(None, use_errno=True).syscall(getfd, pidfd, number, 0)
            if taken < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
                return False
            if taken >= 0 and shut_if_listening(taken, port):
                return True
    finally:
        os.close(pidfd)
    raise AssertionError(f"process {pid} does not listen on {port}")


def shut_if_listening(descriptor, port):
    try:
        taken = socket.socket(fileno=descriptor)
    except OSError:  # not a socket
        os.close(descriptor)
        return False
    with taken:
        listens = taken.family == socket.AF_INET and taken.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        if not listens or taken.getsockname()[1] != port:
            return False
        taken.shutdown(socket.SHUT_RDWR)
        return True


@contextlib.contextmanager
def clients_file(clients, mode=0o600):
    """A registry file of {id: (token, scopes)}."""
    entries = [{"id": name, "token_sha256": hashlib.sha256(token.encode()).hexdigest(), "scopes": scopes}
               for name, (token, scopes) in clients.items()]
    with text_file(json.dumps({"clients": entries}), mode) as path:
        yield path


@contextlib.contextmanager
def text_file(text, mode=0o600):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        Path(path).write_text(text)
        os.chmod(path, mode)
        yield path


def bearer(token):
    return {"Authorization": "Bearer " + token}


def wasm(**more):
    return {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0", **more}
