#!/usr/bin/env python3
"""A registry on loopback that holds the built images, for tests of pinned references.

usage: registry.py up FOLDER     starts Debian's docker-registry with its data below FOLDER, pushes the images, prints one
                                 line an image: its tag, and the reference that is pinned by digest; it runs until `down`
       registry.py down FOLDER   stops it

The blobs are pushed unchanged, so the digest in a reference is the digest of the manifest that build.py prints. An engine takes
a registry on 127.0.0.0/8 without TLS.
"""
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

import archive
import build

CONFIG = """version: 0.1
log: {{accesslog: {{disabled: true}}, level: warn}}
storage: {{filesystem: {{rootdirectory: {folder}/data}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
LIMIT = 30  # seconds until a registry answers


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Registry:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.port = None
        self._child = None  # where this object started it

    @property
    def _pid(self):
        """The process that up() started; None where it ended. A number that somebody else has by now does not count."""
        try:
            pid = int((self.folder / "pid").read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if str(self.folder / "config.yml").encode() in command else None

    def up(self):
        program = shutil.which("docker-registry")
        if program is None:
            raise RuntimeError("docker-registry is not installed (scripts/setup.sh docker)")
        if self._pid is not None:
            raise RuntimeError(f"a registry already runs in {self.folder}")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        (self.folder / "config.yml").write_text(CONFIG.format(folder=self.folder, port=self.port))
        with (self.folder / "log").open("wb") as log:
            self._child = subprocess.Popen([program, "serve", str(self.folder / "config.yml")], stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=log, start_new_session=True, cwd="/", env={"PATH": os.environ["PATH"]})
        (self.folder / "pid").write_text(str(self._child.pid))
        (self.folder / "port").write_text(str(self.port))
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                if self.call("GET", "/v2/").status == 200:
                    return
            except OSError:
                pass
            if self._child.poll() is not None or time.monotonic() > deadline:
                self.down()
                raise RuntimeError("docker-registry does not answer:\n" + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)

    def down(self):
        pid = self._pid
        deadline = time.monotonic() + LIMIT
        while pid is not None and self._pid == pid:
            os.kill(pid, signal.SIGTERM if time.monotonic() < deadline - LIMIT / 2 else signal.SIGKILL)
            if time.monotonic() > deadline:
                raise RuntimeError(f"docker-registry, process {pid}, does not end")
            time.sleep(0.05)
        if self._child is not None:
            self._child.wait(LIMIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, target, body=body, headers=headers or {})
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    def _expect(self, status, answer):
        if answer.status != status:
            raise RuntimeError(f"the registry answered {answer.status}: {answer.content[:500]!r}")
        return answer

    def push(self, image):
        """Stores an image under its own name; the reference that is pinned by the digest the registry states."""
        name = image.tag.rpartition(":")[0]
        for digest, content in image.blobs():
            if digest == image.digest:
                continue  # the manifest is no blob of a registry
            where = self._expect(202, self.call("POST", f"/v2/{name}/blobs/uploads/")).getheader("Location")
            parts = urllib.parse.urlsplit(where)
            target = f"{parts.path}?{parts.query}&digest={digest}"
            headers = {"Content-Type": "application/octet-stream"}
            if isinstance(content, Path):
                with content.open("rb") as file:
                    headers["Content-Length"] = str(content.stat().st_size)
                    self._expect(201, self.call("PUT", target, file, headers))
            else:
                self._expect(201, self.call("PUT", target, content, headers))
        stored = self.call("PUT", f"/v2/{name}/manifests/latest", image.manifest, {"Content-Type": archive.MANIFEST})
        digest = self._expect(201, stored).getheader("Docker-Content-Digest")
        if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest or ""):
            raise RuntimeError(f"the registry states no digest: {digest!r}")
        return f"127.0.0.1:{self.port}/{name}@{digest}"

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("up", "down"):
        print(__doc__, file=sys.stderr)
        return 2
    registry = Registry(sys.argv[2])
    try:
        if sys.argv[1] == "down":
            registry.down()
            return 0
        with build.only_one():
            images = build.built(build.Platform(), refresh=False)
        registry.up()
        for image in images.values():
            print(image.tag, registry.push(image), flush=True)
        return 0
    except (RuntimeError, OSError) as error:
        print(f"registry: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
