"""The published Python client, unchanged, against a daemon over the docker provider, under both runtimes. It checks every answer
and every record itself. VENV_PYTHON names the interpreter of the virtual environment that scripts/setup.sh makes."""
import os
import subprocess
import unittest

import world

SCRIPT = world.ROOT / "tests/conformance/official_python.py"

# Another holder of the same ID makes a call between two of the client. The ID is what hashes to the fingerprint among all that the
# session object holds.
SECOND_HOLDER = """
import hashlib, json, sys, urllib.request
import plimsoll_client as pc

def texts(thing, depth=0):
    if isinstance(thing, str):
        yield thing
    elif depth < 4 and hasattr(thing, "__dict__"):
        for value in vars(thing).values():
            yield from texts(value, depth + 1)

url = sys.argv[1]
session = pc.Client(url).open_session()
session.run_javascript("console.log(1)", timeout=20)
held, = {t for t in texts(session) if hashlib.sha256(t.encode()).hexdigest() == session.fingerprint}
body = json.dumps({"protocol": 5, "sessionId": held, "javascript": {"code": "1"}}).encode()
request = urllib.request.Request(url + "/plimsoll.v1.SandboxService/SessionRun", body, {"Content-Type": "application/json"})
assert json.load(urllib.request.urlopen(request))["run"]["record"]["sequence"] == "2"
try:
    session.run_javascript("console.log(3)", timeout=20)
except pc.ChainError:
    print("a gap was seen")
"""


class PublishedClient(unittest.TestCase):
    def passes(self, runtime):
        python = os.environ["VENV_PYTHON"]
        self.assertTrue(os.access(python, os.X_OK), f"{python} is not there: run scripts/setup.sh test")
        more = {"SANDBOX_MAX_CONCURRENT": "8", "SANDBOX_PER_KEY_CONCURRENT": "8", "SANDBOX_RUN_POOL": "2",
                "SANDBOX_MAX_SESSIONS": "4",
                # Node keeps in memory what its pipe does not take at once: the flood of 40 MB comes near to 256 MiB of its own.
                "SANDBOX_MEMORY_MB": "512"}
        with world.DockerDaemon(world.settings(runtime, **more)) as daemon:
            host, port = daemon.address
            run = subprocess.run([python, str(SCRIPT), f"http://{host}:{port}", "--groups",
                                  "describe,snippet,refusal,project,session,async"], capture_output=True, text=True, timeout=600)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"\b[1-9]\d* passed, 0 failed")

    def test_D62_W54_every_group_passes_under_runc(self):
        self.passes("runc")

    def test_D62_W54_every_group_passes_under_runsc(self):
        self.passes("runsc")

    def test_S69_R25_a_second_holder_of_the_id_is_seen_as_a_gap(self):
        with world.DockerDaemon(world.settings("runc", SANDBOX_RUN_POOL="0", SANDBOX_MAX_SESSIONS="1")) as daemon:
            host, port = daemon.address
            run = subprocess.run([os.environ["VENV_PYTHON"], "-c", SECOND_HOLDER, f"http://{host}:{port}"],
                                 capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stdout), (0, "a gap was seen\n"), run.stderr)
