"""Who spends the CPU of one run: each thread of the daemon, its workers, and the load generator.

Read from /proc, so it needs no tool and no right beyond the daemon's own user. `schedstat` counts nanoseconds on a CPU and
nanoseconds waiting for one; where the kernel lacks it, the 10 ms ticks of `stat` do.
"""

import collections
import dataclasses
import os
import pathlib

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Spent:
    """Nanoseconds on a CPU, those of them in the kernel (from ticks, so coarse), nanoseconds runnable but waiting, and how often
    the thread gave up its CPU to wait for something."""

    cpu_ns: float = 0
    kernel_ns: float = 0
    waiting_ns: float = 0
    sleeps: float = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))

    def __sub__(self, other: "Spent") -> "Spent":
        return self + other.times(-1)

    def times(self, factor: float) -> "Spent":
        return Spent(*(part * factor for part in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True)
class Thread:
    """One thread and the group its time is shown under: the daemon's threads by name, those without a name of
    their own by number in the order of their start, the workers all together."""

    tid: int
    group: str


def _stat_fields(folder: pathlib.Path) -> tuple[str, list[str]]:
    text = (folder / "stat").read_text()
    name = text[text.index("(") + 1 : text.rindex(")")]
    return name, text[text.rindex(")") + 2 :].split()


def _spent(folder: pathlib.Path) -> tuple[str, Spent]:
    name, rest = _stat_fields(folder)
    user, kernel = int(rest[11]) * TICK_NS, int(rest[12]) * TICK_NS
    on_cpu, waiting = user + kernel, 0
    if (folder / "schedstat").exists():
        on_cpu, waiting = (int(part) for part in (folder / "schedstat").read_text().split()[:2])
    status = (folder / "status").read_text()
    sleeps = int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
    return name, Spent(on_cpu, kernel, waiting, sleeps)


def descendants(pid: int) -> list[int]:
    """The children of a process and theirs, as far as they live now."""
    parents = collections.defaultdict(list)
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(_stat_fields(folder)[1][1])].append(int(folder.name))
            except (OSError, ValueError):
                continue
    found, open_ends = [], [pid]
    while open_ends:
        children = parents[open_ends.pop()]
        found += children
        open_ends += children
    return found


def _ended_children(pid: int) -> Spent:
    """What children that the daemon has already waited for spent in all."""
    _, rest = _stat_fields(pathlib.Path("/proc") / str(pid))
    user, kernel = int(rest[13]) * TICK_NS, int(rest[14]) * TICK_NS
    return Spent(cpu_ns=user + kernel, kernel_ns=kernel)


def snapshot(pid: int) -> dict[Thread, Spent]:
    """What each thread of the daemon `pid` and of its workers has spent since it began."""
    taken: dict[Thread, Spent] = {Thread(0, "ended workers"): _ended_children(pid)}
    own_name, _ = _stat_fields(pathlib.Path(f"/proc/{pid}"))
    for process in [pid, *descendants(pid)]:
        folders = sorted(pathlib.Path(f"/proc/{process}/task").glob("*"), key=lambda folder: int(folder.name))
        for number, folder in enumerate(folders):
            try:
                name, spent = _spent(folder)
            except (OSError, ValueError):
                continue  # A thread may end between the listing and the reading.
            if name == own_name:
                name = f"{own_name} thread {number}"
            taken[Thread(int(folder.name), name if process == pid else "workers")] = spent
    return taken


def difference(before: dict[Thread, Spent], after: dict[Thread, Spent], runs: int) -> dict[str, Spent]:
    """By group, what was spent in between, divided by the number of runs; groups that spent nothing are left out."""
    groups: dict[str, Spent] = collections.defaultdict(Spent)
    for thread, spent in after.items():
        groups[thread.group] += (spent - before.get(thread, Spent())).times(1 / runs)
    return {name: spent for name, spent in groups.items() if spent.cpu_ns > 0}
