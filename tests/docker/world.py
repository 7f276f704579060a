"""What the tests of this folder stand on: the repository, the engine, folders that containers can read."""
import contextlib
import os
import tempfile
from pathlib import Path

from engine import Engine

ROOT = Path(__file__).resolve().parent.parent.parent
SNIPPET, PROJECT = "plimsoll/sandbox-snippet:latest", "plimsoll/sandbox:latest"
GUEST = "61000:61000"


def engine():
    """The engine under test. Without one the test fails: it is never skipped."""
    host = os.environ.get("PLIMSOLL_TEST_DOCKER_HOST")
    if not host:
        raise AssertionError("PLIMSOLL_TEST_DOCKER_HOST names no engine: run scripts/test.sh, or scripts/with-engine.sh and this command")
    found = Engine(host)
    missing = {"runc", "runsc"} - set(found.json("GET", "/info")["Runtimes"])
    if missing:
        raise AssertionError(f"the engine at {host} has no runtime {', '.join(sorted(missing))}")
    for image in (SNIPPET, PROJECT):
        if found.image(image) is None:
            raise AssertionError(f"the engine at {host} has no image {image}: run make images")
    return found


@contextlib.contextmanager
def shared_folder():
    """A folder that any user of a container may read."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)
