"""The lies of a session: what is opened, what is called, what is said to each request, and what the client must make of it.

A row is a script of steps. `Script` follows what the client may believe, step by step: how many calls, which record was
the last, whether it still sends anything. That is the rule of records.md 6.3, written down a second time.
"""
import base64
import hashlib

from hashing import (ENVIRONMENT, OTHER_SOFTWARE, SOFTWARE, ZERO_DIGEST, merged, record_digest, request_digest,
                     result_digest)

SESSION_ID = "00112233445566778899aabbccddeeff"
FINGERPRINT = hashlib.sha256(SESSION_ID.encode()).hexdigest()
FOREIGN = hashlib.sha256(b"another session").hexdigest()
OPEN = {"protocol": 5, "minimum_isolation": "kernel", "software": {"mode": "exact", "identities": [SOFTWARE]}}
INSTANCE = "docker-container:0123abcd"
RESULTS = {"javascript": {"stdout": "NDIK"}, "cell": {"stdout": "NDIK"}, "project": {"outcome": "PROJECT_OUTCOME_COMPLETED"}}

OPENED = {"sessionId": SESSION_ID, "session": FINGERPRINT, "sandbox": "docker", "isolation": "kernel",
          "expiresUnixMs": "1795001800000", "idleTimeoutMs": 300000, "softwareIdentity": SOFTWARE}


def record_of(call, number, before, **more):
    """The record of a call, sealed, whatever fields `more` puts in place; None leaves one out."""
    terms = merged(OPEN, {key: call[key] for key in ("minimum_isolation", "software") if key in call})
    record = {"version": 4, "requestSha256": request_digest(merged(terms, call)), "provider": "docker", "isolation": "kernel",
              "environment": ENVIRONMENT, "startedUnixMs": "1795000000000", "endedUnixMs": "1795000000095",
              "session": FINGERPRINT, "sequence": str(number), "softwareIdentity": SOFTWARE,
              "softwareRuleId": "exact:" + SOFTWARE, "instance": INSTANCE}
    if before:
        record["previousSha256"] = before
    record = merged(record, more)
    if "recordSha256" not in more:
        record["recordSha256"] = record_digest(record)
    return record


def answer_of(call, number, before):
    kind = call.get("kind", "javascript")
    result = {kind: RESULTS[kind]}
    return {"run": {"sandbox": "docker", "isolation": "kernel", "durationMs": "95", "softwareIdentity": SOFTWARE,
                    "environment": ENVIRONMENT, "instance": INSTANCE, **result,
                    "record": record_of(call, number, before, resultSha256=result_digest(result))}}


def last_of(answer):
    return answer["run"]["record"]["recordSha256"]


def closed_after(calls, last):
    return {"session": FINGERPRINT, "calls": str(calls), "lastRecordSha256": last, "ended": "SESSION_END_CLOSED"}


def call(code, **more):
    return {"code": code, **more}


# The honest calls of most scripts, each after the one before.
ONE = answer_of(call("1"), 1, "")
TWO = answer_of(call("2"), 2, last_of(ONE))
THREE = answer_of(call("3"), 3, last_of(TWO))
# A cell and a project in their places.
CELL_TWO = answer_of(call("2", kind="cell"), 2, last_of(ONE))
PROJECT_THREE = answer_of(call("3", kind="project"), 3, last_of(CELL_TWO))

HONEST = {"open": OPENED, "run-1": ONE, "run-2": TWO, "run-3": THREE, "cell-2": CELL_TWO, "project-3": PROJECT_THREE,
          "close-0": {"session": FINGERPRINT, "ended": "SESSION_END_CLOSED"}, "close-1": closed_after(1, last_of(ONE)),
          "close-2": closed_after(2, last_of(TWO)), "close-3": closed_after(3, last_of(THREE))}


def resealed(name, patch):
    """The patch of an honest run's answer, with the record's digest put right again."""
    record = merged(HONEST[name], patch)["run"]["record"]
    return merged(patch, {"run": {"record": {"recordSha256": record_digest(record)}}})


def in_record(name, **fields):
    return {"merge": resealed(name, {"run": {"record": fields}})}


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def number_field(number, value):
    return varint(number << 3) + varint(value) if value else b""


def text_field(number, raw):
    return varint(number << 3 | 2) + varint(len(raw)) + raw if raw else b""


RECORD_FIELDS = ["version", "requestSha256", "resultSha256", "provider", "isolation", "environment", "policy", "startedUnixMs",
                 "endedUnixMs", "session", "sequence", "previousSha256", "recordSha256", "softwareIdentity", "softwareRuleId",
                 "unanswered", "instance"]


