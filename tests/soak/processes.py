"""What /proc says of the daemon and of its workers."""
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Memory:
    """Resident memory in KiB at one moment."""
    daemon: int
    workers: tuple  # one figure a live worker

    @property
    def largest_worker(self):
        return max(self.workers, default=0)


def status(pid, name):
    """The first word of one line of /proc/PID/status; None once the process has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return line.split()[1]
    return None


def resident(pid):
    """VmRSS of a process in KiB; None once it has ended."""
    kib = status(pid, "VmRSS")
    return None if kib is None else int(kib)


def children(pid):
    """{child's pid: its state letter}; an ended one that was not waited for has the state Z."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text().split():
                with contextlib.suppress(OSError):
                    found[int(child)] = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
    return found


def workers(pid):
    return [child for child, state in children(pid).items() if state != "Z"]


def zombies(pid):
    return [child for child, state in children(pid).items() if state == "Z"]


def memory(pid):
    return Memory(resident(pid), tuple(kib for kib in map(resident, workers(pid)) if kib is not None))


def descriptors(pid):
    """How many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid):
    return int(status(pid, "Threads"))
