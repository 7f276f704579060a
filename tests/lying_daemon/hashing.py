"""The digests of records.md, made from the specification alone, and what every lie starts from."""
import base64
import copy
import hashlib
import struct

SOFTWARE = "oci-manifest:linux/amd64@sha256:" + "a" * 64
OTHER_SOFTWARE = "oci-manifest:linux/amd64@sha256:" + "b" * 64
ENVIRONMENT = "docker-image:sha256:" + "c" * 64
ZERO_DIGEST = "0" * 64


def digest(domain, fields):
    def value(raw):
        return struct.pack(">Q", len(raw)) + raw

    out = value(domain.encode())
    for name, content in fields:
        if isinstance(content, bool):
            content = "true" if content else "false"
        raw = content if isinstance(content, bytes) else str(content).encode()
        out += value(name.encode()) + value(raw)
    return hashlib.sha256(out).hexdigest()


def payload_fields(call):
    kind = call.get("kind", "javascript")
    if kind == "javascript":
        return [("kind", kind), ("code", call["code"]), ("grant_profile", "")]
    if kind == "cell":
        return [("kind", kind), ("language", "python"), ("code", call["code"]), ("files", 0)]
    return [("kind", kind), ("grant_profile", ""), ("files", 0), ("steps", 1), ("step_command", call["code"]), ("artifacts", 0)]


def request_digest(call):
    identities = call["software"]["identities"] if call.get("software") else []
    return digest(
        "plimsoll.run-request.v2",
        [("protocol", call["protocol"]), ("minimum_isolation", call.get("minimum_isolation", "")),
         ("timeout_ms", call.get("timeout_ms", 0)),
         ("software_mode", call["software"]["mode"] if call.get("software") else ""),
         ("software_identities", len(identities))] + [("software_identity", x) for x in identities] +
        payload_fields(call))


def output_fields(result):
    return [("exit_code", result.get("exitCode", 0)), ("timed_out", result.get("timedOut", False)),
            ("stdout", base64.b64decode(result.get("stdout", ""))), ("stderr", base64.b64decode(result.get("stderr", ""))),
            ("stdout_truncated", result.get("stdoutTruncated", False)),
            ("stderr_truncated", result.get("stderrTruncated", False))]


def result_digest(answer):
    if "javascript" in answer:
        fields = [("kind", "javascript")] + output_fields(answer["javascript"])
    elif "cell" in answer:
        fields = [("kind", "cell")] + output_fields(answer["cell"]) + [("interpreter_started", False),
                                                                      ("interpreter_ended", False)]
    elif "project" in answer:
        fields = [("kind", "project"), ("outcome", 1), ("outcome_detail", ""), ("artifacts_truncated", False),
                  ("steps", 0), ("artifacts", 0)]
    else:
        fields = [("kind", "")]
    return digest("plimsoll.run-result.v1", fields)


def record_digest(record):
    order = ["requestSha256", "resultSha256", "unanswered", "provider", "isolation", "environment", "policy",
             "softwareIdentity", "softwareRuleId", "instance", "startedUnixMs", "endedUnixMs", "session", "sequence",
             "previousSha256"]
    names = ["request_sha256", "result_sha256", "unanswered", "provider", "isolation", "environment", "policy",
             "software_identity", "software_rule_id", "instance", "started_unix_ms", "ended_unix_ms", "session",
             "sequence", "previous_sha256"]
    numbers = {"startedUnixMs", "endedUnixMs", "sequence"}
    version = record["version"]
    skipped = {1: {"unanswered", "softwareIdentity", "softwareRuleId", "instance"}, 2: {"unanswered", "instance"},
               3: {"instance"}}.get(version, set())
    return digest("plimsoll.run-record.v%d" % version,
                  [(name, record.get(key, "0" if key in numbers else ""))
                   for key, name in zip(order, names) if key not in skipped])


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    out = copy.deepcopy(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merged(out.get(key), value)
    return out