def unanswered_call(record):
    """`plimsoll.v1.UnansweredCall` in protobuf binary."""
    out = b""
    for number, name in enumerate(RECORD_FIELDS, 1):
        if name in ("version", "startedUnixMs", "endedUnixMs", "sequence"):
            out += number_field(number, int(record.get(name, 0)))
        else:
            out += text_field(number, record.get(name, "").encode())
    return text_field(1, out)


def session_ended(reason, text=b""):
    return number_field(1, reason) + text_field(2, text)


def failed(code, *details, status=500, **more):
    return {"status": status, "json": {"code": code, "message": "it failed", "details": [
        {"type": kind if "." in kind else "plimsoll.v1." + kind, "value": base64.b64encode(raw).decode().rstrip("=")}
        for kind, raw in details]}, **more}


ROWS = []


class Script:
    """One row. Each method adds a step; `answers` are what the daemon says to the requests that the step makes."""

    def __init__(self, name, says, **opened):
        self.row = {"id": "session-" + name, "says": says}
        if opened:
            self.row["open"] = opened
        self.row["steps"] = self.steps = []
        self.calls, self.last, self.stopped, self.ended = 0, "", False, None
        ROWS.append(self.row)

    def step(self, what, answers, verdict, **more):
        entry = {"do": what, **more, "answers": answers, "verdict": verdict}
        if verdict.get("session", True):
            entry["state"] = {"calls": self.calls, "last": self.last, "stopped": self.stopped, "ended": self.ended}
        self.steps.append(entry)
        return self

    @staticmethod
    def error(error_class, code="data_loss", mark=None, **more):
        return {"class": error_class, "code": code, "not_dispatched": mark, **more}

    # Opening.

    def opens(self, **lie):
        return self.step("open", [{"to": "OpenSession", "of": "open", **lie}], {"class": None})

    def fails_to_open(self, verdict, closes=True, close=None, **lie):
        answers = [{"to": "OpenSession", "of": "open", **lie}]
        if closes:
            answers.append({"to": "CloseSession", "of": "close-0", **(close or {})})
        return self.step("open", answers, {**verdict, "session": False})

    # Calling.

    def runs(self, of, kind="javascript", ended=None, more=None, **lie):
        """A call that is believed: an honest answer, or one bent where nobody need look."""
        answer = lie.get("json") or merged(HONEST[of], lie.get("merge", {}))
        self.calls, self.last = int(answer["run"]["record"]["sequence"]), last_of(answer)
        self.ended = self.ended or ended
        return self.step(kind, [{"to": "SessionRun", "of": of, **lie}], {"class": None, "result": True, "record": True},
                         code=of[-1], **(more or {}))

    def fails(self, of, verdict, stops=True, unanswered=None, ended=None, more=None, **lie):
        """A call that ends in an error. `unanswered`: the record that is believed instead of an answer."""
        self.stopped = self.stopped or stops
        self.ended = self.ended or ended
        if unanswered:
            self.calls, self.last = int(unanswered["sequence"]), unanswered["recordSha256"]
        full = {"result": False, "record": False, "unanswered": unanswered is not None, **verdict}
        return self.step("javascript", [{"to": "SessionRun", "of": of, **lie}], full, code=of[-1], **(more or {}))

    def loses(self, of, error_class, result=True, record=False, more=None, **lie):
        return self.fails(of, self.error(error_class, result=result, record=record), more=more, **lie)

    def refuses_here(self, error_class="SessionStopped", code="failed_precondition", mark="request", **more):
        """A call that never leaves."""
        return self.step("javascript", [], {**self.error(error_class, code, mark), "result": False, "record": False,
                                            "unanswered": False}, code="never sent", **more)

    # Closing.

    def closes(self, of, **lie):
        self.ended = self.ended or "closed"
        return self.step("close", [{"to": "CloseSession", "of": of, **lie}], {"class": None, "summary": True})

    def closes_again(self, verdict=None):
        return self.step("close", [], verdict or {"class": None, "summary": True})

    def loses_the_close(self, of, **lie):
        self.ended = self.ended or "closed"
        return self.step("close", [{"to": "CloseSession", "of": of, **lie}], self.error("Chain", summary=True))

    def fails_to_close(self, verdict, ended=None, **lie):
        self.ended = self.ended or ended
        return self.step("close", [{"to": "CloseSession", **lie}], {**verdict, "summary": False})


