"""Starting, finding and stopping one plimsolld, and timing its start."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from harness import wire
from harness.figures import BenchError

# Everything else is default. Rates and the caps are lifted because the question is speed, not admission.
SETTINGS = {
    "SANDBOX_PROVIDER": "wasm",
    "PLIMSOLL_INSECURE": "1",
    "PLIMSOLL_ADDR": "127.0.0.1:0",
    "PLIMSOLL_METRICS_ADDR": "off",
    "SANDBOX_RATE_PER_MIN": "0",
    "SANDBOX_MAX_CONCURRENT": "64",
    "SANDBOX_PER_KEY_CONCURRENT": "64",
}
LISTENING = "plimsolld listening"
START_DEADLINE_S = 30.0
ANSWER_DEADLINE_S = 10.0
STOP_DEADLINE_S = 10.0


def _settings() -> dict[str, str]:
    """The environment of a daemon: nothing of the caller's own PLIMSOLL_ and SANDBOX_ settings leaks into a measurement."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLIMSOLL_", "SANDBOX_"))}
    return kept | SETTINGS


class Daemon:
    """A running plimsolld. Its log, the audit line of each run included, goes to a file as it would in service."""

    def __init__(self, bin_dir: pathlib.Path, log: pathlib.Path):
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"")
        with log.open("ab") as sink:
            self._process = subprocess.Popen(
                [str(bin_dir / "plimsolld")], env=_settings(), stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
            )
        try:
            self.address = self._wait_for_address()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        """SIGTERM, then SIGKILL when it has not ended in time. May be called again."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            print(f"bench: plimsolld had not ended {STOP_DEADLINE_S:.0f} s after SIGTERM and was killed", file=sys.stderr)
            self._process.kill()
            self._process.wait()

    def shorten_log(self) -> None:
        """Empties the log between rows; the daemon appends, so it goes on at the start."""
        os.truncate(self._log, 0)

    def log_tail(self) -> str:
        """The last lines, for the text of an error."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-5:])

    def _wait_for_address(self) -> str:
        deadline = time.monotonic() + START_DEADLINE_S
        read, pending = 0, b""
        while time.monotonic() < deadline:
            with self._log.open("rb") as log:
                log.seek(read)
                chunk = log.read()
            read += len(chunk)
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                address = _listening_address(line)
                if address is not None:
                    return address
            if self._process.poll() is not None:
                raise BenchError(f"plimsolld exited with {self._process.returncode} at its start: {self.log_tail()}")
            time.sleep(0.0005)
        raise BenchError(f"plimsolld printed no `{LISTENING}` within {START_DEADLINE_S:.0f} s: {self.log_tail()}")


def _listening_address(line: bytes) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    if not isinstance(entry, dict) or entry.get("msg") != LISTENING:
        return None
    return str(entry["addr"])


def _run_snippet(address: str) -> None:
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=ANSWER_DEADLINE_S)
    headers = {"content-type": "application/proto", "plimsoll-request-id": wire.REQUEST_ID}
    try:
        connection.request("POST", wire.PROCEDURE, wire.run_request_binary(), headers)
        answer = connection.getresponse()
        wire.check_success_binary(answer.status, answer.read())
    except (OSError, http.client.HTTPException) as error:
        raise BenchError(f"the first snippet got no answer: {error!r}") from None
    finally:
        connection.close()


def start_to_first_answer_us(bin_dir: pathlib.Path, log: pathlib.Path) -> float:
    """From the spawn of the daemon, its self-test included, to the last byte of the first answered snippet."""
    started = time.perf_counter()
    with Daemon(bin_dir, log) as daemon:
        _run_snippet(daemon.address)
        return (time.perf_counter() - started) * 1e6
