"""tools/install-gvisor.sh: what it refuses, what it checks, what it writes. Needs no engine; the programs are stand-ins that state a version."""
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from world import ROOT

RELEASE = "release-20260101.0"
MACHINE = os.uname().machine
ARGUMENTS = ["--network=none", "--host-uds=open"]
FILES = ("runsc", "containerd-shim-runsc-v1")


def program(version=RELEASE):
    return f"#!/bin/sh\necho 'runsc version {version}'\necho 'spec: 1.2.1'\n".encode()


class Installer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        # A checkout of its own, whose pin a test may change: nothing else can.
        for name in ("tools/install-gvisor.sh", "tools/register_runtime.py", "tools/gvisor.pin", "scripts/gvisor.sh"):
            (self.top / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.top / name)
        self.root = self.top / "root"
        (self.root / "etc/docker").mkdir(parents=True)
        self.settings = self.root / "etc/docker/daemon.json"
        self.runsc = f"/opt/plimsoll/gvisor-{RELEASE}/runsc"

    def archive(self, files=None, pinned=True):
        """A tar of programs, pinned unless told otherwise."""
        path = self.top / "release.tar"
        with tarfile.open(path, "w") as out:
            for name, content in (files or {name: program() for name in FILES}).items():
                source = self.top / "member"
                source.write_bytes(content)
                source.chmod(0o755)
                out.add(source, name)
        if pinned:
            self.pin("release", RELEASE)
            self.pin(f"sha512 {MACHINE}", hashlib.sha512(path.read_bytes()).hexdigest())
        return path

    def pin(self, name, value):
        path = self.top / "tools/gvisor.pin"
        lines = [f"{name} {value}" if line.startswith(name + " ") else line for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines) + "\n")

    def run_it(self, *arguments, **environment):
        done = subprocess.run([self.top / "tools/install-gvisor.sh", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, **environment}, check=False)
        return done.returncode, done.stderr

    def refused(self, text, *arguments, **environment):
        code, said = self.run_it(*arguments, **environment)
        self.assertEqual(code, 1, said)
        self.assertIn(text, said)
        self.assertFalse((self.root / "opt").exists(), "something was installed")

    def test_installs_and_registers_the_pinned_archive(self):
        code, said = self.run_it("--archive", self.archive(), "--root", self.root)
        self.assertEqual(code, 0, said)
        self.assertEqual((self.root / self.runsc.lstrip("/")).read_bytes(), program())
        self.assertEqual(json.loads(self.settings.read_text()), {"runtimes": {"runsc": {"path": self.runsc, "runtimeArgs": ARGUMENTS}}})
        self.assertEqual(self.run_it("--archive", self.top / "release.tar", "--root", self.root)[0], 0, "a second time")

    def test_keeps_everything_else_of_the_settings(self):
        before = {"log-level": "warn", "runtimes": {"kata": {"path": "/k"}}, "default-runtime": "kata", "x": [1, {"y": None}]}
        self.settings.write_text(json.dumps(before))
        self.settings.chmod(0o600)
        self.assertEqual(self.run_it("--archive", self.archive(), "--root", self.root)[0], 0)
        after = json.loads(self.settings.read_text())
        self.assertEqual(after["runtimes"].pop("runsc"), {"path": self.runsc, "runtimeArgs": ARGUMENTS})
        self.assertEqual((after, list(after)), (before, list(before)))
        self.assertEqual(stat.S_IMODE(self.settings.stat().st_mode), 0o600)
        self.assertEqual(json.loads((self.settings.parent / "daemon.json.before-plimsoll").read_text()), before)

    def test_settings_that_cannot_be_kept_are_left_as_they_are(self):
        for text in ("{", "[]", '{"a": 1, "a": 2}', '{"runtimes": []}', '{"runtimes": {"runsc": {"path": "/usr/bin/runsc"}}}'):
            with self.subTest(text=text):
                self.settings.write_text(text)
                self.refused("nothing was installed", "--archive", self.archive(), "--root", self.root)
                self.assertEqual(self.settings.read_text(), text)

    def test_replaces_another_runsc_only_when_told(self):
        self.settings.write_text('{"runtimes": {"runsc": {"path": "/usr/bin/runsc"}}}')
        self.refused("--replace replaces it", "--archive", self.archive(), "--root", self.root)
        self.assertEqual(self.run_it("--archive", self.top / "release.tar", "--root", self.root, "--replace")[0], 0)
        self.assertEqual(json.loads(self.settings.read_text())["runtimes"]["runsc"]["path"], self.runsc)

    def test_a_changed_byte_is_refused(self):
        path = self.archive()
        path.write_bytes(path.read_bytes() + b"\0")
        self.refused(f"is pinned for {MACHINE}", "--archive", path, "--root", self.root)
        self.refused(f"is pinned for {MACHINE}", "--archive", path, "--verify-only")

    def test_another_set_of_programs_is_refused(self):
        for files in ({"runsc": program()}, {**dict.fromkeys(FILES, program()), "more": program()}):
            with self.subTest(files=list(files)):
                self.refused("does not hold exactly", "--archive", self.archive(files), "--root", self.root)

    def test_another_version_is_refused(self):
        files = {"runsc": program("release-20250101.0"), "containerd-shim-runsc-v1": program()}
        self.refused(f"does not state version {RELEASE}", "--archive", self.archive(files), "--root", self.root)

    def test_without_a_pinned_release_every_archive_is_refused(self):
        self.refused(f"no release is pinned for {MACHINE}", "--archive", self.archive(pinned=False), "--root", self.root)
        pins = dict(line.rsplit(" ", 1) for line in (ROOT / "tools/gvisor.pin").read_text().splitlines() if line[:1] not in ("", "#"))
        self.assertEqual({pins["sha512 x86_64"], pins["sha512 aarch64"]}, {"none"}, "say in its header what was verified")

    def test_verify_only_changes_nothing(self):
        code, said = self.run_it("--verify-only", "--archive", self.archive(), "--root", self.root)
        self.assertEqual(code, 0, said)
        self.assertEqual(list(self.root.rglob("*.json")) + list(self.root.glob("opt")), [])

    def test_verify_only_finds_what_became_of_an_installation(self):
        version = self.top / "tools/gvisor.pin"
        self.assertEqual(self.run_it("--archive", self.archive(), "--root", self.root)[0], 0)
        self.pin("version", RELEASE)  # an installation of the archive is found under the version that is pinned
        self.assertEqual(self.run_it("--verify-only", "--root", self.root)[0], 0, version.read_text())
        settings = self.settings.read_text()
        self.settings.write_text(settings.replace("open", "all"))
        self.assertIn("does not register", self.run_it("--verify-only", "--root", self.root)[1])
        self.settings.write_text(settings)
        with (self.root / self.runsc.lstrip("/")).open("ab") as out:
            out.write(b"\n")
        self.assertIn("was changed after it was installed", self.run_it("--verify-only", "--root", self.root)[1])

    def test_no_variable_of_the_caller_changes_what_is_checked(self):
        self.refused(f"no release is pinned for {MACHINE}", "--archive", self.archive(pinned=False), "--root", self.root,
                     RELEASE=RELEASE, release=RELEASE, wanted="x", archive="/dev/null", TAR_OPTIONS="--help", BASH_ENV="/nonexistent")

    def test_another_architecture_is_refused(self):
        fake = self.top / "bin"
        fake.mkdir()
        (fake / "uname").write_text("#!/bin/sh\necho riscv64\n")
        (fake / "uname").chmod(0o755)
        script = self.top / "tools/install-gvisor.sh"
        script.write_text(script.read_text().replace("export PATH=", f"export PATH={fake}:"))
        self.refused("this machine is riscv64", "--archive", self.archive(), "--root", self.root)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_without_root_nothing_is_installed(self):
        self.top.chmod(0o755)
        done = subprocess.run([self.top / "tools/install-gvisor.sh"], capture_output=True, text=True, timeout=60, check=False,
                              user=65534, group=65534, extra_groups=[])
        self.assertEqual((done.returncode, done.stderr), (1, "install-gvisor: installing needs root\n"))
