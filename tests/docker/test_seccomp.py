"""P72: from inside a container under runc, each call that the shipped profile denies fails with the errno of the table.

The program is run three times: as the daemon runs guests; as root with every capability that this machine can give, so that a missing
capability cannot pass for the filter; and as that without any filter, where each call must end otherwise: a test that passes there
too would show nothing.
"""
import json
import re
import subprocess
import unittest

import world
from denied_calls import ALLOWED, DENIED, GROUPS, X86_ONLY

PAGE = world.ROOT / "docs/reference/seccomp.md"
# By number; those that engines of API 1.41 know.
CAPABILITIES = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE
    NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT
    SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG
    WAKE_ALARM BLOCK_SUSPEND AUDIT_READ""".split()


def capabilities_here():
    """Those that may be given away on this machine at all."""
    with open("/proc/self/status", encoding="ascii") as status:
        mask = int(re.search(r"^CapBnd:\s*([0-9a-f]+)$", status.read(), re.MULTILINE)[1], 16)
    return [name for number, name in enumerate(CAPABILITIES) if mask >> number & 1]


def run_probe(engine, program, user, **host):
    """What each call ended with, by its name."""
    code, output, error = engine.run(
        world.PROJECT, ["/probe/denied_calls"], Runtime="runc", Binds=[f"{program.parent}:/probe:ro"], Tmpfs={"/tmp": "rw,mode=1777"},
        config={"User": user, "WorkingDir": "/"}, **host)
    if code != 0:
        raise AssertionError(f"the program ended with {code}: {error.decode()}")
    return dict(line.split("\t") for line in output.decode().splitlines())


class Seccomp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        engine = world.engine()
        profile = "seccomp=" + world.PROFILE.read_text()
        with world.shared_folder() as folder:
            program = folder / "denied_calls"
            source = world.ROOT / "tests/docker/denied_calls.c"
            subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-static", source, "-o", program], check=True, timeout=60)
            everything = {"CapAdd": capabilities_here()}
            cls.as_guest = run_probe(engine, program, world.GUEST, CapDrop=["ALL"], ReadonlyRootfs=True,
                                     SecurityOpt=[profile, "no-new-privileges"])
            cls.as_root = run_probe(engine, program, "0:0", SecurityOpt=[profile], **everything)
            cls.unfiltered = run_probe(engine, program, "0:0", SecurityOpt=["seccomp=unconfined"], **everything)

    def check_denied(self, name, code):
        if name in X86_ONLY and name not in self.unfiltered:
            self.skipTest(f"this architecture has no {name}")
        self.assertEqual(self.as_guest[name], str(code), "as a guest")
        self.assertEqual(self.as_root[name], str(code), "as root with every capability")
        self.assertNotEqual(self.unfiltered[name], str(code), "it ends so without the profile too, so this test shows nothing")

    def check_allowed(self, name):
        name = "allowed: " + name
        if name.removeprefix("allowed: ") in X86_ONLY and name not in self.unfiltered:
            self.skipTest(f"this architecture has no {name}")
        self.assertEqual(self.as_guest[name], "0")

    def test_P72_every_call_that_is_tried_stands_in_the_table(self):
        tried = {name for name in self.as_guest if not name.startswith("allowed: ")}
        self.assertEqual(tried, set(DENIED) - (X86_ONLY - set(self.unfiltered)))

    def test_P72_node_python_and_the_compiler_work_under_the_profile(self):
        engine = world.engine()
        script = ("set -e; cd /work; "
                  "node -e 'new (require(\"worker_threads\").Worker)(\"1\", {eval: true}).on(\"exit\", c => console.log(\"worker\", c))'; "
                  "python3 -c 'import numpy, subprocess, threading; t = threading.Thread(target=print, args=(numpy.arange(3).sum(),)); "
                  "t.start(); t.join(); print(subprocess.check_output([\"echo\", \"child\"], text=True), end=\"\")'; "
                  "echo 'int main(void) { return 0; }' > a.c; gcc a.c -o a; mkfifo fifo; echo 'console.log(6 as number)' > a.ts; tsx a.ts; "
                  "echo first | cat | tee b > c; cmp b c; make --version | head -n 1")
        code, output, error = engine.run(
            world.PROJECT, ["sh", "-c", script], Runtime="runc", ReadonlyRootfs=True, CapDrop=["ALL"],
            Tmpfs={"/tmp": "rw,noexec,nosuid,size=16m", "/work": "rw,noexec,nosuid,size=64m,mode=1777"},
            SecurityOpt=["seccomp=" + world.PROFILE.read_text(), "no-new-privileges"], config={"User": world.GUEST, "WorkingDir": "/work"})
        self.assertEqual((code, error), (0, b""))
        self.assertEqual(output.decode().splitlines(), ["worker 0", "3", "child", "6", "GNU Make 4.3"])


def add_tests():
    """One test a call, so that a failure names it."""
    for name, code in DENIED.items():
        test = "test_P72_denies_" + re.sub(r"\W+", "_", name).strip("_")
        assert not hasattr(Seccomp, test), test
        setattr(Seccomp, test, lambda self, name=name, code=code: self.check_denied(name, code))
    for name in ALLOWED:
        setattr(Seccomp, "test_P72_allows_" + re.sub(r"\W+", "_", name).strip("_"), lambda self, name=name: self.check_allowed(name))


add_tests()


class Profile(unittest.TestCase):
    def setUp(self):
        self.profile = json.loads(world.PROFILE.read_text())

    def test_P72_denies_with_eperm_what_it_does_not_name(self):
        self.assertEqual(self.profile["defaultAction"], "SCMP_ACT_ERRNO")
        self.assertNotIn("defaultErrnoRet", self.profile)

    def test_P72_covers_both_architectures_with_their_32_bit_forms(self):
        self.assertEqual({entry["architecture"]: entry["subArchitectures"] for entry in self.profile["archMap"]},
                         {"SCMP_ARCH_X86_64": ["SCMP_ARCH_X86", "SCMP_ARCH_X32"], "SCMP_ARCH_AARCH64": ["SCMP_ARCH_ARM"]})

    def test_P72_allows_no_denied_call_without_a_condition(self):
        free = {name for row in self.profile["syscalls"] if row["action"] == "SCMP_ACT_ALLOW" and "args" not in row for name in row["names"]}
        calls = {re.match(r"\w+", name)[0] for name in DENIED}
        self.assertEqual(free & calls, set())

    def test_the_page_lists_each_denied_call_with_its_errno(self):
        rows = re.findall(r"^\| `([^`]+)` \| (E[A-Z]+) \|", PAGE.read_text(), re.MULTILINE)
        names = {1: "EPERM", 38: "ENOSYS"}
        self.assertEqual(rows, [(name, names[code]) for group in GROUPS.values() for name, code in group])
