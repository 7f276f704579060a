"""A daemon over the docker provider, one runtime each, for the tests that need a real engine. A missing engine, image or
runtime is a failure here, never a skip: PLIMSOLL_TEST_DOCKER_HOST says where the engine is."""
import base64
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402

RUNTIMES = {"runc": "container", "runsc": "kernel"}
SNIPPET_IMAGE = os.environ.get("PLIMSOLL_TEST_SNIPPET_IMAGE", "plimsoll/sandbox-snippet:latest")
PROJECT_IMAGE = os.environ.get("PLIMSOLL_TEST_PROJECT_IMAGE", "plimsoll/sandbox:latest")
PROFILE = Path(__file__).resolve().parent.parent.parent / "images/seccomp/plimsoll.json"


def engine():
    host = os.environ.get("PLIMSOLL_TEST_DOCKER_HOST")
    assert host, "PLIMSOLL_TEST_DOCKER_HOST is not set: `make test` starts an engine and sets it"
    return host


def settings(runtime, **more):
    """The settings of a daemon in open mode. Under runc the shipped seccomp profile is used."""
    return {"SANDBOX_PROVIDER": "docker", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0",
            "SANDBOX_PER_KEY_CONCURRENT": "0", "DOCKER_HOST": engine(),
            "SANDBOX_DOCKER_IMAGE": SNIPPET_IMAGE, "SANDBOX_DOCKER_PROJECT_IMAGE": PROJECT_IMAGE,
            **({"SANDBOX_DOCKER_RUNTIME": "runsc"} if runtime == "runsc" else {"SANDBOX_DOCKER_SECCOMP": str(PROFILE)}),
            **more}


class DockerDaemon(harness.Daemon):
    """Starting takes a smoke test, so its limit is longer than that of a wasm daemon."""

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
        return request_slow(self.address, harness.SERVICE + procedure, message, headers)


def request_slow(address, path, message, headers):
    """As harness.request, for runs that may take long."""
    import http.client
    connection = http.client.HTTPConnection(*address, timeout=130)
    try:
        connection.request("POST", path, json.dumps(message), {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return harness.Answer(response, response.read())
    finally:
        connection.close()


def raw(result, field):
    """A bytes field of a result as text, one character a byte."""
    return base64.b64decode(result.get(field, "")).decode("latin-1")
