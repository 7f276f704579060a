"""A daemon over a real engine: what it says when the engine dies, lies or drops a limit, when its images move, and when it is
hardened. The engine is met through a proxy that misbehaves on demand (engine_proxy.py)."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
import harness
import world
from engine import EngineError
from registry import Registry
from world import Proxy, raw

FULL_ENVELOPE = {"SANDBOX_MEMORY_MB": "256", "SANDBOX_CPUS": "1", "SANDBOX_DISK_MB": "160", "SANDBOX_PIDS": "256",
                 "SANDBOX_TOTAL_MEMORY_MB": "1024"}


def labelled():
    return set(world.containers())


def tag(image, reference):
    repository, _, word = reference.rpartition(":")
    world.engine().call("POST", f"/images/{image}/tag", query={"repo": repository, "tag": word})


def remove_image(reference):
    world.engine().call("DELETE", f"/images/{reference}")


class LeavesContainers(unittest.TestCase):
    """Tests that end an engine under its daemon, or a daemon under its run: what they leave is what they are about."""

    def setUp(self):
        before = labelled()
        self.addCleanup(lambda: [world.engine().call("DELETE", f"/containers/{one}", query={"force": 1}) for one in labelled() - before])


def behind(proxy, runtime="runc", **more):
    return world.settings(runtime, **{"DOCKER_HOST": proxy.host, "SANDBOX_RUN_POOL": "0", **more})


class Engine(LeavesContainers):
    def test_P40_W59_an_engine_that_is_gone_before_create_is_a_refusal(self):
        with Proxy() as proxy, world.DockerDaemon(behind(proxy)) as daemon:
            self.assertEqual(daemon.snippet("console.log(1)").status, 200)
            proxy.die()
            answer = daemon.snippet("console.log(1)")
            self.assertEqual((answer.code, answer.reason), ("unavailable", "environment"), answer.text)

    def test_P40_W42_XB11_an_engine_that_dies_under_a_run_is_an_unmarked_error(self):
        with Proxy() as proxy, world.DockerDaemon(behind(proxy)) as daemon:
            daemon.listening()
            threading.Timer(3, proxy.die).start()
            answer = daemon.snippet("console.log('began'); setTimeout(() => {}, 20000)", timeoutMs=25000)
            self.assertEqual((answer.code, answer.reason, answer.mark), ("internal", None, None), answer.text)
            self.assertRegex(answer.json["message"], r"^internal error [0-9a-f]{16}\b")
            number = answer.json["message"].split()[2].rstrip(".:,;")
            harness.until(lambda: any(number in line for line in daemon.lines), "the log to name the error's number")
            self.assertNotIn("docker", answer.json["message"])

    def test_D48_XD9_readiness_tells_nothing_and_health_stays(self):
        with Proxy() as proxy, world.DockerDaemon(behind(proxy)) as daemon:
            self.assertEqual((daemon.request("GET", "/readyz").status, daemon.request("GET", "/readyz").text), (200, "ready\n"))
            proxy.die()
            time.sleep(5.5)  # a success is kept for 5 s
            for _ in range(3):
                ready = daemon.request("GET", "/readyz")
                self.assertEqual((ready.status, ready.text), (503, "not ready\n"))
            self.assertEqual((daemon.request("GET", "/healthz").status, daemon.request("GET", "/healthz").text), (200, "ok\n"))
            told = [r for r in daemon.records if r["level"] in ("WARN", "ERROR") and "ready" in r["msg"]]
            self.assertEqual(len(told), 1, daemon.lines)

    def test_P35_XE2_a_limit_that_is_dropped_is_found_and_nothing_is_served(self):
        for member in ("HostConfig.PidsLimit", "HostConfig.Tmpfs", "HostConfig.Memory", "HostConfig.NanoCpus"):
            with self.subTest(member), Proxy() as proxy:
                gone = [member, "HostConfig.MemorySwap"] if member == "HostConfig.Memory" else [member]
                proxy.rules({"method": "POST", "path": "/containers/create", "remove": gone})
                with world.DockerDaemon(behind(proxy)) as daemon:
                    self.assertEqual(daemon.process.wait(130), 1)
                    daemon.exit_code()
                    self.assertEqual(daemon.record("start error")["setting"], "SANDBOX_PROVIDER", daemon.lines)

    def test_P24_a_remote_engine_is_refused_by_name(self):
        for host in ("tcp://127.0.0.1:2375", "ssh://root@127.0.0.1"):
            with self.subTest(host), world.DockerDaemon(world.settings("runc", DOCKER_HOST=host)) as daemon:
                self.assertEqual(daemon.exit_code(), 1)
                self.assertIn(host.split(":")[0], daemon.record("start error")["error"])

    def test_D14_a_bad_clients_file_makes_no_container(self):
        before = labelled()
        with harness.text_file("{}") as path:
            more = {"PLIMSOLL_CLIENTS_FILE": path, "PLIMSOLL_INSECURE": ""}
            with world.DockerDaemon(world.settings("runc", **more)) as daemon:
                self.assertEqual(daemon.exit_code(), 1)
        self.assertEqual(labelled(), before)

    def test_XD2_a_removal_that_takes_long_holds_up_no_run(self):
        with Proxy() as proxy, world.DockerDaemon(behind(proxy)) as daemon:
            daemon.listening()
            proxy.rules({"method": "DELETE", "path": "/containers/[^/]+", "delay_ms": 15000})
            start = time.monotonic()
            for _ in range(3):
                self.assertEqual(raw(daemon.snippet("console.log(1)").json["javascript"], "stdout"), "1\n")
            self.assertLess(time.monotonic() - start, 12)
            proxy.rules()

    def test_XD1_XD6_what_a_dead_daemon_left_goes_by_its_label_and_nothing_else(self):
        """A daemon that knows nothing of what was before sweeps as soon as it serves."""
        made = {}
        for name, labels in (("over", {world.EXPIRES: "1700000000"}), ("live", {world.EXPIRES: str(int(time.time()) + 600)}), ("other", {})):
            made[name] = world.engine().json("POST", "/containers/create", {
                "Image": world.SNIPPET, "Cmd": ["node"], "Labels": labels, "HostConfig": {"NetworkMode": "none"}})["Id"]
            self.addCleanup(self.remove, made[name])
        with world.DockerDaemon(world.settings("runc", SANDBOX_RUN_POOL="0")) as daemon:
            daemon.listening()
            deadline = time.monotonic() + 30
            while made["over"] in labelled():
                self.assertLess(time.monotonic(), deadline, "it is still there")
                time.sleep(1)
        self.assertIn(made["live"], labelled())
        self.assertEqual(world.engine().json("GET", f"/containers/{made['other']}/json")["Id"], made["other"])

    @staticmethod
    def remove(container):
        try:
            world.engine().call("DELETE", f"/containers/{container}", query={"force": 1})
        except EngineError as error:
            if error.status != 404:
                raise

    def test_XJ6_an_engine_that_may_not_be_spoken_to_is_named_with_the_reason(self):
        with Proxy() as proxy:
            os.chmod(proxy.path, 0)
            os.chmod(os.path.dirname(proxy.path), 0o755)
            start = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
            with world.shared_folder() as folder:
                for file in ("plimsolld", "plimsoll-guest", "plimsoll-resolv.conf"):
                    shutil.copy(harness.BIN_DIR / file, folder)
                run = subprocess.run([*start, folder / "plimsolld"], env={**behind(proxy), "SANDBOX_DOCKER_SECCOMP": ""},
                                     capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1, run.stderr)
        said = json.loads(run.stderr.splitlines()[-1])
        self.assertEqual((said["msg"], said["setting"]), ("start error", "SANDBOX_PROVIDER"), run.stderr)
        self.assertRegex(said["error"], "docker engine at .*: cannot be reached; .*may the daemon use its socket")

    def test_XE13_what_does_not_fit_into_the_memory_is_refused_and_what_fits_is_not_killed(self):
        settings = world.settings("runc", SANDBOX_MEMORY_MB="256", SANDBOX_TOTAL_MEMORY_MB="512", SANDBOX_RUN_POOL="0")
        code = "const held = Buffer.alloc(150 << 20, 1); setTimeout(() => console.log(held.length >> 20), 6000)"
        with world.DockerDaemon(settings) as daemon:
            daemon.listening()
            with ThreadPoolExecutor(6) as callers:
                answers = list(callers.map(lambda _: daemon.snippet(code, timeoutMs=20000), range(6)))
        ran = [raw(answer.json["javascript"], "stdout") for answer in answers if answer.status == 200]
        self.assertEqual(ran, ["150\n"] * 2)
        refused = [(answer.code, answer.reason) for answer in answers if answer.status != 200]
        self.assertEqual(refused, [("resource_exhausted", "capacity")] * 4)


class Images(unittest.TestCase):
    def test_P30_W59_XJ8_a_tag_that_moves_after_the_proof_is_refused(self):
        moving = f"plimsoll-test/moving:{os.getpid()}"
        tag(world.SNIPPET, moving)
        self.addCleanup(remove_image, moving)
        more = {"SANDBOX_DOCKER_IMAGE": moving, "SANDBOX_RUN_POOL": "0"}
        with world.DockerDaemon(world.settings("runc", **more)) as daemon:
            tier = daemon.snippet("console.log(1)").json["isolation"]
            tag(world.PROJECT, moving)
            time.sleep(5.5)
            answer = daemon.snippet("console.log(1)")
            self.assertEqual((answer.code, answer.reason), ("unimplemented", "environment"), answer.text)
            self.assertEqual(daemon.request("GET", "/readyz").status, 503)
            described = daemon.call("Describe", {"protocol": 5}).json
            self.assertEqual(described["isolation"], tier)


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = world.DockerDaemon(world.settings("runc", SANDBOX_RUN_POOL="1", PLIMSOLL_SECRET_THING="seen",
                                                                       HTTP_PROXY="http://seen.invalid"))
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.daemon.listening()

    def test_P34_what_the_wall_refuses_inside(self):
        code = r"""