CHAIN_AGAIN = Script.error("Chain", summary=True)


def honest_sessions():
    (Script("honest", "the whole truth: a snippet, a cell, a project").opens().runs("run-1").runs("cell-2", "cell")
     .runs("project-3", "project").closes("close-1", merge=closed_after(3, last_of(PROJECT_THREE))).closes_again()
     .refuses_here("SessionEnded"))
    Script("empty", "a session without a call").opens().closes("close-0").closes_again()
    ended = {"ended": "SESSION_END_EXPIRED", "endDetail": "after 30 minutes"}
    Script("ended-with-answer", "a call that has its answer although the session ended").opens() \
        .runs("run-1", merge=ended, ended="expired").closes("close-1", merge={"ended": "SESSION_END_EXPIRED"})
    Script("ended-by-number", "the end by its number").opens().runs("run-1", merge={"ended": 3}, ended="disk_exceeded")
    for name, value in (("name", "SESSION_END_MOVED"), ("number", 99)):
        Script("ended-future-" + name, "an end of the future is an end").opens() \
            .runs("run-1", merge={"ended": value}, ended="unknown")
    Script("ended-unspecified", "an end that is none").opens().runs("run-1", merge={"ended": "SESSION_END_UNSPECIFIED"}) \
        .runs("run-2").closes("close-2")


def opens():
    def lost(name, says, error_class, patch, **more):
        Script("open-" + name, says, **more).fails_to_open(Script.error(error_class), merge=patch)

    lost("fingerprint", "a fingerprint that is not the ID's", "Chain", {"session": FOREIGN})
    lost("fingerprint-missing", "no fingerprint", "Chain", {"session": None})
    lost("fingerprint-upper", "the fingerprint in upper case", "Chain", {"session": FINGERPRINT.upper()})
    lost("id", "an ID that is not the fingerprint's", "Chain", {"sessionId": "0" * 32})
    for tier in ("container", "process", "none", "", "hypervisor", "Kernel"):
        lost("tier-" + (tier.lower() + "-upper" if tier == "Kernel" else tier or "empty"),
             "opened at a tier that does not meet the floor", "IsolationEvidenceMismatch", {"isolation": tier or None})
    lost("software", "opened with software outside the rule", "SoftwareEvidenceMismatch", {"softwareIdentity": OTHER_SOFTWARE})
    lost("software-none", "opened with no software identity although a rule was sent", "SoftwareEvidenceMismatch",
         {"softwareIdentity": None})
    lost("tier-before-software", "below the floor and outside the rule: the tier comes first", "IsolationEvidenceMismatch",
         {"isolation": "process", "softwareIdentity": None})
    Script("open-tier-stronger", "opened at a stronger tier than asked for").opens(merge={"isolation": "vm"})
    Script("open-close-lost", "what comes of the close of a session that failed is ignored").fails_to_open(
        Script.error("IsolationEvidenceMismatch"), close={"end": "close"}, merge={"isolation": "process"})
    Script("open-close-refused", "and so is a refusal of it").fails_to_open(
        Script.error("Chain"), close=failed("not_found", status=404), merge={"session": FOREIGN})
    for name, how in (("missing", "no request ID"), ("foreign", "the ID of another request")):
        Script("open-id-" + name, "an open that is not bound: " + how).fails_to_open(
            Script.error("AnswerNotBound"), closes=False, request_id=name)
    Script("open-malformed", "an open that cannot be read").fails_to_open(
        Script.error("MalformedResponse", "internal"), closes=False, merge={"idleTimeoutMs": -1})
    Script("open-lost", "an open without an answer").fails_to_open(
        Script.error("Transport", "unavailable"), closes=False, end="close")
    Script("open-refused", "an honest refusal").fails_to_open(
        Script.error("AtCapacity", "resource_exhausted", "capacity"), closes=False,
        **failed("resource_exhausted", ("NotDispatched", b"\x08\x06"), status=429))


