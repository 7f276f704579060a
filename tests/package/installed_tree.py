#!/usr/bin/env python3
"""Installs a build tree into an empty folder and uses it as a stranger would: with CMake, with pkg-config, from the shell.

usage: installed_tree.py BUILD_DIR CXX [COMPILER ...]

CXX builds the strangers' programs; each further COMPILER reads the public headers too.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/e2e"), str(SOURCE / "tests/docs")]
import harness  # noqa: E402
import pages  # noqa: E402

BUILD = None  # set by main
COMPILERS = []
LIMIT = 240  # seconds: how long one command may take
VERSION = (SOURCE / "VERSION").read_text().strip()
PROGRAMS = ["bin/plimsoll", "bin/plimsolld", "libexec/plimsoll/plimsoll-guest", "libexec/plimsoll/plimsoll-wasm-worker"]
LIBRARIES = [f"lib/lib{name}.so{suffix}" for name in ("plimsoll", "plimsoll_client")
             for suffix in ("", "." + VERSION.rpartition(".")[0], "." + VERSION)]
HEADERS = ["sandbox.h", "client.h", "client_annex.h", "client_error.h", "client_evidence.h", "client_requests.h", "client_results.h", "client_session.h"]
PACKAGE = ["lib/cmake/plimsoll/plimsollConfig.cmake", "lib/cmake/plimsoll/plimsollConfigVersion.cmake",
           "lib/cmake/plimsoll/plimsollTargets.cmake",
           "lib/pkgconfig/plimsoll.pc", "lib/pkgconfig/plimsoll-client.pc"]
RESOLVER = "libexec/plimsoll/plimsoll-resolv.conf"  # mounted into sandboxes, and no program
DOCUMENTS = [f"share/doc/plimsoll/{name}" for name in ("README.md", "SECURITY.md", "LICENSE")] + ["share/plimsoll/seccomp/plimsoll.json"]
# What would show that a program or library holds a part of the daemon.
DAEMON = re.compile(r"plimsoll::(rpc|dispatch|daemon|provider|providers|wasm|admission|callers)::|google::protobuf|protobuf")


def sh(*command, **options):
    """The standard output of a command that must succeed. Its environment holds PATH and what `env` adds, nothing else."""
    environment = {"PATH": os.environ["PATH"], **options.pop("env", {})}
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, timeout=LIMIT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class InstalledTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plimsoll-package-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.top = Path(cls.folder.name)
        # The tree is moved after it was installed: nothing in it may remember where it was.
        sh("cmake", "--install", BUILD, "--prefix", cls.top / "first")
        cls.prefix = cls.top / "moved to"
        (cls.top / "first").rename(cls.prefix)

    def build(self, source, name):
        """Configures and builds a stranger's project against the installed tree; the path of its program."""
        build = self.top / f"build-{name}"
        sh("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
           f"-DCMAKE_CXX_COMPILER={COMPILERS[0]}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        sh("cmake", "--build", build)
        return build / name

    def build_with_pkg_config(self, package, source, name):
        flags = sh("pkg-config", "--cflags", "--libs", package, env={"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")})
        # pkg-config escapes for a shell, which is what a makefile hands its words to.
        program = self.top / name
        sh("sh", "-c", f'"$0" -std=c++20 "$1" -o "$2" {flags}', COMPILERS[0], source, program)
        return program

    def assert_holds_no_daemon(self, binary):
        needed = sh("readelf", "-dW", binary)
        for text in (needed, sh("nm", "-DC", binary), sh("nm", "-C", binary)):
            found = DAEMON.search(text)
            self.assertIsNone(found, f"{binary} holds a part of the daemon: {found}")
        self.assertNotRegex(needed, r"NEEDED.*\[libplimsoll\.so", f"{binary} links the embedding library")

    def test_it_holds_these_files_and_no_other(self):
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        # CMake adds one file for the kind of build that was installed.
        found = {name for name in found if not re.fullmatch(r"lib/cmake/plimsoll/plimsollTargets-[a-z]+\.cmake", name)}
        headers = [f"include/plimsoll/{name}" for name in HEADERS]
        self.assertEqual(found, {*PROGRAMS, RESOLVER, *LIBRARIES, *headers, *PACKAGE, *DOCUMENTS})

    def test_no_file_of_its_package_names_the_build_tree(self):
        for name in PACKAGE:
            text = (self.prefix / name).read_text()
            self.assertNotIn(str(SOURCE), text, name)
            self.assertNotIn(str(self.top / "first"), text, name)
        for name in PROGRAMS + LIBRARIES:
            # Only the place the loader searches counts: an assertion's text may name a source file.
            self.assertNotRegex(sh("readelf", "-dW", self.prefix / name), r"(RPATH|RUNPATH).*\[/", name)

    def test_each_header_compiles_alone(self):
        for compiler in COMPILERS:
            for name in HEADERS:
                with self.subTest(compiler=compiler, header=name):
                    sh(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{self.prefix}/include",
                       "-x", "c++", "-", input=f'#include "plimsoll/{name}"\n')

    def test_the_minimal_program_runs_with_cmake_and_with_pkg_config(self):
        source = SOURCE / "examples/minimal"
        programs = [(self.build(source, "minimal"), {}),
                    (self.build_with_pkg_config("plimsoll", source / "main.cc", "minimal-pc"),
                     {"LD_LIBRARY_PATH": str(self.prefix / "lib")})]
        for program, environment in programs:
            with self.subTest(program=program.name):
                printed = sh(program, env=environment)
                self.assertRegex(printed, r'(?m)^stdout +\{"Engineering":59000000,')
                self.assertRegex(printed, r"(?m)^isolation +process$")

    def test_the_page_on_embedding_prints_what_it_says(self):
        blocks = pages.blocks((SOURCE / "docs/howto/embed.md").read_text())
        folder = self.top / "page"
        folder.mkdir()
        for name, language in (("answer.cc", "cpp"), ("CMakeLists.txt", "cmake")):
            (folder / name).write_text("\n".join(next(block for block in blocks if block.language == language).text) + "\n")
        shown = [command.output for block in blocks if block.language == "console" for command in block.commands()
                 if command.text.endswith("/answer")]
        self.assertEqual(len(shown), 2)
        printed = sh(self.build(folder, "answer")).splitlines()
        self.assertEqual(shown, [printed, printed])

    def test_a_project_that_builds_this_one_gets_no_tests(self):
        outer = self.top / "outer"
        outer.mkdir()
        (outer / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(outer C CXX)\nadd_subdirectory("{SOURCE}" plimsoll EXCLUDE_FROM_ALL)\n'
            'if(PLIMSOLL_TESTS OR NOT TARGET plimsoll::sandbox OR NOT TARGET plimsoll::client OR TARGET minimal)\n'
            '  message(FATAL_ERROR "tests: ${PLIMSOLL_TESTS}")\nendif()\n')
        sh("cmake", "-S", outer, "-B", outer / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILERS[0]}",
           env={name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME") if name in os.environ})

    def test_the_command_runs_a_snippet(self):
        printed = sh(self.prefix / "bin/plimsoll", "run", "-", input="console.log(6 * 7)")
        self.assertEqual(printed, "42\n")

    def test_the_command_runs_through_a_link_too(self):
        link = self.top / "plimsoll"
        link.symlink_to(self.prefix / "bin/plimsoll")
        self.assertEqual(sh(link, "run", "-", input="console.log(6 * 7)"), "42\n")

    def test_the_embedding_library_shows_its_header_and_nothing_else(self):
        self.assert_shows_only("libplimsoll.so", r"plimsoll::Sandbox::")

    def test_C36_the_client_alone_builds_and_links_no_daemon(self):
        source = Path(__file__).resolve().parent / "client_only"
        programs = [(self.build(source, "client_only"), {}),
                    (self.build_with_pkg_config("plimsoll-client", source / "main.cc", "client_only-pc"),
                     {"LD_LIBRARY_PATH": str(self.prefix / "lib")})]
        self.assert_holds_no_daemon(self.prefix / "lib/libplimsoll_client.so")
        self.assert_shows_only("libplimsoll_client.so", r"plimsoll::client::")
        read = sh(COMPILERS[0], "-std=c++20", f"-I{self.prefix}/include", "-MM", source / "main.cc")
        self.assertEqual(set(re.findall(r"plimsoll/([a-z_]+\.h)", read)), {name for name in HEADERS if name.startswith("client")})
        harness.BIN_DIR = self.prefix / "bin"
        token = {"PLIMSOLL_TOKEN": "a-token-of-the-package-test-0123456789"}
        with harness.Daemon({"SANDBOX_PROVIDER": "wasm", **token}) as daemon:
            host, port = daemon.address
            for program, environment in programs:
                with self.subTest(program=program.name):
                    self.assert_holds_no_daemon(program)
                    self.assertEqual(sh(program, f"http://{host}:{port}", env={**environment, **token}), "42\nprocess\nunsupported\n")

    def assert_shows_only(self, library, pattern):
        names = sh("nm", "-DC", "--defined-only", "--format=posix", self.prefix / "lib" / library).splitlines()
        self.assertTrue(names)
        for name in names:
            self.assertRegex(name, "^" + pattern)


def main():
    global BUILD
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    BUILD = Path(sys.argv[1])
    COMPILERS.extend(sys.argv[2:])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(InstalledTree)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
