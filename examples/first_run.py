"""Runs one snippet with the published client, then asks for a stronger wall than the daemon has.

usage: first_run.py URL TOKEN_FILE
"""
import sys
from pathlib import Path

from plimsoll_client import Client, InsufficientIsolationError

client = Client(sys.argv[1], token=Path(sys.argv[2]).read_text().strip())

result = client.run_javascript("console.log(6 * 7)", minimum_isolation="process")
print("stdout ", result.stdout.decode().strip())
print("tier   ", result.isolation)
print("record ", result.record.sha256)

try:
    client.run_javascript("console.log(6 * 7)", minimum_isolation="kernel")
except InsufficientIsolationError as refused:
    print("refused", refused.not_dispatched)