def chains():
    def broken(name, says, **fields):
        Script("chain-" + name, says).opens().runs("run-1").loses("run-2", "Chain", **in_record("run-2", **fields)) \
            .refuses_here().loses_the_close("close-2").closes_again(CHAIN_AGAIN)

    broken("skipped", "a number is skipped", sequence="3")
    broken("repeated", "a number comes twice", sequence="1")
    broken("zero", "no number", sequence=None)
    broken("huge", "the largest number", sequence="18446744073709551615")
    broken("previous", "another record before it", previousSha256=ZERO_DIGEST)
    broken("previous-missing", "no record before it", previousSha256=None)
    broken("previous-own", "itself before it", previousSha256=last_of(TWO))
    broken("foreign", "a record of another session", session=FOREIGN)
    broken("session-missing", "a record of no session", session=None)
    Script("chain-single-run", "the record of a single run").opens() \
        .loses("run-1", "Chain", **in_record("run-1", session=None, sequence=None)).refuses_here()
    again = answer_of(call("1"), 1, "")
    Script("chain-replayed", "the answer of the call before, for the same code").opens().runs("run-1") \
        .loses("run-1", "Chain", json=again).refuses_here()
    other = record_of(call("of the other holder"), 2, last_of(ONE), resultSha256=result_digest({"javascript": {}}))
    Script("chain-second-holder", "another holder of the session made call 2").opens().runs("run-1") \
        .loses("run-2", "Chain", json=answer_of(call("2"), 3, other["recordSha256"])).refuses_here().loses_the_close("close-3")


def answers():
    def mismatch(name, says, lie, error_class="RecordMismatch", **more):
        Script("answer-" + name, says).opens().runs("run-1").loses("run-2", error_class, **more, **lie) \
            .refuses_here().loses_the_close("close-2")

    mismatch("no-record", "no record", {"merge": {"run": {"record": None}}}, "NoRecord")
    mismatch("version", "a record of version 3, sealed under it", in_record("run-2", version=3), "RecordVersion")
    mismatch("output", "one byte of the output changed", {"merge": {"run": {"javascript": {"stdout": "NDMK"}}}})
    mismatch("request", "the record of another request", in_record("run-2", requestSha256=ZERO_DIGEST))
    mismatch("unanswered", "an answer whose record says there was none", in_record("run-2", unanswered="internal"))
    mismatch("times", "an end before the start, well sealed", in_record("run-2", endedUnixMs="1794999999999"))
    mismatch("rule", "no software rule in the record", in_record("run-2", softwareRuleId=None))
    mismatch("seal", "the record's own digest changed", {"merge": {"run": {"record": {"recordSha256": ZERO_DIGEST}}}})
    mismatch("kind", "a cell's result for a snippet", {"merge": {"run": {"javascript": None, "cell": {"stdout": "NDIK"}}}},
             "ResultKindMismatch")
    mismatch("no-run", "an answer without a run", {"merge": {"run": None}}, "ResultKindMismatch", result=False)
    below = resealed("run-2", {"run": {"isolation": "container", "record": {"isolation": "container"}}})
    mismatch("tier", "a tier below the floor, in both", {"merge": below}, "IsolationEvidenceMismatch", record=True)
    below_and_skipped = merged(below, {"run": {"record": {"sequence": "3"}}})
    mismatch("tier-before-chain", "below the floor and a number skipped: the tier comes first",
             {"merge": resealed("run-2", below_and_skipped)}, "IsolationEvidenceMismatch", record=True)
    raised = call("1", minimum_isolation="vm")
    Script("answer-raised-floor", "a call that raised the floor ran behind the session's").opens() \
        .loses("run-1", "IsolationEvidenceMismatch", record=True, json=answer_of(raised, 1, ""),
               more={"minimum_isolation": "vm"}).refuses_here()
    wide = {"software": {"mode": "approved", "identities": [SOFTWARE, OTHER_SOFTWARE]}}
    narrow = {"software": {"mode": "approved", "identities": [SOFTWARE, "oci-manifest:of-no-session"]}}
    Script("answer-narrowed-rule", "a call that narrowed the rule, and a record that names what is left", **wide).opens() \
        .runs("run-1", more=narrow)
    wide_id = hashlib.sha256("\0".join(wide["software"]["identities"]).encode()).hexdigest()
    Script("answer-wide-rule", "the same, and a record that names the session's rule", **wide).opens() \
        .loses("run-1", "RecordMismatch", more=narrow, **in_record("run-1", softwareRuleId="approved:sha256:" + wide_id)) \
        .refuses_here()
    Script("rule-empty", "a call whose rule leaves nothing is not sent").opens() \
        .refuses_here("InvalidRequest", "invalid_argument", software={"mode": "exact", "identities": [OTHER_SOFTWARE]}) \
        .runs("run-1").closes("close-1")
    malformed = Script.error("MalformedResponse", "internal")
    for name, says, lie in (("ended", "an end that is no end's name", {"merge": {"ended": "EXPIRED"}}),
                            ("type", "a number where text belongs", {"merge": {"run": {"isolation": 3}}}),
                            ("truncated", "half of the JSON", {"text": '{"run":{"sandbox":'}),
                            ("content-type", "another content type", {"headers": {"Content-Type": "text/plain"}})):
        Script("answer-malformed-" + name, says).opens().fails("run-1", malformed, **lie).refuses_here()


