"""Recomputes the three digests of a snippet's record from what was sent and what came back.

usage: recompute_record.py REQUEST.json ANSWER.json
"""
import base64
import hashlib
import json
import sys
from pathlib import Path

RECORD_FIELDS = ["request_sha256", "result_sha256", "unanswered", "provider", "isolation", "environment", "policy",
                 "software_identity", "software_rule_id", "instance", "started_unix_ms", "ended_unix_ms", "session",
                 "sequence", "previous_sha256"]


def digest(domain, fields):
    """SHA-256 over the domain, then each name and content; before each of them its length, 8 bytes big-endian."""
    hashed = hashlib.sha256()
    for value in [domain, *(part for field in fields for part in field)]:
        if isinstance(value, bool):
            value = "true" if value else "false"
        if not isinstance(value, bytes):
            value = str(value).encode()
        hashed.update(len(value).to_bytes(8, "big") + value)
    return hashed.hexdigest()


def request_digest(request):
    rule = request.get("softwareRule", {})
    identities = rule.get("identities", [])
    return digest("plimsoll.run-request.v2", [
        ("protocol", request.get("protocol", 0)), ("minimum_isolation", request.get("minimumIsolation", "")),
        ("timeout_ms", request.get("timeoutMs", 0)), ("software_mode", rule.get("mode", "")),
        ("software_identities", len(identities)), *(("software_identity", one) for one in identities),
        ("kind", "javascript"), ("code", request["javascript"].get("code", "")),
        ("grant_profile", request["javascript"].get("grantProfile", ""))])


def result_digest(result):
    streams = {name: base64.b64decode(result.get(name, "")) for name in ("stdout", "stderr")}
    return digest("plimsoll.run-result.v1", [
        ("kind", "javascript"), ("exit_code", result.get("exitCode", 0)), ("timed_out", result.get("timedOut", False)),
        *streams.items(), ("stdout_truncated", result.get("stdoutTruncated", False)),
        ("stderr_truncated", result.get("stderrTruncated", False))])


def record_digest(record):
    def sent(field):  # JSON leaves out what is empty or 0, and writes names as lowerCamelCase
        first, *rest = field.split("_")
        empty = 0 if field.endswith("_ms") or field == "sequence" else ""
        return record.get(first + "".join(word.capitalize() for word in rest), empty)
    return digest("plimsoll.run-record.v4", [(field, sent(field)) for field in RECORD_FIELDS])


def main():
    request, answer = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:])
    record = answer["record"]
    checks = {"requestSha256": request_digest(request), "resultSha256": result_digest(answer["javascript"]),
              "recordSha256": record_digest(record)}
    for name, computed in checks.items():
        print(name, "matches" if record[name] == computed else "DIFFERS", computed)
    return 0 if all(record[name] == computed for name, computed in checks.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
