"""One shell in which the commands of a page run in order, in a folder of its own and on ports of its own."""
import os
import re
import select
import signal
import socket
import subprocess
import time

import pages

LIMIT = 60.0  # seconds: how long one command may take
END = b"\x1e"
PORTS = ("8746", "9464")  # the defaults, as pages write them


class Shell:
    def __init__(self, folder, bin_dir, venv):
        """`folder` becomes the checkout of the page: built programs, examples and tests stand where they do in one."""
        home = folder / "home"
        (home / "plimsoll-first").mkdir(parents=True)
        (home / "plimsoll-first/venv").symlink_to(venv)
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/bin").symlink_to(bin_dir)
        for name in ("examples", "docs"):
            (folder / name).symlink_to(pages.ROOT / name)
        self._ports = dict(zip(PORTS, free_ports(len(PORTS))))
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8",
                       "PLIMSOLL_ADDR": "127.0.0.1:" + self._ports["8746"],
                       "PLIMSOLL_METRICS_ADDR": "127.0.0.1:" + self._ports["9464"]}
        self._process = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=folder, env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)  # the shell's own session: it and what it started
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def run(self, command):
        """What the command writes to both streams, with the ports of the page."""
        for shown, real in self._ports.items():
            command = re.sub(rf"(?<=:){shown}\b", real, command)
        wrapped = f"{{ {command}\n}} </dev/null; __code=$?; printf '\\x1e'; (exit $__code)\n"
        self._process.stdin.write(wrapped.encode())
        self._process.stdin.flush()
        output = self._read_to_end().decode("utf-8", "replace")
        for shown, real in self._ports.items():
            output = re.sub(rf"(?<=:){real}\b", shown, output)
        return output

    def _read_to_end(self):
        output, deadline = b"", time.monotonic() + LIMIT
        while not output.endswith(END):
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if not piece:
                raise AssertionError("the shell ended or took too long after:\n" + output.decode("utf-8", "replace"))
            output += piece
        return output[:-1]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [str(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()