def errors():
    def lost(name, says, error_class, code, **lie):
        Script("lost-" + name, says).opens().runs("run-1").fails("run-2", Script.error(error_class, code), **lie) \
            .refuses_here().loses_the_close("close-2").closes_again(CHAIN_AGAIN)

    lost("no-answer", "no answer: the call may have run", "Transport", "unavailable", end="close")
    lost("cut", "half an answer", "Transport", "unavailable", cut_body_at=100)
    lost("garbage", "an answer that is not HTTP", "Transport", "unavailable", end="garbage")
    lost("too-large", "33 MiB, declared", "ResponseTooLarge", "resource_exhausted", declared_length=33 * 1024 * 1024)
    lost("not-bound", "an answer of another request", "AnswerNotBound", "data_loss", request_id="foreign")
    lost("unmarked", "an error that says nothing", "Other", "internal", **failed("internal"))
    lost("gateway", "an error of something between", "Unavailable", "unavailable", status=502, text="<html>oops</html>",
         headers={"Content-Type": "text/html"})
    Script("refused", "a refusal moves nothing: the next call is number 1").opens() \
        .fails("run-1", Script.error("AtCapacity", "resource_exhausted", "capacity"), stops=False,
               **failed("resource_exhausted", ("NotDispatched", b"\x08\x06"), status=429)).runs("run-1").closes("close-1")
    marked_end = (("NotDispatched", b"\x08\x01"), ("SessionEnded", session_ended(2, b"after 30 minutes")))
    Script("refused-ended", "a refusal because the session has ended").opens().runs("run-1") \
        .fails("run-2", Script.error("SessionEnded", "failed_precondition", "request"), stops=False, ended="expired",
               **failed("failed_precondition", *marked_end, status=400)).closes("close-1", merge={"ended": "SESSION_END_EXPIRED"})
    Script("refused-not-found", "a refusal because no such session is known").opens() \
        .fails("run-1", Script.error("SessionEnded", "not_found", "request"), stops=False, ended="not_found",
               **failed("not_found", ("NotDispatched", b"\x08\x01"), ("SessionEnded", session_ended(9)), status=404))
    Script("refused-ended-future", "an end with a number of the future").opens() \
        .fails("run-1", Script.error("SessionEnded", "failed_precondition", "request"), stops=False, ended="unknown",
               **failed("failed_precondition", ("NotDispatched", b"\x08\x01"), ("SessionEnded", session_ended(99)), status=400))
    Script("refused-ended-not-bound", "an end in an answer that is not bound is not believed").opens() \
        .fails("run-1", Script.error("Disabled", "failed_precondition"),
               **failed("failed_precondition", *marked_end, status=400, request_id="missing")).refuses_here()
    Script("end-unmarked", "an end without a mark and without a record: the call may have run").opens() \
        .fails("run-1", Script.error("SessionEnded", "internal"), ended="main_process_ended",
               **failed("internal", ("SessionEnded", session_ended(4)))).loses_the_close("close-1")


