#!/usr/bin/env python3
"""Writes table.json: the lies a client must find, about single runs here, about their annexes in
annex_lies.py and about sessions in session_lies.py.

usage: make_table.py [--check] FILE
"""
import base64
import json
import sys
from pathlib import Path

import annex_lies
import session_lies
from hashing import ENVIRONMENT, OTHER_SOFTWARE, SOFTWARE, ZERO_DIGEST, merged, record_digest, request_digest, result_digest

CALL = {"protocol": 5, "code": "console.log(6*7)\n", "minimum_isolation": "kernel",
        "software": {"mode": "exact", "identities": [SOFTWARE]}}


def honest(call):
    answer = {"sandbox": "docker", "isolation": "kernel", "durationMs": "95", "softwareIdentity": SOFTWARE,
              "environment": ENVIRONMENT, "instance": "docker-container:0123abcd", "javascript": {"stdout": "NDIK"}}
    answer["record"] = {
        "version": 4, "requestSha256": request_digest(call), "resultSha256": result_digest(answer),
        "provider": "docker", "isolation": "kernel", "environment": ENVIRONMENT, "startedUnixMs": "1795000000000",
        "endedUnixMs": "1795000000095", "softwareIdentity": SOFTWARE,
        "softwareRuleId": "exact:" + SOFTWARE if call.get("software") else "", "instance": "docker-container:0123abcd"}
    answer["record"]["recordSha256"] = record_digest(answer["record"])
    return answer


HONEST = honest(CALL)


def resealed(patch):
    """The patch, with the record's own digest put right again: the lie is then only in what the record says."""
    answer = merged(HONEST, patch)
    seal = {"record": {"recordSha256": record_digest(answer["record"])}}
    return merged(patch, seal) if patch else seal


ROWS = []


def row(name, says, verdict, **answer):
    call = answer.pop("call", None)
    entry = {"id": name, "says": says}
    if call is not None:
        entry["call"] = call
    entry["answer"] = answer
    entry["verdict"] = verdict
    ROWS.append(entry)


def loss(name, says, error_class, result=True, record=False, **answer):
    row(name, says, {"class": error_class, "code": "data_loss", "not_dispatched": None, "result": result,
                     "record": record}, **answer)


def mismatch(name, says, patch, **answer):
    loss(name, says, "RecordMismatch", merge=patch, **answer)


def malformed(name, says, **answer):
    row(name, says, {"class": "MalformedResponse", "code": "internal", "not_dispatched": None, "result": False,
                     "record": False}, **answer)


def error(name, says, error_class, code, mark, **answer):
    row(name, says, {"class": error_class, "code": code, "not_dispatched": mark, "result": False, "record": False},
        **answer)


def detail(raw, kind="plimsoll.v1.NotDispatched"):
    return [{"type": kind, "value": base64.b64encode(raw).decode().rstrip("=")}]


def refusal(code, reason, **more):
    return dict({"status": 400, "json": {"code": code, "message": "refused", "details": detail(bytes([8, reason]))}},
                **more)


