#!/usr/bin/env python3
"""Reads every #include of our own and fails on one that src/layers.txt does not allow.

usage: layers.py ROOT
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
TEST_FILE = re.compile(r"(_test|_fuzz|_bench)\.(cc|h)$")


def read_layers(root):
    layers = {}
    for line in (root / "src/layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            room, _, allowed = line.partition(":")
            layers[room.strip()] = set(allowed.split())
    return layers


def room_of_file(path, root, rooms):
    """The room a file lives in: the longest room name that is a prefix of its path (below src/ or the root)."""
    relative = path.relative_to(root).as_posix().removeprefix("src/")
    return longest(relative, rooms)


def longest(path, rooms):
    fits = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(fits, key=len) if fits else None


def room_of_include(name, rooms):
    if re.match(r"plimsoll/(v1|x1|ext)/|google/rpc/", name):
        return "api"
    if name.startswith("plimsoll/client"):
        return "clients/cpp"
    if name.startswith("plimsoll/"):
        return "include/plimsoll"
    return longest(name, rooms)


def check(root):
    layers = read_layers(root)
    rooms = set(layers) | {"base", "api"}
    faults, files = [], 0
    for top in ("src", "guest", "clients/cpp", "tools", "include", "examples"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            room = room_of_file(path, root, rooms)
            files += 1
            if room is None:
                faults.append(f"{path.relative_to(root)}: lies in no room of src/layers.txt")
                continue
            allowed = {room, "base"} | layers.get(room, set())
            if TEST_FILE.search(path.name) or "/testing/" in path.as_posix():
                allowed.add("testkit")
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                target = room_of_include(match.group(1), rooms) if match else None
                if target and target not in allowed:
                    faults.append(f"{path.relative_to(root)}:{number}: {room} may not include {target}")
    return faults, files


def main():
    faults, files = check(Path(sys.argv[1]))
    print("\n".join(faults))
    print(f"{files} files read, {len(faults)} includes that src/layers.txt does not allow")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
