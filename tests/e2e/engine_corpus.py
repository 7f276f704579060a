"""The engine is what its module says: every script of the corpus gives the same bytes in a worker and in the same module
under Node. QUICKJS_WASM names the module; a missing module or Node is a failure.
"""
import os
import subprocess
import sys
import unittest
from pathlib import Path

import harness

COMPARE = Path(__file__).resolve().parent.parent / "engine/compare.py"


class EngineCorpus(unittest.TestCase):
    def test_every_script_is_byte_equal_to_the_reference(self):
        settings = {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0"}
        with harness.Daemon(settings) as daemon:
            host, port = daemon.address
            run = subprocess.run([sys.executable, str(COMPARE), "--wasm", os.environ["QUICKJS_WASM"], "--url",
                                  f"http://{host}:{port}"], capture_output=True, text=True, timeout=280)
        self.assertEqual(run.returncode, 0, run.stdout[-4000:] + run.stderr[-4000:])
        compared = int(run.stdout.splitlines()[-1].split()[0])
        self.assertGreaterEqual(compared, 500, run.stdout)
