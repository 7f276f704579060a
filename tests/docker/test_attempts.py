"""Escape and tampering attempts: each has one exact outcome under runc and under runsc, and none leaves the sandbox, harms
another run or makes the host say what did not happen."""
import os
import socket
import time
import unittest

import attempts
import world
from world import raw

ABSTRACT = f"plimsoll-attempts-{os.getpid()}"


def listener(family, address):
    found = socket.socket(family)
    found.bind(address)
    found.listen(8)
    return found


class Attempts:
    """Run once for each runtime by the classes below."""
    runtime = None

    @classmethod
    def setUpClass(cls):
        cls.port = listener(socket.AF_INET, ("127.0.0.1", 0))
        cls.addClassCleanup(cls.port.close)
        cls.abstract = listener(socket.AF_UNIX, "\0" + ABSTRACT)
        cls.addClassCleanup(cls.abstract.close)
        cls.daemon = world.DockerDaemon(world.settings(cls.runtime, SANDBOX_RUN_POOL="2"))
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.daemon.listening()

    @property
    def tier(self):
        return world.RUNTIMES[self.runtime]

    def answer(self, answer):
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["isolation"], self.tier)
        return answer.json

    def steps(self, steps, **fields):
        return self.answer(self.daemon.project(steps, **fields))["project"]

    def works(self):
        """The daemon still serves, and what it serves is untouched."""
        self.assertEqual(raw(self.answer(self.daemon.snippet("console.log(6 * 7)"))["javascript"], "stdout"), "42\n")

    def check(self, attempt):
        code = attempt.code.replace("HOST_PORT", str(self.port.getsockname()[1])).replace("HOST_ABSTRACT", ABSTRACT)
        start = time.monotonic()
        if attempt.language == "node":
            result = self.answer(self.daemon.snippet(code, timeoutMs=attempt.timeout_ms))["javascript"]
        else:
            step, files = ("python3 try.py", {"try.py": code}) if attempt.language == "python" else (code, {})
            project = self.steps([step], files=files, artifacts=attempt.artifacts, timeoutMs=attempt.timeout_ms)
            self.check_project(attempt, project)
            self.assertEqual(len(project.get("steps", [])), 1, project)
            result = project["steps"][0]
        took = time.monotonic() - start
        seen = f"stdout {raw(result, 'stdout')[:400]!r}, stderr {raw(result, 'stderr')[:400]!r}"
        wanted = attempt.of(attempt.out, self.runtime)
        self.assertIn(raw(result, "stdout"), wanted if isinstance(wanted, tuple) else (wanted,), seen)
        self.assertEqual(result.get("exitCode", 0), attempt.of(attempt.exit, self.runtime), seen)
        self.assertEqual(result.get("timedOut", False), attempt.timed_out, seen)
        self.assertEqual((result.get("stdoutTruncated", False), result.get("stderrTruncated", False)), attempt.cut, seen)
        if attempt.within:
            self.assertLess(took, attempt.within, seen)

    def check_project(self, attempt, project):
        self.assertEqual(project["outcome"], attempt.of(attempt.outcome, self.runtime), project.get("outcomeDetail"))
        back = [(a["path"], raw(a, "content").encode("latin-1")) for a in project.get("artifacts", [])]
        if callable(attempt.kept):
            left_out = project.get("artifactsTruncated", False)
            seen = [(path, len(content), content[:80]) for path, content in back]
            self.assertTrue(attempt.kept(back, left_out), f"{seen}, artifactsTruncated {left_out}")
        else:
            self.assertEqual(back, attempt.kept)

    def test_kills_the_agent(self):
        project = self.steps(["kill -9 1; sleep 20", "echo next"], timeoutMs=6000)
        if self.runtime == "runc":  # the kernel does not deliver it to the first process of a container
            self.assertEqual(project["outcome"], "PROJECT_OUTCOME_TIMED_OUT", project)
        else:
            self.assertEqual((project["outcome"], len(project.get("steps", []))), ("PROJECT_OUTCOME_RUNNER_FAILED", 1), project)
        self.works()

    def test_kills_the_agent_in_a_snippet(self):
        answer = self.answer(self.daemon.snippet(
            "console.log('before'); process.kill(1, 'SIGKILL'); setTimeout(() => console.log('after'), 500)", timeoutMs=6000))
        result = answer["javascript"]
        if self.runtime == "runc":
            self.assertEqual((raw(result, "stdout"), result.get("exitCode", 0)), ("before\nafter\n", 0))
        else:
            self.assertEqual(result["exitCode"], 137, result)
        self.works()

    def test_stops_the_agent(self):
        start = time.monotonic()
        project = self.steps(["kill -STOP 1; sleep 1; echo on"], timeoutMs=4000)
        self.assertLess(time.monotonic() - start, 12)
        if self.runtime == "runc":
            self.assertEqual(project["outcome"], "PROJECT_OUTCOME_COMPLETED", project)
        else:
            self.assertEqual(project["outcome"], "PROJECT_OUTCOME_TIMED_OUT", project)
        self.works()

    def test_XD13_forks_without_end(self):
        code = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"
        start = time.monotonic()
        project = self.steps(["python3 bomb.py"], files={"bomb.py": code}, timeoutMs=4000)
        self.assertLess(time.monotonic() - start, 14)
        if self.runtime == "runc":
            self.assertEqual(project["outcome"], "PROJECT_OUTCOME_TIMED_OUT", project)
        else:  # whichever comes first: its time, or its memory, whose end is the sandbox's under gVisor
            self.assertIn(project["outcome"], ("PROJECT_OUTCOME_TIMED_OUT", "PROJECT_OUTCOME_RUNNER_FAILED"), project)
        self.works()

    def test_XE1_takes_all_memory(self):
        code = "const held = []; for (let i = 0; ; i++) held.push(Buffer.alloc(32 << 20, i + 1))"
        result = self.answer(self.daemon.snippet(code, timeoutMs=20000))["javascript"]
        self.assertEqual((result["exitCode"], result.get("timedOut", False)), (137, False), result)
        self.works()

    def test_P43_takes_all_memory_in_a_step(self):
        code = "held = []\nwhile True: held.append(bytearray(b'x') * (16 << 20))\n"
        project = self.steps(["python3 take.py; echo $?"], files={"take.py": code}, timeoutMs=20000)
        step = project["steps"][0]
        seen = (project["outcome"], project.get("outcomeDetail", "")[-13:], raw(step, "stdout"), step.get("exitCode", 0))
        killed = ("PROJECT_OUTCOME_COMPLETED", "", "137\n", 0)
        # gVisor's kernel and the memory of its guest are processes of one host group: the host ends the one or the other.
        ended = ("PROJECT_OUTCOME_RUNNER_FAILED", "out of memory", "", 137)
        self.assertIn(seen, [killed] if self.runtime == "runc" else [killed, ended], project)
        self.works()

    def test_XJ9_compiles_inside_the_sandbox(self):
        """A compiler that ran anywhere else would find the host's file, and another host name than the steps around it."""
        with world.shared_folder() as folder:
            (folder / "secret.h").write_text('#error "seen"\n')
            host_name = "cat /proc/sys/kernel/hostname"
            steps = [f"{host_name} > name; grep -cE '^[0-9a-f]{{12}}$' name; tr -d '\\0' </proc/1/cmdline",
                     f"echo '#include \"{folder}/secret.h\"' > a.c; gcc -c a.c 2>&1 | grep -c 'No such file'",
                     f"printf 'all:\\n\\t@{host_name} | cmp - name && gcc -c b.c && echo made' > Makefile; echo 'int b;' > b.c; make"]
            project = self.steps(steps, timeoutMs=30000)
        self.assertEqual([raw(step, "stdout") for step in project["steps"]], ["1\n/run/plimsoll-guest", "1\n", "made\n"], project)

    def test_runs_from_memory_and_gains_nothing(self):
        """A memory file is outside every mount, so noexec does not reach it: what runs from it is still the guest."""
        code = ("import os\nf = os.memfd_create('x', 0)\nos.write(f, open('/usr/bin/id', 'rb').read())\n"
                "os.execve(f, ['id', '-u'], {})\n")
        project = self.steps(["python3 m.py"], files={"m.py": code})
        self.assertEqual(raw(project["steps"][0], "stdout"), "61000\n", project)


def named(attempt):
    def test(self):
        self.check(attempt)
    return test


for each in attempts.ALL:
    setattr(Attempts, "test_" + each.name, named(each))


class Runc(Attempts, unittest.TestCase):
    runtime = "runc"


class Runsc(Attempts, unittest.TestCase):
    runtime = "runsc"
