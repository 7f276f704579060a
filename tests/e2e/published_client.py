"""The published Python client, unchanged, against the real daemon: it checks every answer and every record itself.

Shows C28, D62, R10, W2, W3 and W55 for the kinds that the wasm provider runs. VENV_PYTHON names the interpreter of the
virtual environment that scripts/setup.sh makes; a missing one is a failure.
"""
import os
import subprocess
import unittest
from pathlib import Path

import harness

SCRIPT = Path(__file__).resolve().parent.parent / "conformance/official_python.py"


class PublishedClient(unittest.TestCase):
    def test_C28_D62_R10_W3_every_group_passes(self):
        python = os.environ["VENV_PYTHON"]
        self.assertTrue(os.access(python, os.X_OK), f"{python} is not there: run scripts/setup.sh test")
        settings = {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0",
                    "SANDBOX_MAX_CONCURRENT": "8", "SANDBOX_PER_KEY_CONCURRENT": "8"}
        with harness.Daemon(settings) as daemon:
            host, port = daemon.address
            run = subprocess.run([python, str(SCRIPT), f"http://{host}:{port}", "--groups",
                                  "describe,snippet,refusal,async"], capture_output=True, text=True, timeout=180)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("18 passed, 0 failed", run.stdout)
