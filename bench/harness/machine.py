"""What was measured where: the machine, the versions, the commit, and what else ran meanwhile."""

import datetime
import json
import os
import pathlib
import platform
import subprocess

from harness import engines

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, cwd=ROOT)
    except OSError:
        return "not there"
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _cpu_model() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _commit() -> str:
    changed = _first_line(["git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/reference/performance.md"])
    return _first_line(["git", "rev-parse", "--short=12", "HEAD"]) + (" with changes" if changed else "")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0))


def _baselines() -> str:
    pinned = json.loads((engines.BASELINES / "package.json").read_text())["dependencies"]
    return ", ".join(f"{name} {version}" for name, version in sorted(pinned.items(), reverse=True))


def describe(command: str) -> dict[str, str]:
    """The facts that stand above the table."""
    virtual = "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0]
    kind = "a virtual machine" if virtual else "bare metal"
    return {
        "machine": f"{_cpu_model()}, {cores()} cores, {_memory_gib()} GiB, {kind}, Linux {platform.release()}",
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": command,
        "commit": _commit(),
        "node": _first_line([engines.node_path(), "--version"]),
        "python": _first_line([engines.python_child()[0], "--version"]).removeprefix("Python "),
        "baselines": _baselines(),
        "load generator": _first_line(["h2load", "--version"]),
    }


class Interference:
    """How much of the machine something else used between the making of this object and `share`, in percent of all cores."""

    def __init__(self) -> None:
        self._before = self._read()

    @staticmethod
    def _read() -> tuple[float, float, float]:
        parts = [int(part) for part in pathlib.Path("/proc/stat").read_text().partition("\n")[0].split()[1:9]]
        user, nice, system, idle, io_wait, hard, soft, steal = parts
        own = os.times()
        mine = (own.user + own.system + own.children_user + own.children_system) * os.sysconf("SC_CLK_TCK")
        return user + nice + system + hard + soft - mine, steal, sum(parts)

    def share(self) -> dict[str, float]:
        """`others`: other processes here; `stolen`: taken by the hypervisor. Children still running count as others."""
        others, stolen, total = (now - then for now, then in zip(self._read(), self._before, strict=True))
        return {"others": max(0.0, 100 * others / max(total, 1)), "stolen": 100 * stolen / max(total, 1)}