def unanswered():
    good = record_of(call("2"), 2, last_of(ONE), unanswered="internal")
    detail = ("UnansweredCall", unanswered_call(good))
    after = answer_of(call("3"), 3, good["recordSha256"])
    internal = Script.error("Other", "internal")
    Script("unanswered", "a call without an answer, and a record that checks").opens().runs("run-1") \
        .fails("run-2", internal, stops=False, unanswered=good, **failed("internal", detail)) \
        .runs("run-3", json=after).closes("close-3", merge={"lastRecordSha256": last_of(after)})
    Script("unanswered-prefix", "the same with a URL before its type").opens().runs("run-1") \
        .fails("run-2", internal, stops=False, unanswered=good,
               **failed("internal", ("type.googleapis.com/plimsoll.v1.UnansweredCall", detail[1])))
    Script("unanswered-ended", "a call without an answer that ended the session").opens().runs("run-1") \
        .fails("run-2", Script.error("SessionEnded", "internal"), stops=False, unanswered=good, ended="boundary_failed",
               **failed("internal", detail, ("SessionEnded", session_ended(5)))) \
        .closes("close-2", merge={"lastRecordSha256": good["recordSha256"], "ended": "SESSION_END_BOUNDARY_FAILED"})
    Script("unanswered-marked", "a mark wins: nothing ran, and the record is ignored").opens().runs("run-1") \
        .fails("run-2", Script.error("Other", "internal", "environment"), stops=False,
               **failed("internal", detail, ("NotDispatched", b"\x08\x07"))).runs("run-2")
    Script("unanswered-not-bound", "a record in an answer that is not bound is not believed").opens().runs("run-1") \
        .fails("run-2", internal, **failed("internal", detail, request_id="missing")).refuses_here()
    Script("unanswered-undecodable", "a record that cannot be decoded says nothing").opens().runs("run-1") \
        .fails("run-2", internal, **failed("internal", ("UnansweredCall", detail[1][:-1]))).refuses_here()
    Script("unanswered-empty", "a detail without a record says nothing").opens().runs("run-1") \
        .fails("run-2", internal, **failed("internal", ("UnansweredCall", b""))).refuses_here()

    def bad(name, says, error_class="RecordMismatch", **fields):
        record = record_of(call("2"), 2, last_of(ONE), **{"unanswered": "internal", **fields})
        Script("unanswered-" + name, says).opens().runs("run-1") \
            .fails("run-2", Script.error(error_class), **failed("internal", ("UnansweredCall", unanswered_call(record)))) \
            .refuses_here().loses_the_close("close-2")

    bad("provider", "it names another provider", provider="wasm")
    bad("tier", "it names another tier than the session was opened at", isolation="vm")
    bad("tier-below", "it names a tier below the floor", "IsolationEvidenceMismatch", isolation="container")
    bad("software", "it names other software", softwareIdentity=OTHER_SOFTWARE)
    bad("rule", "it names another rule", softwareRuleId="exact:" + OTHER_SOFTWARE)
    bad("request", "it names another request", requestSha256=ZERO_DIGEST)
    bad("seal", "its own digest is wrong", recordSha256=ZERO_DIGEST)
    bad("result", "it names a result", resultSha256=ZERO_DIGEST)
    bad("code", "it ends in no code of Connect", unanswered="crashed")
    bad("code-missing", "it does not say how the call ended", unanswered=None)
    bad("version", "it has version 3, sealed under it", "RecordVersion", version=3)
    bad("instance", "its instance has not the form of one", instance="Docker Container")
    bad("times", "it ends before it starts", endedUnixMs="1794999999999")
    bad("skipped", "it skips a number", "Chain", sequence="3")
    bad("previous", "it follows another record", "Chain", previousSha256=ZERO_DIGEST)
    bad("foreign", "it is of another session", "Chain", session=FOREIGN)


def closes():
    def lost(name, says, patch):
        Script("close-" + name, says).opens().runs("run-1").loses_the_close("close-1", merge=patch).closes_again(CHAIN_AGAIN)

    lost("one-more", "a call more than this client made", {"calls": "2"})
    lost("one-less", "a call less", {"calls": "0"})
    lost("calls-missing", "no count", {"calls": None})
    lost("last", "another last record", {"lastRecordSha256": ZERO_DIGEST})
    lost("last-missing", "no last record", {"lastRecordSha256": None})
    lost("foreign", "the close of another session", {"session": FOREIGN})
    lost("nothing", "an empty answer", {"session": None, "calls": None, "lastRecordSha256": None})
    Script("close-lost", "a close without an answer can be asked again").opens().runs("run-1") \
        .fails_to_close(Script.error("Transport", "unavailable"), of="close-1", end="close").closes("close-1").closes_again()
    Script("close-malformed", "a close that cannot be read").opens() \
        .fails_to_close(Script.error("MalformedResponse", "internal"), of="close-0", merge={"calls": -1}).closes("close-0")
    Script("close-not-bound", "a close that is not bound").opens() \
        .fails_to_close(Script.error("AnswerNotBound"), of="close-0", request_id="foreign").closes("close-0")
    Script("close-not-found", "a close of a session the daemon does not know").opens() \
        .fails_to_close(Script.error("SessionEnded", "not_found", "request"), ended="not_found", of="close-0",
                        **failed("not_found", ("NotDispatched", b"\x08\x01"), ("SessionEnded", session_ended(9)), status=404))


def build():
    honest_sessions()
    opens()
    chains()
    answers()
    errors()
    unanswered()
    closes()
    return {"open": OPEN, "honest": HONEST, "rows": ROWS}
