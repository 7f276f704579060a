#!/usr/bin/env python3
"""Registers runsc in docker's daemon.json and keeps everything else that stands there.

usage: register_runtime.py [--check | --try] [--replace] DAEMON_JSON PATH_OF_RUNSC

--check says whether PATH is registered as it has to be; --try says whether it could be, and writes nothing. The file that is replaced
is kept beside it as daemon.json.before-plimsoll.
"""
import json
import os
import sys
import tempfile
from pathlib import Path

ARGUMENTS = ["--network=none", "--host-uds=open"]  # no network at all; a guest may connect to the sockets that are mounted for it


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands in it twice, and one of the two would be lost")
    return members


def read(path):
    text = path.read_text() if path.exists() else ""
    settings = json.loads(text, object_pairs_hook=unique) if text.strip() else {}
    if not isinstance(settings, dict) or not isinstance(settings.get("runtimes", {}), dict):
        raise ValueError("it is no object of settings, or its runtimes are none")
    return settings


def write(path, settings):
    """Atomically; the old file stays beside the new one, and its mode is kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o644
    if path.exists():
        mode = path.stat().st_mode & 0o777
        backup = path.with_name(path.name + ".before-plimsoll")
        backup.write_bytes(path.read_bytes())
        backup.chmod(mode)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    with open(handle, "w", encoding="utf-8") as out:
        json.dump(settings, out, indent=2)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    os.chmod(name, mode)
    os.replace(name, path)


def main(arguments):
    flags = {word for word in arguments if word.startswith("--")}
    words = [word for word in arguments if not word.startswith("--")]
    if len(words) != 2 or flags - {"--check", "--try", "--replace"}:
        print(__doc__, file=sys.stderr)
        return 2
    path = Path(words[0])
    wanted = {"path": words[1], "runtimeArgs": ARGUMENTS}
    try:
        settings = read(path)
    except (OSError, ValueError) as error:
        print(f"install-gvisor: {path}: {error}; it was left as it is", file=sys.stderr)
        return 1
    found = settings.get("runtimes", {}).get("runsc")
    if "--check" in flags:
        return 0 if found == wanted else 1
    if found is not None and found != wanted and "--replace" not in flags:
        print(f"install-gvisor: {path} registers another runsc, {json.dumps(found)}; --replace replaces it", file=sys.stderr)
        return 1
    if "--try" not in flags and found != wanted:
        settings.setdefault("runtimes", {})["runsc"] = wanted
        write(path, settings)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
