#!/usr/bin/env python3
"""D64: whatever the programs link, and whatever the build looks for, has a row in docs/reference/dependencies.md.

usage: dependencies.py ROOT BUILD_DIR PROGRAM...

A row's last column holds the names its part goes by: libraries that a program needs or is linked from, as `libname` without
what follows, and the packages, modules and programs that CMake finds.
"""
import re
import subprocess
import sys
from pathlib import Path

FIND = re.compile(r"^[^#\n]*\b(find_package|find_library|find_program|pkg_check_modules)\(([^)]*)\)", re.MULTILINE)
KEYWORDS = {"REQUIRED", "IMPORTED_TARGET", "NAMES", "COMPONENTS", "QUIET"}
OURS = {"plimsoll", "libplimsoll", "libplimsoll_client"}  # the installed package of this project and its libraries


def listed(root):
    """(names of the first table, names of both): code spans of the last column."""
    tables = (root / "docs/reference/dependencies.md").read_text().split("\n## ")[1:]
    names = [{name for line in table.splitlines() if line.startswith("|")
              for name in re.findall(r"`([^`]+)`", line.rstrip("| ").rsplit("|", 1)[-1])} for table in tables]
    return names[0], set().union(*names)


def looked_for(root):
    """Name by name what the CMake files look for, with the file."""
    files = [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")]
    for place in ("proto", "src", "guest", "clients", "tools", "examples", "tests", "bench"):
        files += (root / place).rglob("CMakeLists.txt")
    for file in files:
        for call, arguments in FIND.findall(file.read_text()):
            words = [word for word in arguments.split() if word not in KEYWORDS]
            name = words[0] if call == "find_package" else words[1]
            name = library("-l" + name) if call == "find_library" else name
            if name not in OURS:
                yield name, file.relative_to(root)


def library(word):
    """`libz` for libz.so.1, libz.a, -lz; other words as they are."""
    if word.startswith("-l"):
        return "lib" + word[2:]
    return re.sub(r"\.(so|a)(\.[\d.]+)?$", "", word)


def needed(program):
    """The shared libraries that a program or a library asks for."""
    out = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True, timeout=60).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", out)


def link_lines(build, target):
    """Libraries and objects from outside the build tree on the link line of `target`: what is linked statically is there."""
    ninja = (build / "build.ninja").read_text()
    block = re.search(rf"^build {re.escape(target)}:.*?(?=^build |\Z)", ninja, re.MULTILINE | re.DOTALL)
    line = re.search(r"^  LINK_LIBRARIES = (.*)$", block.group(0), re.MULTILINE) if block else None
    for word in line.group(1).split() if line else []:
        if word.startswith("-l"):
            yield word
        elif word.startswith("/") and not Path(word).is_relative_to(build):
            yield Path(word).name


def faults(root, build, programs):
    in_programs, anywhere = listed(root)
    for path in programs:
        program = str(path.relative_to(build))
        names = [*needed(path), *link_lines(build, program)]
        if not names:
            yield f"{program}: nothing is known of what it links"
        yield from (f"{program} links {name}, which has no row" for name in map(library, names)
                    if name not in in_programs | OURS)
    yield from (f"{file} looks for {name}, which has no row" for name, file in looked_for(root) if name not in anywhere)


def main():
    root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    programs = [Path(name).resolve() for name in sys.argv[3:]]
    found = sorted(set(faults(root, build, programs)))
    print("\n".join(found) or f"{len(programs)} programs link nothing but what is listed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
