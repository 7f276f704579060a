"""What a user would pick instead: engines in one Node process a core, and a child process a run."""

import concurrent.futures
import contextlib
import functools
import hashlib
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

from harness.figures import BenchError, Sample, sample_of

BASELINES = pathlib.Path(__file__).resolve().parent.parent / "baselines"
MANIFEST = ("package.json", "package-lock.json", ".npmrc")
# A JavaScript engine needs this long before its own compiler has settled; shorter only in a smoke run.
NODE_WARM_S = 1.0


def cache_folder() -> pathlib.Path:
    """Where the pinned npm packages are installed: outside the checkout, kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "plimsoll" / "bench"


def _manifest_digest() -> str:
    return hashlib.sha256(b"".join((BASELINES / name).read_bytes() for name in MANIFEST)).hexdigest()


def installed() -> bool:
    """True when the cache holds what the lock file states."""
    stamp = cache_folder() / ".installed"
    return stamp.exists() and stamp.read_text() == _manifest_digest()


def _refresh_scripts(folder: pathlib.Path) -> None:
    # The scripts run from the cache because module resolution starts at the importing file.
    for script in BASELINES.glob("*.mjs"):
        shutil.copy(script, folder)


def install() -> pathlib.Path:
    """Installs the locked packages with `npm ci` unless they are there; returns the folder to run the scripts from."""
    folder = cache_folder()
    if not installed():
        folder.mkdir(parents=True, exist_ok=True)
        for name in MANIFEST:
            shutil.copy(BASELINES / name, folder)
        env = dict(os.environ)
        headers = pathlib.Path(node_path()).resolve().parent.parent
        if (headers / "include/node/node.h").exists():
            env.setdefault("npm_config_nodedir", str(headers))
        done = subprocess.run(
            ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False,
        )
        if done.returncode != 0:
            raise BenchError(f"npm ci for the baselines exited with {done.returncode}: {done.stderr[-800:]}")
        (folder / ".installed").write_text(_manifest_digest())
    _refresh_scripts(folder)
    return folder


@functools.cache
def node_path() -> str:
    """The real node program, past any version manager's wrapper, whose own start would be counted otherwise."""
    found = shutil.which("node")
    if found is None:
        raise BenchError("node is not on the PATH")
    return subprocess.run([found, "-p", "process.execPath"], capture_output=True, text=True, check=True).stdout.strip()


def _await_line(process: subprocess.Popen, deadline_s: float) -> None:
    ready, _, _ = select.select([process.stdout], [], [], deadline_s)
    line = process.stdout.readline() if ready else b""
    if line != b"ready\n":
        process.kill()
        _, error = process.communicate()
        raise BenchError(f"{process.args}: not ready, {error.decode(errors='replace')[-400:]}")


def measure_in_node(script: str, flags: list[str], processes: int, seconds: float) -> Sample:
    """Runs `script` in `processes` Node processes whose measured stretches start together."""
    warm_s = min(NODE_WARM_S, seconds)
    folder = cache_folder()
    with contextlib.ExitStack() as stack:
        out = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plimsoll-bench-")))
        started = []
        for index in range(processes):
            command = [node_path(), *flags, str(folder / script), str(seconds), str(warm_s), str(out / str(index))]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            process = subprocess.Popen(command, cwd=folder, **pipes)
            stack.callback(_end, process)
            started.append(process)
        for process in started:
            _await_line(process, warm_s + 30)
        for process in started:
            process.stdin.write(b"go\n")
            process.stdin.flush()
        for process in started:
            _, error = process.communicate(timeout=seconds + 30)
            if process.returncode != 0:
                raise BenchError(f"{script} exited with {process.returncode}: {error.decode(errors='replace')[-400:]}")
        durations = [float(line) for index in range(processes) for line in (out / str(index)).read_text().split()]
    return sample_of(durations, seconds)


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()


def _children_until(command: list[str], end: float) -> list[float]:
    durations = []
    while (before := time.perf_counter()) < end:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        after = time.perf_counter()
        if done.returncode != 0 or done.stdout != b"42\n":
            raise BenchError(f"{command[0]}: exit {done.returncode}, stdout {done.stdout[:100]!r}, {done.stderr[:200]!r}")
        durations.append((after - before) * 1e6)
    return durations


def measure_children(command: list[str], at_once: int, seconds: float) -> Sample:
    """A fresh child process a run, `at_once` of them at a time; the time is from its start to its end with the output read."""
    started = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        parts = list(pool.map(lambda _: _children_until(command, started + seconds), range(at_once)))
    return sample_of((us for part in parts for us in part), time.perf_counter() - started)


def node_child() -> list[str]:
    """`node -e` with the snippet."""
    return [node_path(), "-e", "console.log(6*7)"]


def python_child() -> list[str]:
    """`python3 -c` with the same sum; Debian's own python3 where there is one, else the one that runs the harness."""
    system = pathlib.Path("/usr/bin/python3")
    return [str(system if system.exists() else sys.executable), "-c", "print(6*7)"]
