"""The published Python client, unchanged, against a daemon over the docker provider, under both runtimes. It checks every answer
and every record itself. VENV_PYTHON names the interpreter of the virtual environment that scripts/setup.sh makes."""
import os
import subprocess
import unittest

import world

SCRIPT = world.ROOT / "tests/conformance/official_python.py"


class PublishedClient(unittest.TestCase):
    def passes(self, runtime):
        python = os.environ["VENV_PYTHON"]
        self.assertTrue(os.access(python, os.X_OK), f"{python} is not there: run scripts/setup.sh test")
        more = {"SANDBOX_MAX_CONCURRENT": "8", "SANDBOX_PER_KEY_CONCURRENT": "8", "SANDBOX_RUN_POOL": "2",
                "SANDBOX_MAX_SESSIONS": "4"}
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