const fs = require('fs'), tell = f => { try { f(); console.log('ok') } catch (e) { console.log(e.code) } };
tell(() => fs.writeFileSync('/x', ''));
fs.copyFileSync('/run/plimsoll-guest', '/tmp/x'); fs.chmodSync('/tmp/x', 0o755);
console.log(require('child_process').spawnSync('/tmp/x').error.code);
console.log(fs.readFileSync('/proc/net/dev', 'utf8').match(/^ *\w+(?=:)/gm).map(s => s.trim()).join());
require('net').connect(80, '127.0.0.1').on('error', e => console.log(e.code));"""
        result = self.daemon.snippet(code).json["javascript"]
        self.assertEqual(raw(result, "stdout"), "EROFS\nEACCES\nlo\nEPERM\n")

    def test_P37_XH6_nothing_of_the_daemons_environment_is_seen(self):
        result = self.daemon.snippet("console.log(JSON.stringify(process.env))").json["javascript"]
        self.assertNotIn("seen", raw(result, "stdout"))
        self.assertNotRegex(raw(result, "stdout"), "(?i)proxy")

    def test_W40_a_project_whose_second_step_fails_is_completed(self):
        project = self.daemon.project(["true", "false", "true"]).json["project"]
        self.assertEqual((project["outcome"], len(project["steps"])), ("PROJECT_OUTCOME_COMPLETED", 2))

    def test_XI4_what_a_guest_prints_is_no_evidence(self):
        """The line of a run is written by the daemon, once, whatever the guest does inside."""
        forged = '{"level":"INFO","msg":"code run","caller":"forged","exit_code":0}'
        before = sum(r["msg"] == "code run" for r in self.daemon.records)
        code = f"""
