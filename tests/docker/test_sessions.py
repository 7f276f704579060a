"""Sessions over a real daemon and a real engine, under both runtimes: what an operator sees of one, and how it ends."""
import json
import signal
import subprocess
import threading
import time
import unittest

import harness
import world
from world import raw

SESSION = "io.plimsoll.session"


def session_containers():
    return world.engine().json("GET", "/containers/json", query={"all": 1, "filters": json.dumps({"label": [SESSION]})})


class Session:
    """One session of a daemon, driven by raw requests."""

    def __init__(self, daemon, **fields):
        self.daemon = daemon
        opened = daemon.call("OpenSession", {"protocol": 5, **fields})
        assert opened.status == 200, opened.text
        self.opened = opened.json
        self.id = self.opened["sessionId"]

    def snippet(self, code, **fields):
        return self.daemon.call("SessionRun", {"protocol": 5, "sessionId": self.id, "javascript": {"code": code}, **fields})

    def close(self):
        return self.daemon.call("CloseSession", {"protocol": 5, "sessionId": self.id})


def printed(answer):
    assert answer.status == 200, answer.text
    return raw(answer.json["run"]["javascript"], "stdout")


def details(answer):
    return {one["type"]: one["debug"] for one in answer.json.get("details", [])}


class Sessions:
    runtime = None

    def setUp(self):
        self.assertEqual(session_containers(), [], "a session of another test is left")

    def daemon(self, **more):
        return world.DockerDaemon(world.settings(self.runtime, SANDBOX_RUN_POOL="0", SANDBOX_MAX_SESSIONS="4", **more))

    def test_S6_R16_no_id_and_no_owner_is_seen_anywhere(self):
        with self.daemon() as daemon:
            session = Session(daemon, owner="an-owner-of-the-test")
            printed(session.snippet("console.log('a-word-that-is-printed')"))
            container, = session_containers()
            inspected = json.dumps(world.engine().json("GET", f"/containers/{container['Id']}/json"))
            session.snippet("process.kill(1, 'SIGKILL'); process.exit(1)")
            session.close()
            log = "".join(daemon.lines)
        for secret in (session.id, "an-owner-of-the-test", "a-word-that-is-printed"):
            self.assertNotIn(secret, log)
            self.assertNotIn(secret, inspected)
        self.assertIn(session.opened["session"], log)

    def test_our_client_follows_the_chain_of_a_real_daemon(self):
        with self.daemon() as daemon:
            host, port = daemon.address
            run = subprocess.run([harness.BIN_DIR / "docker-client-session", f"http://{host}:{port}", world.RUNTIMES[self.runtime]],
                                 capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stdout), (0, "ok\n"), run.stderr)

    def test_S38_an_idle_session_is_paused_and_the_next_call_resumes_it(self):
        with self.daemon(SANDBOX_SESSION_IDLE="1s") as daemon:
            session = Session(daemon)
            printed(session.snippet("require('fs').writeFileSync('kept', 'x')"))
            harness.until(lambda: [c["State"] for c in session_containers()] == ["paused"], "the container to be paused")
            daemon.await_metric('plimsoll_sessions{state="suspended"}', 1)
            self.assertEqual(daemon.metric("plimsoll_inflight"), 1)
            self.assertEqual(printed(session.snippet("process.stdout.write(require('fs').readFileSync('kept'))")), "x")
            self.assertEqual(session.close().json["calls"], "2")

    def test_S41_the_lifetime_ends_a_running_call(self):
        with self.daemon() as daemon:
            session = Session(daemon, lifetimeMs=2500)
            answer = session.snippet("setTimeout(() => {}, 60000)", timeoutMs=30000)
            self.assertEqual((answer.code, answer.reason), ("failed_precondition", None), answer.text)
            told = details(answer)
            self.assertEqual(told["plimsoll.v1.SessionEnded"]["reason"], "SESSION_END_EXPIRED")
            self.assertEqual(told["plimsoll.v1.UnansweredCall"]["record"]["unanswered"], "failed_precondition")
            harness.until(lambda: not session_containers(), "the container to be gone")
            closed = session.close().json
            self.assertEqual((closed["calls"], closed["ended"]), ("1", "SESSION_END_EXPIRED"))

    def test_S18_one_that_nobody_names_is_collected(self):
        with self.daemon(SANDBOX_SESSION_IDLE="1s") as daemon:
            session = Session(daemon)
            harness.until(lambda: not session_containers(), "the container to be gone")
            self.assertEqual(details(session.snippet("1"))["plimsoll.v1.SessionEnded"]["reason"], "SESSION_END_UNCLAIMED")

    def test_S33_a_container_killed_from_outside_ends_its_session_unmarked(self):
        with self.daemon() as daemon:
            session = Session(daemon)
            answers = []
            call = threading.Thread(target=lambda: answers.append(session.snippet("setTimeout(() => {}, 20000)", timeoutMs=30000)))
            call.start()
            container, = session_containers()
            time.sleep(1)
            world.engine().call("POST", f"/containers/{container['Id']}/kill")
            call.join(40)
            self.assertEqual(answers[0].reason, None, answers[0].text)
            self.assertEqual(details(answers[0])["plimsoll.v1.SessionEnded"]["reason"], "SESSION_END_MAIN_PROCESS_ENDED")
            self.assertIn("plimsoll.v1.UnansweredCall", details(answers[0]))

    def test_S44_a_drain_leaves_no_container(self):
        with self.daemon(SANDBOX_SESSION_IDLE="1s") as daemon:
            sessions = [Session(daemon) for _ in range(3)]
            printed(sessions[0].snippet("1"))
            harness.until(lambda: "paused" in [c["State"] for c in session_containers()], "a container to be paused")
            self.assertEqual(daemon.stop(), 0)
        self.assertEqual(session_containers(), [])

    def test_S45_what_a_killed_daemon_left_stays_until_its_label_is_past(self):
        with self.daemon() as daemon:
            Session(daemon)
            left = {c["Id"] for c in session_containers()}
            daemon.stop(signal.SIGKILL)
        try:
            with self.daemon() as daemon:
                session = Session(daemon)
                self.assertLess(left, {c["Id"] for c in session_containers()})
                session.close()
        finally:
            for one in left:
                world.engine().call("DELETE", f"/containers/{one}", query={"force": 1})

    def test_W45_W48_a_third_request_and_a_bad_owner(self):
        with self.daemon() as daemon:
            bad = daemon.call("OpenSession", {"protocol": 5, "owner": "a b"})
            self.assertEqual((bad.code, bad.reason), ("invalid_argument", "request"), bad.text)
            session = Session(daemon)
            slow = [threading.Thread(target=session.snippet, args=("setTimeout(() => {}, 1500)",)) for _ in range(2)]
            for one in slow:
                one.start()
                time.sleep(0.3)
            third = session.snippet("1")
            self.assertEqual((third.code, third.reason), ("resource_exhausted", "capacity"), third.text)
            for one in slow:
                one.join()
            self.assertEqual(session.close().json["calls"], "2")


class Runc(Sessions, unittest.TestCase):
    runtime = "runc"


class Runsc(Sessions, unittest.TestCase):
    runtime = "runsc"
