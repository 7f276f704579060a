"""Our own services beside plimsoll.v1, over a real daemon."""
import hashlib
import json
import unittest

from harness import Daemon, wasm

INFO = "/plimsoll.x1.Info/"
EVIDENCE = "/plimsoll.x1.Evidence/"


def call(daemon, path, message):
    return daemon.request("POST", path, json.dumps(message), {"Content-Type": "application/json"})


def value(text):
    data = text if isinstance(text, bytes) else str(text).encode()
    return len(data).to_bytes(8, "big") + data


def probes_digest(report):
    """records.md 13.6 and 1, written a second time and from the text alone."""
    encoded = value("plimsoll.ext.probes.v1")
    for name, key in (("provider", "provider"), ("isolation", "isolation"), ("environment", "environment"),
                      ("policy", "policy"), ("daemon_version", "daemonVersion"),
                      ("runtime_version", "runtimeVersion"), ("started_unix_ms", "startedUnixMs"),
                      ("ended_unix_ms", "endedUnixMs")):
        encoded += value(name) + value(report.get(key, ""))
    encoded += value("probes") + value(len(report["probes"]))
    for probe in report["probes"]:
        for name, key in (("probe", "probe"), ("outcome", "outcome"), ("detail_sha256", "detailSha256")):
            encoded += value(name) + value(probe[key])
    return hashlib.sha256(encoded).hexdigest()


class Extensions(unittest.TestCase):
    def test_the_probe_report_of_a_real_start_hashes_to_what_it_says(self):
        with Daemon(wasm()) as daemon:
            listed = call(daemon, INFO + "Capabilities", {}).json["procedures"]
            self.assertIn(EVIDENCE + "ProbeReport", listed)
            answer = call(daemon, EVIDENCE + "ProbeReport", {})
            self.assertEqual(answer.status, 200, answer.text)
            report = answer.json["report"]
            self.assertEqual(report["sha256"], probes_digest(report))
            self.assertEqual([p["probe"] for p in report["probes"]], sorted(p["probe"] for p in report["probes"]))
            self.assertGreaterEqual(len(report["probes"]), 4)
            for probe, detail in zip(report["probes"], answer.json["details"], strict=True):
                self.assertEqual(probe["probe"], detail["probe"])
                self.assertEqual(probe["detailSha256"], hashlib.sha256(detail["happened"].encode()).hexdigest())
                self.assertTrue(detail["tried"])
            again = call(daemon, EVIDENCE + "ProbeReport", {"sha256": report["sha256"]})
            self.assertEqual(again.json, answer.json)
            unknown = call(daemon, EVIDENCE + "ProbeReport", {"sha256": "0" * 64})
            self.assertEqual((unknown.status, unknown.code, unknown.reason), (404, "not_found", "request"))

    def test_W57_an_unknown_key_is_refused_without_the_strict_header(self):
        with Daemon(wasm()) as daemon:
            answer = call(daemon, EVIDENCE + "ProbeReport", {"sha": ""})
            self.assertEqual((answer.status, answer.code, answer.mark), (400, "invalid_argument", "request"))

    def test_a_daemon_without_a_provider_has_no_probes(self):
        with Daemon() as daemon:
            self.assertEqual(call(daemon, INFO + "Capabilities", {}).json["procedures"],
                             ["/plimsoll.v1.SandboxService/Describe", INFO + "Capabilities"])
            answer = call(daemon, EVIDENCE + "ProbeReport", {})
            self.assertEqual((answer.code, answer.reason), ("unimplemented", "unsupported"))


if __name__ == "__main__":
    unittest.main()