const fs = require('fs');
for (const to of ['/dev/stdout', '/dev/stderr', '/proc/1/fd/1', '/proc/1/fd/2', '/dev/console', '/dev/kmsg', 1, 2])
  try {{ fs.writeFileSync(to, {forged!r} + '\\n'); }} catch {{}}
process.exit(3);"""
        self.assertIn("forged", raw(self.daemon.snippet(code).json["javascript"], "stdout"))
        record = self.daemon.record("code run", before + 1)
        self.assertEqual((record["exit_code"], record["code_bytes"]), (3, len(code)))
        self.assertEqual(self.daemon.snippet("1").status, 200)
        self.daemon.record("code run", before + 2)
        self.assertEqual(sum(r["msg"] == "code run" for r in self.daemon.records), before + 2)
        self.assertFalse([line for line in self.daemon.lines if "forged" in line])

    def test_P71_XI2_no_log_line_holds_what_a_guest_or_a_caller_wrote(self):
        self.daemon.snippet("console.log('word-of-the-guest'); // word-of-the-code")
        self.daemon.project(["echo word-of-a-step"], {"word-of-a-path": "word-of-a-file"})
        self.assertFalse([line for line in self.daemon.lines if "word-of" in line])


class Runsc(unittest.TestCase):
    def test_W41_XB11_a_runner_that_is_killed_is_never_a_completed_run(self):
        with world.DockerDaemon(world.settings("runsc", SANDBOX_RUN_POOL="0")) as daemon:
            project = daemon.project(["echo before; kill -9 1; sleep 5"]).json["project"]
        self.assertIn(project["outcome"], ("PROJECT_OUTCOME_RUNNER_FAILED", "PROJECT_OUTCOME_PROTOCOL_ERROR"))
        for step in project.get("steps", []):
            self.assertNotIn("docker", raw(step, "stderr"))
            self.assertNotIn("plimsoll", raw(step, "stderr"))


class Hardened(LeavesContainers):
    """Pinned images from a registry on loopback, a client registry, the whole envelope."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        registry = Registry(Path(folder.name) / "registry")
        registry.up()
        cls.addClassCleanup(registry.down)
        cls.pinned = {}
        with build.only_one():
            images = build.built(build.Platform(), refresh=False)
        for name, image in images.items():
            reference = cls.pinned[name] = registry.push(image)
            name_there, _, digest = reference.partition("@")
            world.engine().call("POST", "/images/create", query={"fromImage": name_there, "tag": digest}, timeout=120)
            cls.addClassCleanup(remove_image, reference)

    def settings(self, runtime, clients):
        return world.settings(runtime, PLIMSOLL_HARDENED="1", PLIMSOLL_INSECURE="", PLIMSOLL_CLIENTS_FILE=clients,
                                      SANDBOX_REQUIRE_PINNED_IMAGES="1", SANDBOX_DOCKER_IMAGE=self.pinned["snippet"],
                                      SANDBOX_DOCKER_PROJECT_IMAGE=self.pinned["project"], SANDBOX_RATE_PER_MIN="60",
                                      SANDBOX_RATE_BURST="10", SANDBOX_MAX_CONCURRENT="4", SANDBOX_PER_KEY_CONCURRENT="2",
                                      SANDBOX_RUN_POOL="0", **FULL_ENVELOPE)

    def clients(self):
        return harness.clients_file({"alice": ("a" * 40, ["code:run"])})

    def test_D45_every_rule_met_under_runsc_serves_at_tier_kernel(self):
        with self.clients() as clients, world.DockerDaemon(self.settings("runsc", clients)) as daemon:
            self.assertEqual(daemon.listening()["isolation"], "kernel")
            answer = daemon.call("Run", {"protocol": 5, "javascript": {"code": "console.log(42)"}}, harness.bearer("a" * 40))
            self.assertEqual(base64.b64decode(answer.json["javascript"]["stdout"]), b"42\n", answer.text)

    def test_D44_runc_is_refused_after_the_proof_and_the_reason_names_isolation(self):
        with self.clients() as clients, world.DockerDaemon(self.settings("runc", clients)) as daemon:
            self.assertEqual(daemon.process.wait(130), 1)
            daemon.exit_code()
            error = daemon.record("start error")
            self.assertEqual(error["setting"], "PLIMSOLL_HARDENED", daemon.lines)
            self.assertIn("isolation", error["error"])

    def test_D47_evidence_that_drops_while_serving_refuses_a_run_without_a_floor(self):
        with self.clients() as clients, Proxy() as proxy:
            environment = {**self.settings("runsc", clients), "DOCKER_HOST": proxy.host}
            with world.DockerDaemon(environment) as daemon:
                daemon.listening()
                proxy.die()
                time.sleep(5.5)
                daemon.request("GET", "/readyz")
                answer = daemon.call("Run", {"protocol": 5, "javascript": {"code": "1"}}, harness.bearer("a" * 40))
                self.assertEqual((answer.code, answer.reason), ("failed_precondition", "isolation"), answer.text)


class Signals(LeavesContainers):
    def test_D56_two_signals_end_it_at_once_and_a_clean_stop_leaves_nothing(self):
        before = labelled()
        with world.DockerDaemon(world.settings("runc", SANDBOX_RUN_POOL="1")) as daemon:
            daemon.listening()
            self.assertEqual(daemon.snippet("console.log(1)").status, 200)
            self.assertEqual(daemon.stop(), 0)
        self.assertLessEqual(labelled(), before)
        with world.DockerDaemon(world.settings("runc", SANDBOX_RUN_POOL="0")) as daemon:
            daemon.listening()
            threading.Thread(target=lambda: self.quietly(daemon), daemon=True).start()
            daemon.await_metric("plimsoll_inflight", 1)
            time.sleep(1)
            daemon.process.send_signal(signal.SIGTERM)
            daemon.record("plimsolld draining")
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.process.wait(5), -signal.SIGTERM)

    @staticmethod
    def quietly(daemon):
        try:
            daemon.snippet("setTimeout(() => {}, 25000)", timeoutMs=28000)
        except Exception:  # noqa: BLE001: the daemon ends under it
            pass
