"""What the tests of this folder stand on: the repository, the engine and its containers, folders that containers can read, an engine
that misbehaves on demand, and a daemon over the docker provider. A missing engine, image or runtime is a failure, never a skip."""
import argparse
import base64
import contextlib
import functools
import http.client
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests/e2e"), str(ROOT / "images")]
import harness  # noqa: E402
from engine import Engine  # noqa: E402

RUNTIMES = {"runc": "container", "runsc": "kernel"}  # and the tier of each
SNIPPET = os.environ.get("PLIMSOLL_TEST_SNIPPET_IMAGE", "plimsoll/sandbox-snippet:latest")
PROJECT = os.environ.get("PLIMSOLL_TEST_PROJECT_IMAGE", "plimsoll/sandbox:latest")
PROFILE = ROOT / "images/seccomp/plimsoll.json"
GUEST = "61000:61000"
EXPIRES = "io.plimsoll.expires"  # the label of every container that a daemon made


@functools.cache
def engine():
    """The engine under test."""
    host = os.environ.get("PLIMSOLL_TEST_DOCKER_HOST")
    if not host:
        raise AssertionError("PLIMSOLL_TEST_DOCKER_HOST names no engine: run scripts/test.sh, or scripts/with-engine.sh and this command")
    found = Engine(host)
    missing = set(RUNTIMES) - set(found.json("GET", "/info")["Runtimes"])
    if missing:
        raise AssertionError(f"the engine at {host} has no runtime {', '.join(sorted(missing))}")
    for image in (SNIPPET, PROJECT):
        if found.image(image) is None:
            raise AssertionError(f"the engine at {host} has no image {image}: run make images")
    return found


def containers():
    """{id: end of life} of every container that a daemon made, running or not."""
    listed = engine().json("GET", "/containers/json", query={"all": 1, "filters": json.dumps({"label": [EXPIRES]})})
    return {one["Id"]: int(one["Labels"][EXPIRES]) for one in listed}


@contextlib.contextmanager
def shared_folder():
    """A folder that any user of a container may read."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


class Proxy:
    """The engine behind a proxy whose rules a test changes (engine_proxy.py); `die` ends it as an engine that is gone."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.file = self.folder.name + "/sock", Path(self.folder.name + "/rules.json")
        self.rules()
        self.process = subprocess.Popen([sys.executable, "-B", HERE / "engine_proxy.py", self.path, engine().path, self.file],
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    @property
    def host(self):
        return "unix://" + self.path

    def rules(self, *rules):
        temporary = self.file.with_suffix(".new")
        temporary.write_text(json.dumps(rules))
        temporary.rename(self.file)

    def die(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.die()
        self.folder.cleanup()


def settings(runtime, **more):
    """The settings of a daemon in open mode. Under runc the shipped seccomp profile is used."""
    return {"SANDBOX_PROVIDER": "docker", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0",
            "SANDBOX_PER_KEY_CONCURRENT": "0", "DOCKER_HOST": "unix://" + engine().path,
            "SANDBOX_DOCKER_IMAGE": SNIPPET, "SANDBOX_DOCKER_PROJECT_IMAGE": PROJECT,
            **({"SANDBOX_DOCKER_RUNTIME": "runsc"} if runtime == "runsc" else {"SANDBOX_DOCKER_SECCOMP": str(PROFILE)}),
            **more}


class DockerDaemon(harness.Daemon):
    """Starting takes a smoke test, and a run may take its whole timeout: limits here are longer than those of a wasm daemon."""

    def listening(self):
        with self._changed:
            self._changed.wait_for(lambda: self._ended or any(r["msg"] == "plimsolld listening" for r in self.records), 130)
        return super().listening()

    def __exit__(self, *error):
        """Ends it by its own drain, so that no container of it is left for the next test to meet."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                pass  # killed below; the test that sees what it left says so
        super().__exit__(*error)

    def snippet(self, code, **fields):
        return self.call("Run", {"protocol": 5, "javascript": {"code": code}, **fields})

    def project(self, steps, files=None, artifacts=(), **fields):
        project = {"files": [{"path": p, "content": c} for p, c in (files or {}).items()], "steps": list(steps),
                   "artifacts": list(artifacts)}
        return self.call("Run", {"protocol": 5, "project": project, **fields})

    def call(self, procedure, message, headers=None):
        connection = http.client.HTTPConnection(*self.address, timeout=130)
        try:
            connection.request("POST", harness.SERVICE + procedure, json.dumps(message),
                               {"Content-Type": "application/json", **(headers or {})})
            response = connection.getresponse()
            return harness.Answer(response, response.read())
        finally:
            connection.close()


def raw(result, field):
    """A bytes field of a result as text, one character a byte."""
    return base64.b64decode(result.get(field, "")).decode("latin-1")


def long_run(doc, count, run):
    """The main of a program for long runs: BIN_DIR, a count of that name, --runtime, --seed. `run(runtime, count, seed)` gives the faults."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir")
    parser.add_argument(count, type=int)
    parser.add_argument("--runtime", default="runc", choices=sorted(RUNTIMES))
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    arguments = parser.parse_args()
    harness.BIN_DIR = Path(arguments.bin_dir).resolve()
    faults = run(arguments.runtime, getattr(arguments, count), arguments.seed)
    for fault in faults:
        print("fault:", fault)
    return 1 if faults else 0
