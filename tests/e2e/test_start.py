"""Arguments, settings and start errors."""
import json
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import harness
from harness import Daemon, children, clients_file, text_file, until, wasm


def plimsolld(*arguments, environment=None):
    return subprocess.run([str(harness.BIN_DIR / "plimsolld"), *arguments], env=environment or {}, capture_output=True,
                          text=True, timeout=harness.WAIT, stdin=subprocess.DEVNULL)


class Arguments(unittest.TestCase):
    def test_D2_a_misspelt_flag_never_starts_a_daemon(self):
        for arguments in (["--hep"], ["run"], ["--help", "x"], ["check", "--jsn"], [""], ["check", "--smoke"],
                          ["doctor", "--smok"], ["doctor", "--json", "--json"]):
            result = plimsolld(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stdout, "")
            self.assertIn("SANDBOX_PROVIDER", result.stderr)
        self.assertIn('"--hep"', plimsolld("--hep").stderr)

    def test_D2_help_in_three_forms(self):
        for argument in ("-h", "--help", "help"):
            result = plimsolld(argument)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("SANDBOX_PROVIDER", result.stdout)

    def test_version_is_one_line(self):
        result = plimsolld("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"\Aplimsolld \S+ protocol 4,5 record 4 commit \S+\n\Z")

    def test_D66_check_exits_by_what_it_finds(self):
        self.assertEqual(plimsolld("check", environment=wasm()).returncode, 3)
        self.assertEqual(plimsolld("check", environment=wasm(PLIMSOLL_LIBEXEC="/nowhere")).returncode, 1)
        self.assertEqual(plimsolld("check", "--json").returncode, 3)
        self.assertEqual(plimsolld("check", environment={"SANDBOX_RATE_PER_MIN": "x"}).returncode, 1)


    def test_doctor_tries_the_provider_and_serves_nothing(self):
        shallow = plimsolld("doctor", "--json", environment=wasm())
        self.assertEqual(shallow.returncode, 3, shallow.stderr)
        report = json.loads(shallow.stdout)
        self.assertEqual((report["preflight"], report["smoke_test"], report["probes"]), ("passed", "not_tried", None))
        deep = plimsolld("doctor", "--smoke", "--json", environment=wasm())
        self.assertEqual(deep.returncode, 3, deep.stderr)
        report = json.loads(deep.stdout)
        self.assertEqual((report["preflight"], report["smoke_test"]), ("passed", "passed"))
        self.assertEqual({probe["outcome"] for probe in report["probes"]["probes"]}, {"pass"})
        self.assertEqual(report["probes"]["provider"], "wasm")
        self.assertIn("snippet/memory-cap", plimsolld("doctor", "--smoke", environment=wasm()).stdout)

    def test_doctor_fails_as_a_start_would(self):
        result = plimsolld("doctor", "--json", environment=wasm(PLIMSOLL_LIBEXEC="/nowhere"))
        self.assertEqual(result.returncode, 1)
        report = json.loads(result.stdout)
        self.assertEqual(report["preflight"], "not_tried")
        self.assertEqual([error["setting"] for error in report["errors"]], ["SANDBOX_PROVIDER"])
        below = plimsolld("doctor", "--smoke", "--json", environment=wasm(SANDBOX_MIN_ISOLATION="kernel"))
        self.assertEqual(below.returncode, 1)
        self.assertEqual([error["setting"] for error in json.loads(below.stdout)["errors"]], ["SANDBOX_MIN_ISOLATION"])


class StartErrors(unittest.TestCase):
    def refused(self, setting, environment):
        """Asserts one ERROR line that names the setting, exit 1 and nothing served; gives that line's error text."""
        with Daemon(environment) as daemon:
            self.assertEqual(daemon.exit_code(), 1, environment)
            errors = [r for r in daemon.records if r["level"] == "ERROR"]
            self.assertEqual([r["setting"] for r in errors], [setting], environment)
            self.assertIsNone(daemon.record("plimsolld listening"))
            return errors[0]["error"]

    def test_D5_bad_numbers(self):
        for value in ("abc", "1e3", "0x10", "9223372036854775808", "\u0663"):
            self.assertIn(value, self.refused("SANDBOX_MAX_CONCURRENT", {"SANDBOX_MAX_CONCURRENT": value}))

    def test_D6_bad_switches(self):
        self.refused("PLIMSOLL_HARDENED", {"PLIMSOLL_HARDENED": "yes"})
        self.refused("SANDBOX_REQUIRE_PINNED_IMAGES", {"SANDBOX_REQUIRE_PINNED_IMAGES": "on"})

    def test_D7_an_unknown_provider_lists_the_known(self):
        self.assertIn("wasm docker", self.refused("SANDBOX_PROVIDER", {"SANDBOX_PROVIDER": "systemd"}))
        self.assertIn("does not include e2b", self.refused("SANDBOX_PROVIDER", wasm(SANDBOX_PROVIDER="e2b")))

    def test_a_memory_too_small_for_the_engine(self):
        self.assertIn("16 MiB", self.refused("SANDBOX_MEMORY_MB", wasm(SANDBOX_MEMORY_MB="15")))
        with Daemon(wasm(SANDBOX_MEMORY_MB="16")) as daemon:
            self.assertEqual(daemon.run("console.log(1)").stdout, "1\n")

    def test_D8_a_minimum_above_the_proved_tier(self):
        self.refused("SANDBOX_MIN_ISOLATION", {"SANDBOX_MIN_ISOLATION": "none"})
        error = self.refused("SANDBOX_MIN_ISOLATION", wasm(SANDBOX_MIN_ISOLATION="vm"))
        self.assertIn("process", error)
        self.assertIn("vm", error)
        error = self.refused("SANDBOX_MIN_ISOLATION", {"SANDBOX_MIN_ISOLATION": "process"})
        self.assertIn("none", error)
        self.assertIn("process", error)

    def test_D13_half_a_pair_bad_files_and_bad_ports(self):
        self.refused("PLIMSOLL_TLS_KEY", {"PLIMSOLL_TLS_CERT": "/nowhere/cert.pem"})
        with text_file("not a certificate") as cert, text_file("not a key") as key:
            self.refused("PLIMSOLL_TLS_CERT", {"PLIMSOLL_TLS_CERT": cert, "PLIMSOLL_TLS_KEY": key})
        self.refused("PLIMSOLL_ADDR", {"PLIMSOLL_ADDR": "127.0.0.1:65536"})

    def test_D13_taken_ports(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            self.refused("PLIMSOLL_ADDR", {"PLIMSOLL_ADDR": address})
            self.refused("PLIMSOLL_METRICS_ADDR", {"PLIMSOLL_METRICS_ADDR": address})

    def test_D20_a_real_provider_wants_authentication(self):
        self.refused("PLIMSOLL_CLIENTS_FILE", {"SANDBOX_PROVIDER": "wasm"})
        self.refused("PLIMSOLL_INSECURE", {"PLIMSOLL_INSECURE": "yes"})
        error = self.refused("PLIMSOLL_TOKEN", {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_TOKEN": "x" * 31})
        self.assertNotIn("xxx", error)

    def test_D21_a_bad_registry(self):
        entry = '{"id":"a","token_sha256":"' + "a" * 64 + '","scopes":["code:run"]}'
        for text in ('{"Clients":[]}', '{"clients":[]}', '{"clients":[%s]} x' % entry, '{"clients":[%s,%s]}' % (entry, entry),
                     '{"clients":[{"id":"*","token_sha256":"%s","scopes":[]}]}' % ("a" * 64)):
            with text_file(text) as path:
                self.refused("PLIMSOLL_CLIENTS_FILE", {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path})

    def test_D67_open_mode_off_loopback_and_a_writable_registry(self):
        for provider in ("", "wasm"):
            open_mode = {"SANDBOX_PROVIDER": provider, "PLIMSOLL_ADDR": "0.0.0.0:0"}
            self.refused("PLIMSOLL_ADDR", open_mode)
            self.refused("PLIMSOLL_HARDENED", {**open_mode, "PLIMSOLL_INSECURE": "1", "PLIMSOLL_HARDENED": "1"})
        with clients_file({"a": ("token", ["code:run"])}, mode=0o620) as path:
            self.refused("PLIMSOLL_CLIENTS_FILE", {"PLIMSOLL_CLIENTS_FILE": path})

    def test_a_missing_worker(self):
        self.assertIn("/nowhere", self.refused("SANDBOX_PROVIDER", wasm(PLIMSOLL_LIBEXEC="/nowhere")))

    def test_hardened_wasm_never_starts(self):
        with clients_file({"a": ("token", ["code:run"])}) as path:
            error = self.refused("PLIMSOLL_HARDENED", {"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_CLIENTS_FILE": path,
                                                       "PLIMSOLL_HARDENED": "1"})
        self.assertIn("H1", error)


    def test_D43_hardened_docker_with_nothing_else_set(self):
        error = self.refused("PLIMSOLL_HARDENED", {"SANDBOX_PROVIDER": "docker", "PLIMSOLL_HARDENED": "1"})
        for rule in ("H2 PLIMSOLL_CLIENTS_FILE", "H7 SANDBOX_REQUIRE_PINNED_IMAGES", "H11 SANDBOX_TOTAL_MEMORY_MB"):
            self.assertIn(rule, error)
        self.assertNotIn("H1 ", error)

    def test_D10_D12_D18_docker_settings_that_need_no_engine(self):
        docker = wasm(SANDBOX_PROVIDER="docker")
        self.refused("SANDBOX_CPUS", {**docker, "SANDBOX_CPUS": "0x1p1"})
        self.refused("SANDBOX_GUEST_UID", {**docker, "SANDBOX_GUEST_UID": "65533"})
        self.refused("SANDBOX_GUEST_UID", wasm(SANDBOX_GUEST_UID="61000"))
        self.refused("SANDBOX_RUN_POOL", {**docker, "SANDBOX_RUN_POOL": "65"})
        self.refused("SANDBOX_RUN_POOL", wasm(SANDBOX_RUN_POOL="1"))
        self.assertIn("not built yet", self.refused("SANDBOX_DOCKER_MODULE_IMAGE",
                                                    {**docker, "SANDBOX_DOCKER_MODULE_IMAGE": "x"}))
        self.assertIn("not built yet", self.refused("SANDBOX_SESSION_POOL",
                                                    {**docker, "SANDBOX_MAX_SESSIONS": "1", "SANDBOX_SESSION_POOL": "1"}))
        self.assertIn("/nowhere/plimsoll-guest",
                      self.refused("SANDBOX_PROVIDER", {**docker, "PLIMSOLL_LIBEXEC": "/nowhere"}))


class StopDuringTheStart(unittest.TestCase):
    def test_a_signal_during_the_proof_ends_it_at_once_and_its_workers(self):
        fake = harness.BIN_DIR / "plimsoll-fake-worker"
        with tempfile.TemporaryDirectory() as libexec:
            worker = Path(libexec, "plimsoll-wasm-worker")
            worker.write_text(f'#!/bin/bash\nexec -a silent-at-start "{fake}" "$@"\n')
            worker.chmod(0o755)
            for number in (signal.SIGTERM, signal.SIGINT):
                with Daemon(wasm(PLIMSOLL_LIBEXEC=libexec)) as daemon:
                    pid = daemon.process.pid
                    until(lambda: names(children(pid)) == {"silent-at-start"}, "the silent workers")
                    workers = children(pid)
                    began = time.monotonic()
                    self.assertEqual(daemon.stop(number), -number)
                    self.assertLess(time.monotonic() - began, 2.0)
                    until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), "the workers to end")
                    self.assertIsNone(daemon.record("plimsolld listening"))


def names(pids):
    """The first arguments of these processes."""
    return {Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0] for pid in pids}


class Starts(unittest.TestCase):
    def test_D1_without_any_setting_nothing_runs(self):
        # The default address itself is checked by the unit tests: a port of this host is not ours to take.
        with Daemon() as daemon:
            self.assertEqual(daemon.listening()["provider"], "disabled")
            self.assertIsNotNone(daemon.record("authentication is off: anyone may call"))
            answer = daemon.run()
            self.assertEqual((answer.code, answer.reason), ("failed_precondition", "unsupported"))

    def test_D4_an_unknown_variable_is_named_and_its_value_is_not(self):
        with Daemon({"SANDBOX_MAX_CONCURENT": "4711"}) as daemon:
            daemon.listening()
            self.assertEqual(daemon.records[0]["setting"], "SANDBOX_MAX_CONCURENT")
            self.assertEqual(daemon.records[0]["level"], "WARN")
            self.assertNotIn("4711", "".join(daemon.lines))

    def test_D73_a_second_provider_is_named_as_unknown_and_the_one_of_sandbox_provider_is_used(self):
        with Daemon(wasm(SANDBOX_PROVIDERS="wasm,docker")) as daemon:
            self.assertEqual(daemon.listening()["provider"], "wasm")
            named = [r for r in daemon.records if "SANDBOX_PROVIDERS" in r.get("setting", "")]
            self.assertEqual([(r["level"], r["msg"]) for r in named], [("WARN", "unknown setting, ignored")])
            self.assertEqual(daemon.run("console.log(1)").stdout, "1\n")

    def test_D6_D7_D8_D20_values_that_start(self):
        with Daemon(wasm(SANDBOX_PROVIDER=" WASM ", SANDBOX_MIN_ISOLATION="process")) as daemon:
            self.assertEqual(daemon.listening()["isolation"], "process")
        with Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_TOKEN": "x" * 32}) as daemon:
            self.assertEqual(daemon.listening()["auth"], "shared_token")

    def test_D16_XE13_the_budget_lowers_the_runs_at_once(self):
        with Daemon(wasm(SANDBOX_TOTAL_MEMORY_MB="1024", SANDBOX_MEMORY_MB="256")) as daemon:
            self.assertEqual(daemon.listening()["max_concurrent"], 4)
            self.assertEqual(daemon.listening()["per_key_concurrent"], 2)

    def test_D67_insecure_off_loopback_starts_with_a_warning(self):
        with Daemon({"PLIMSOLL_INSECURE": "1", "PLIMSOLL_ADDR": "0.0.0.0:0"}) as daemon:
            daemon.listening()
            self.assertIsNotNone(daemon.record("authentication is off: anyone may call"))
