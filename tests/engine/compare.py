#!/usr/bin/env python3
"""Runs the corpus here and in the reference and compares exit, stdout and stderr byte by byte.

    compare.py --wasm quickjs.wasm -- plimsoll run - --json
    compare.py --wasm quickjs.wasm --url http://127.0.0.1:8746

The command after `--` is started once a script, with the script on its standard input. It prints one JSON object whose
members are named by --exit-key, --stdout-key and --stderr-key; texts are strings, or base64 where --base64 is given.
With --url each script is one Run call of the Connect protocol with JSON bodies. A difference prints the script's id and
both sides; the exit status is 1 when there is any, 2 when a side could not run.
"""

import argparse
import base64
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
RUN_TIMEOUT_SECONDS = 60
SHOWN_BYTES = 400
PROTOCOL = 4


def read_corpus(prefix):
    """Every script whose id begins with `prefix`, as (id, code)."""
    for path in sorted((HERE / "corpus").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            script = json.loads(line)
            if script["id"].startswith(prefix):
                yield script["id"], script["code"]


def reference_results(node, wasm, prefix):
    """What the engine module does under Node: {id: (exit, stdout, stderr)}."""
    command = [node, str(HERE / "reference.mjs"), wasm, prefix]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600).stdout
    results = {}
    for line in output.decode().splitlines():
        one = json.loads(line)
        results[one["id"]] = (one["exit"], base64.b64decode(one["stdout"]), base64.b64decode(one["stderr"]))
    return results


class Adapter:
    """One way to run a script on our side. `run` returns (exit, stdout, stderr)."""

    def __init__(self, options):
        self.keys = (options.exit_key, options.stdout_key, options.stderr_key)
        self.base64 = options.base64

    def decode(self, answer):
        exit_key, stdout_key, stderr_key = self.keys
        return int(answer.get(exit_key, 0)), self.text(answer.get(stdout_key, "")), self.text(answer.get(stderr_key, ""))

    def text(self, value):
        return base64.b64decode(value) if self.base64 else value.encode("utf-8")


class CommandAdapter(Adapter):
    """A command that reads a script from standard input and prints a JSON object."""

    def __init__(self, options, command):
        super().__init__(options)
        self.command = command

    def run(self, code):
        # The command may end with the script's own status: only its output counts.
        done = subprocess.run(self.command, input=code.encode("utf-8"), stdout=subprocess.PIPE, timeout=RUN_TIMEOUT_SECONDS)
        return self.decode(json.loads(done.stdout))


class UrlAdapter(Adapter):
    """A daemon that answers Run calls with JSON bodies."""

    def __init__(self, options):
        super().__init__(options)
        self.base64 = True  # how the JSON form of protobuf writes bytes
        self.url = options.url.rstrip("/") + options.path

    def run(self, code):
        body = json.dumps({"protocol": PROTOCOL, "javascript": {"code": code}}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json", "Connect-Protocol-Version": "1"})
        with urllib.request.urlopen(request, timeout=RUN_TIMEOUT_SECONDS) as response:
            return self.decode(json.load(response)["javascript"])


def shorten(data):
    return repr(data[:SHOWN_BYTES]) + (" ..." if len(data) > SHOWN_BYTES else "")


def show_difference(script_id, ours, theirs):
    print(f"{script_id} differs")
    for name, mine, reference in zip(("exit", "stdout", "stderr"), ours, theirs):
        if mine != reference:
            left, right = (shorten(mine), shorten(reference)) if isinstance(mine, bytes) else (mine, reference)
            print(f"  {name}: ours      {left}\n  {' ' * len(name)}  reference {right}")


def parse_arguments(arguments):
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wasm", required=True, help="the engine module")
    parser.add_argument("--node", default="node")
    parser.add_argument("--prefix", default="", help="only scripts whose id begins so")
    parser.add_argument("--url", help="a daemon instead of a command")
    parser.add_argument("--path", default="/plimsoll.v1.SandboxService/Run", help="the procedure's path at --url")
    parser.add_argument("--exit-key", default="exitCode")
    parser.add_argument("--stdout-key", default="stdout")
    parser.add_argument("--stderr-key", default="stderr")
    parser.add_argument("--base64", action="store_true", help="the two texts are base64")
    options = parser.parse_args(arguments)
    if bool(command) == bool(options.url):
        parser.error("give either --url or a command after --")
    return options, command


def main(arguments):
    options, command = parse_arguments(arguments)
    adapter = UrlAdapter(options) if options.url else CommandAdapter(options, command)
    reference = reference_results(options.node, options.wasm, options.prefix)
    different = 0
    for script_id, code in read_corpus(options.prefix):
        try:
            ours = adapter.run(code)
        except (OSError, ValueError, subprocess.TimeoutExpired, urllib.error.URLError) as error:
            print(f"{script_id}: our side did not run: {error}", file=sys.stderr)
            return 2
        if ours != reference[script_id]:
            different += 1
            show_difference(script_id, ours, reference[script_id])
    print(f"{len(reference)} scripts, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