def records():
    row("honest", "the whole truth", {"class": None, "result": True, "record": True})
    loss("no-record", "no record at all", "NoRecord", merge={"record": None})
    for version in (1, 2, 3, 5, 99):
        loss("version-%d" % version, "a record of another version, sealed under it", "RecordVersion",
             merge=resealed({"record": {"version": version}}))
    mismatch("request-digest", "the record is of another request", resealed({"record": {"requestSha256": ZERO_DIGEST}}))
    mismatch("request-digest-empty", "the record names no request", resealed({"record": {"requestSha256": None}}))
    mismatch("result-digest", "the record is of another result", resealed({"record": {"resultSha256": ZERO_DIGEST}}))
    mismatch("result-digest-upper", "the result's digest in upper case",
             resealed({"record": {"resultSha256": HONEST["record"]["resultSha256"].upper()}}))
    mismatch("output-byte", "one byte of the output changed", {"javascript": {"stdout": "NDMK"}})
    mismatch("stderr-added", "an error stream of its own", {"javascript": {"stderr": "eA=="}})
    mismatch("exit-code", "exit code 0 became 1", {"javascript": {"exitCode": 1}})
    mismatch("timed-out", "a timeout that did not happen", {"javascript": {"timedOut": True}})
    mismatch("truncated", "a truncation that did not happen", {"javascript": {"stdoutTruncated": True}})
    mismatch("provider", "another provider in the answer", {"sandbox": "wasm"})
    mismatch("provider-record", "another provider in the record", resealed({"record": {"provider": "wasm"}}))
    mismatch("tier", "a stronger tier in the answer than in the record", {"isolation": "vm"})
    mismatch("tier-record", "a stronger tier in the record than in the answer", resealed({"record": {"isolation": "vm"}}))
    mismatch("environment", "another environment in the answer", {"environment": "docker-image:sha256:" + "d" * 64})
    mismatch("environment-record", "no environment in the record", resealed({"record": {"environment": None}}))
    mismatch("instance", "another instance in the answer", {"instance": "docker-container:ffff"})
    mismatch("instance-record", "no instance in the record", resealed({"record": {"instance": None}}))
    mismatch("instance-form", "an instance that has not the form of one, in both",
             resealed({"instance": "Docker Container", "record": {"instance": "Docker Container"}}))
    mismatch("software", "another software identity in the answer", {"softwareIdentity": OTHER_SOFTWARE})
    mismatch("software-outside-rule", "software outside the rule, in both",
             resealed({"softwareIdentity": OTHER_SOFTWARE, "record": {"softwareIdentity": OTHER_SOFTWARE}}))
    mismatch("software-none", "no software identity although a rule was sent",
             resealed({"softwareIdentity": None, "record": {"softwareIdentity": None}}))
    mismatch("rule-id", "another software rule", resealed({"record": {"softwareRuleId": "exact:" + OTHER_SOFTWARE}}))
    mismatch("rule-id-dropped", "no software rule", resealed({"record": {"softwareRuleId": None}}))
    mismatch("times-changed", "times changed and the record not sealed again",
             {"record": {"startedUnixMs": "1795000000001"}})
    mismatch("ends-before-start", "an end before the start, well sealed",
             resealed({"record": {"endedUnixMs": "1794999999999"}}))
    mismatch("policy-changed", "the policy changed and the record not sealed again", {"record": {"policy": "p:sha256:00"}})
    mismatch("seal", "the record's own digest changed", {"record": {"recordSha256": ZERO_DIGEST}})
    mismatch("seal-missing", "no digest of its own", {"record": {"recordSha256": None}})
    mismatch("unanswered", "an answer whose record says it was not answered",
             resealed({"record": {"unanswered": "internal"}}))
    mismatch("session", "a single run with a session", resealed({"record": {"session": ZERO_DIGEST}}))
    mismatch("sequence", "a single run with a number", resealed({"record": {"sequence": "1"}}))
    mismatch("previous", "a single run with a call before it", resealed({"record": {"previousSha256": ZERO_DIGEST}}))
    row("policy-any", "any policy, well sealed: nothing to compare it with",
        {"class": None, "result": True, "record": True}, merge=resealed({"record": {"policy": "p:sha256:00"}}))


def kinds_and_tiers():
    project = {"javascript": None, "project": {"outcome": "PROJECT_OUTCOME_COMPLETED"}}
    answer = merged(HONEST, project)
    loss("kind-project", "a project's result for a snippet", "ResultKindMismatch",
         merge=resealed(merged({"record": {"resultSha256": result_digest(answer)}}, {}) | project))
    loss("kind-cell", "a cell's result for a snippet", "ResultKindMismatch",
         merge={"javascript": None, "cell": {"stdout": "NDIK"}})
    loss("kind-none", "no result", "ResultKindMismatch", result=False, merge={"javascript": None})
    loss("kind-before-record", "another kind and no record: the kind comes first", "ResultKindMismatch",
         merge={"javascript": None, "record": None, "cell": {}})
    malformed("two-results", "two results", merge={"project": {}})
    for tier in ("container", "process", "none", "", "hypervisor", "unknown", "Kernel"):
        patch = {"isolation": tier or None, "record": {"isolation": tier or None}}
        loss("tier-%s" % (tier or "empty"), "a tier that does not meet the floor, in both", "IsolationEvidenceMismatch",
             record=True, merge=resealed(patch))
    row("tier-stronger", "a stronger tier than asked for, in both", {"class": None, "result": True, "record": True},
        merge=resealed({"isolation": "vm", "record": {"isolation": "vm"}}))


def binding():
    for name, says in (("missing", "no request ID"), ("foreign", "the ID of another request"),
                       ("doubled", "the ID twice"), ("joined", "the ID twice in one field"), ("upper", "the ID in upper case")):
        loss("id-" + name, says, "AnswerNotBound", result=False, request_id=name)
        error("id-%s-error" % name, says + ", on a refusal that says nothing ran", "Disabled", "failed_precondition",
              None, request_id=name, **refusal("failed_precondition", 4))
    error("id-missing-header-mark", "no request ID, and a mark in the header", "InvalidRequest", "invalid_argument", None,
          request_id="missing", status=400, headers={"Plimsoll-Not-Dispatched": "request"},
          json={"code": "invalid_argument", "message": "refused"})


