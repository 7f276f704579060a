"""Six strangers knock: what a newcomer should see when unknown code meets the wasm wall."""
import base64
import unittest

import harness

SOCIABLE = """for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'require', 'process']) {
  console.log(name, typeof globalThis[name]);
}"""

CURIOUS = """Promise.all([import('qjs:std'), import('qjs:os')]).then(([std, os]) => {
  console.log(std.open('/etc/passwd', 'r'));
  console.log(JSON.stringify(os.readdir('/')));
});"""

GREEDY = """const held = [];
try {
  for (;;) held.push(new Float64Array(1e6).fill(1.5));
} catch (error) {
  console.log(held.length, String(error));
}"""


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = harness.Daemon({"SANDBOX_PROVIDER": "wasm", "PLIMSOLL_INSECURE": "1", "SANDBOX_RATE_PER_MIN": "0"})
        cls.addClassCleanup(cls.daemon.__exit__)

    def result(self, code, **fields):
        answer = self.daemon.run(code, **fields)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["isolation"], "process")
        return answer.json["javascript"]

    def printed(self, code, **fields):
        return base64.b64decode(self.result(code, **fields).get("stdout", "")).decode()

    def test_1_P5_the_polite_one_gets_its_answer(self):
        self.assertEqual(self.printed('console.log("wasm", 6 * 7)'), "wasm 42\n")

    def test_2_P6_W3_the_sociable_one_finds_nobody_to_talk_to(self):
        self.assertEqual(self.printed(SOCIABLE), "".join(
            f"{name} undefined\n" for name in ("fetch", "XMLHttpRequest", "WebSocket", "require", "process")))

    def test_3_P7_the_curious_one_finds_no_files(self):
        self.assertEqual(self.printed(CURIOUS), "null\n[[],44]\n")

    def test_4_P8_the_greedy_one_is_told_and_may_go_on(self):
        self.assertEqual(self.printed(GREEDY, timeoutMs=30000), "31 InternalError: out of memory\n")

    def test_5_P10_W37_the_one_that_never_leaves_is_shown_out(self):
        started = harness.time.monotonic()
        result = self.result("console.log('here I stay'); while (true) {}", timeoutMs=2000)
        self.assertEqual((result["exitCode"], result["timedOut"]), (124, True))
        self.assertEqual(base64.b64decode(result["stdout"]), b"here I stay\n")
        self.assertLess(harness.time.monotonic() - started, 4)

    def test_6_W4_the_important_one_asks_for_a_stronger_wall_and_nothing_runs(self):
        answer = self.daemon.run("console.log(1)", minimumIsolation="kernel")
        self.assertEqual((answer.code, answer.reason), ("failed_precondition", "isolation"))
        self.assertEqual(answer.json["message"], "sandbox isolation requirement not met: provider isolation process "
                                                 "is below requested minimum kernel")
