"""The little of the Engine API that building, loading and testing images needs, over the engine's unix socket."""
import http.client
import json
import os
import socket
import urllib.parse
from pathlib import Path


class EngineError(Exception):
    def __init__(self, status, message):
        super().__init__(f"the engine answered {status}: {message}")
        self.status = status


class _Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("engine", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Engine:
    def __init__(self, host):
        """`host`: unix:// and a path, as in DOCKER_HOST."""
        if not host.startswith("unix:///"):
            raise ValueError(f"not the address of an engine on this machine: {host or 'none given'}")
        self.path = host.removeprefix("unix://")

    def call(self, method, path, body=None, timeout=60, query=None):
        """The bytes of the answer; EngineError for a status of 400 or more. `body`: JSON, or an open file."""
        target = f"/v1.41{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Content-Type": "application/json"}
        if hasattr(body, "read"):
            headers = {"Content-Type": "application/x-tar", "Content-Length": str(os.fstat(body.fileno()).st_size)}
        elif body is not None:
            body = json.dumps(body).encode()
        connection = _Connection(self.path, timeout)
        try:
            connection.request(method, target, body=body, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            try:
                message = json.loads(content)["message"]
            except (ValueError, KeyError):
                message = content[:500].decode("utf-8", "replace")
            raise EngineError(answer.status, message)
        return content

    def json(self, method, path, body=None, **options):
        content = self.call(method, path, body, **options)
        return json.loads(content) if content.strip() else None

    def image(self, reference):
        """What inspecting an image says; None where the engine has none of that name."""
        try:
            return self.json("GET", f"/images/{urllib.parse.quote(reference, safe='/:@')}/json")
        except EngineError as error:
            if error.status == 404:
                return None
            raise

    def load(self, archive):
        with Path(archive).open("rb") as file:
            for line in self.call("POST", "/images/load", file, timeout=600, query={"quiet": 1}).splitlines():
                if "error" in (said := json.loads(line)):
                    raise EngineError(200, said["error"])

    def run(self, image, command, timeout=60, **host):
        """(exit code, stdout, stderr) of one container, which is removed. `host`: fields of HostConfig; `config` others."""
        config = host.pop("config", {})
        created = self.json("POST", "/containers/create", {
            "Image": image, "Cmd": command, "Entrypoint": [], **config,
            "HostConfig": {"NetworkMode": "none", "LogConfig": {"Type": "json-file"}, **host}})
        try:
            self.call("POST", f"/containers/{created['Id']}/start", timeout=timeout)
            code = self.json("POST", f"/containers/{created['Id']}/wait", timeout=timeout)["StatusCode"]
            streams = {1: b"", 2: b""}
            log = self.call("GET", f"/containers/{created['Id']}/logs", query={"stdout": 1, "stderr": 1})
            while len(log) >= 8:
                size = int.from_bytes(log[4:8], "big")
                streams[log[0]] += log[8:8 + size]
                log = log[8 + size:]
            return code, streams[1], streams[2]
        finally:
            self.call("DELETE", f"/containers/{created['Id']}", query={"force": 1, "v": 1})