def marks():
    for number, name in enumerate(("request", "permission", "protocol", "unsupported", "isolation", "capacity",
                                   "environment"), 1):
        error("mark-" + name, "a refusal marked " + name, "Other", "internal", name, **refusal("internal", number))
    error("mark-unknown", "a refusal with a reason of the future", "Other", "internal", "unknown", **refusal("internal", 99))
    error("mark-undecodable", "a mark that cannot be decoded says nothing", "Other", "internal", None, status=500,
          json={"code": "internal", "details": detail(b"\x08")})
    error("mark-not-base64", "a mark that is not base64 says nothing", "Other", "internal", None, status=500,
          json={"code": "internal", "details": [{"type": "plimsoll.v1.NotDispatched", "value": "!"}]})
    error("mark-other-type", "a detail of another type is no mark", "Other", "internal", None, status=500,
          json={"code": "internal", "details": detail(b"\x08\x01", "plimsoll.v1.Dispatched")})
    error("mark-with-prefix", "a type with a URL before it", "Other", "internal", "isolation", status=500,
          json={"code": "internal", "details": detail(b"\x08\x05", "type.googleapis.com/plimsoll.v1.NotDispatched")})
    error("mark-header", "a mark in the header alone", "Unsupported", "unimplemented", "unsupported", status=404,
          text="not found", headers={"Plimsoll-Not-Dispatched": "unsupported", "Content-Type": "text/plain"})
    error("mark-header-unknown", "a header with an unknown word is no mark", "InvalidRequest", "invalid_argument", None,
          status=400, json={"code": "invalid_argument"}, headers={"Plimsoll-Not-Dispatched": "weather"})
    error("mark-detail-wins", "the detail wins over the header", "PermissionDenied", "permission_denied", "permission",
          headers={"Plimsoll-Not-Dispatched": "request"}, **refusal("permission_denied", 2))
    error("mark-on-success-code", "a mark in the header of a refusal by status alone", "Unavailable", "unavailable",
          "request", status=429, text="", headers={"Plimsoll-Not-Dispatched": "request"})
    loss("mark-on-success", "a success that says nothing ran, and whose record does not check", "RecordMismatch",
         headers={"Plimsoll-Not-Dispatched": "request"}, merge={"javascript": {"stdout": "NDMK"}})


def classes():
    for code, reason, name, mark in (("invalid_argument", 1, "InvalidRequest", "request"),
                                     ("resource_exhausted", 1, "InvalidRequest", "request"),
                                     ("resource_exhausted", 6, "AtCapacity", "capacity"),
                                     ("failed_precondition", 5, "InsufficientIsolation", "isolation"),
                                     ("failed_precondition", 7, "SoftwareMismatch", "environment"),
                                     ("failed_precondition", 4, "Disabled", "unsupported"),
                                     ("unimplemented", 3, "ProtocolMismatch", "protocol"),
                                     ("unimplemented", 4, "Unsupported", "unsupported"),
                                     ("unavailable", 7, "Unavailable", "environment"),
                                     ("unauthenticated", 2, "Unauthenticated", "permission"),
                                     ("permission_denied", 2, "PermissionDenied", "permission"),
                                     ("canceled", 6, "Other", "capacity"), ("deadline_exceeded", 6, "Other", "capacity")):
        error("class-%s-%s" % (code, mark), "an honest refusal", name, code, mark, **refusal(code, reason))
    for status, code, name in ((400, "internal", "Other"), (401, "unauthenticated", "Unauthenticated"),
                               (403, "permission_denied", "PermissionDenied"), (404, "unimplemented", "Unsupported"),
                               (429, "unavailable", "Unavailable"), (500, "unknown", "Other"),
                               (502, "unavailable", "Unavailable"), (503, "unavailable", "Unavailable"),
                               (504, "unavailable", "Unavailable"), (418, "unknown", "Other"), (201, "unknown", "Other")):
        error("status-%d" % status, "a status without a Connect body: it may have run", name, code, None, status=status,
              text="<html>oops</html>", headers={"Content-Type": "text/html"})
    error("code-unknown", "a Connect error with a code of the future", "Unavailable", "unavailable", None, status=503,
          json={"code": "weather", "message": "x"})


def transports():
    for status in (301, 302, 307, 308):
        error("redirect-%d" % status, "a redirect is an error and never followed", "Other", "unknown", None, status=status,
              text="", headers={"Location": "/plimsoll.v1.SandboxService/Run"})
    error("redirect-with-body", "a redirect that also claims a code", "Other", "unknown", None, status=307,
          json={"code": "failed_precondition", "message": "x"}, headers={"Location": "/"})
    malformed("content-type", "a success of another content type", headers={"Content-Type": "text/plain"})
    malformed("content-type-proto", "a success in binary", headers={"Content-Type": "application/proto"})
    row("content-type-charset", "a charset beside the type is fine", {"class": None, "result": True, "record": True},
        headers={"Content-Type": "application/json; charset=utf-8"})
    error("too-large-declared", "33 MiB, declared", "ResponseTooLarge", "resource_exhausted", None,
          declared_length=33 * 1024 * 1024)
    error("too-large-chunked", "33 MiB, undeclared", "ResponseTooLarge", "resource_exhausted", None,
          filler_bytes=33 * 1024 * 1024)
    error("trickle", "a byte now and then, past the deadline", "RequestTimeout", "deadline_exceeded", None,
          trickle_ms=100, call={"request_timeout_ms": 600})
    error("silence", "no answer until the deadline", "RequestTimeout", "deadline_exceeded", None, end="silence",
          call={"request_timeout_ms": 300})
    error("cut-in-body", "the connection ends in the middle of the body", "Transport", "unavailable", None, cut_body_at=100)
    error("cut-in-head", "the connection ends in the middle of the head", "Transport", "unavailable", None, cut_head_at=20)
    error("no-answer", "the connection ends after the request", "Transport", "unavailable", None, end="close")
    error("not-http", "an answer that is not HTTP", "Transport", "unavailable", None, end="garbage")
    error("refused-before-body", "a refusal sent before the body was read, then the end", "Unauthenticated",
          "unauthenticated", "permission", end="answer_before_body", **refusal("unauthenticated", 2))


def texts():
    whole = json.dumps(HONEST, separators=(",", ":"))
    malformed("empty", "an empty body", text="")
    malformed("array", "an array", text="[]")
    malformed("truncated-json", "half of the JSON, whole as HTTP", text=whole[:len(whole) // 2])
    malformed("trailing", "something after the JSON", text=whole + "{}")
    malformed("repeated-key", "a member twice", text=whole[:-1] + ',"isolation":"kernel"}')
    malformed("repeated-key-deep", "a member of the record twice", text=whole.replace('"version":4', '"version":4,"version":4'))
    malformed("repeated-key-ignored", "a member we do not know, twice", text=whole[:-1] + ',"x":{"y":1,"y":1}}')
    malformed("both-names", "one field under both of its names", merge={"software_identity": SOFTWARE})
    malformed("nan", "a bare NaN", text=whole[:-1] + ',"x":NaN}')
    malformed("infinity", "a bare Infinity", text=whole[:-1] + ',"x":-Infinity}')
    malformed("lone-surrogate", "a lone surrogate", text=whole[:-1] + ',"x":"\\ud800"}')
    malformed("not-utf8", "bytes that are not UTF-8", base64=base64.b64encode(whole[:-1].encode() + b',"x":"\xff"}').decode())
    malformed("deep", "ten thousand arrays", text="[" * 10000)
    malformed("wrong-type", "a number where text belongs", merge={"isolation": 3})
    malformed("wrong-type-flag", "text where true or false belongs", merge={"javascript": {"timedOut": "false"}})
    malformed("wrong-type-object", "text where a record belongs", merge={"record": "none"})
    malformed("range-int32", "an exit code no int32 holds", merge={"javascript": {"exitCode": 2147483648}})
    malformed("range-int64", "a time no int64 holds", merge={"record": {"startedUnixMs": "9223372036854775808"}})
    malformed("negative-unsigned", "a negative version", merge={"record": {"version": -1}})
    malformed("fraction", "half an exit code", merge={"javascript": {"exitCode": 0.5}})
    malformed("base64", "output that is not base64", merge={"javascript": {"stdout": "N*IK"}})
    row("unknown-field", "a field of the future", {"class": None, "result": True, "record": True},
        merge={"weather": {"of": ["tomorrow"]}})
    row("original-names", "the original names of the fields", {"class": None, "result": True, "record": True},
        merge={"softwareIdentity": None, "software_identity": SOFTWARE, "durationMs": None, "duration_ms": 95})
    row("urlsafe-base64", "URL-safe base64 without padding", {"class": None, "result": True, "record": True},
        merge=resealed({"javascript": {"stdout": "-_8"},
                        "record": {"resultSha256": result_digest({"javascript": {"stdout": "+/8="}})}}))


def build():
    records()
    kinds_and_tiers()
    binding()
    marks()
    classes()
    transports()
    texts()
    annex_lies.add(CALL, HONEST, row)
    sessions = session_lies.build()
    assert len({r["id"] for r in ROWS + sessions["rows"]}) == len(ROWS) + len(sessions["rows"])
    return json.dumps({"format": 1, "call": CALL, "honest": HONEST, "rows": ROWS, "sessions": sessions}, indent=1) + "\n"


def main():
    path = Path(sys.argv[-1])
    table = build()
    if "--check" in sys.argv:
        if path.read_text() != table:
            print("table.json is not what make_table.py makes: run it again")
            return 1
        return 0
    path.write_text(table)
    print("%d rows" % table.count('"id": '))
    return 0


if __name__ == "__main__":
    sys.exit(main())
