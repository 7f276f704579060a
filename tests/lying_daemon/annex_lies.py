"""The lies about the annex of a single run: it does not hash to what it says, or is of another answer.

Each part is written down once, as its fields in their order; digest, JSON and protobuf follow from that.
"""
import base64

from hashing import SOFTWARE, ZERO_DIGEST, digest, request_digest
from session_lies import varint

NUMBER = {"ending": 1, "resources": 2, "ledger": 3, "call": 7, "options": 8}  # in the message Annex
BROKER_CALL = [("method", "GET"), ("route", "/items/{id}"), ("decision", "allowed"), ("status", 200), ("sent_bytes", 0),
               ("received_bytes", 7), ("sent_body_sha256", "e" * 64), ("received_body_sha256", "f" * 64), ("offset_us", 1000),
               ("duration_us", 800)]


def parts_of(request, record):
    """The fields of every part of an answered run, by its name."""
    return {
        "ending": [("daemon", "0f" * 16), ("caller_sha256", "c" * 64), ("sequence", 3), ("previous_sha256", "d" * 64),
                   ("ending", "answered"), ("ran", "yes"), ("reason", ""), ("code", ""), ("cause", ""), ("count", 1),
                   ("request_sha256", request), ("record_sha256", record), ("provider", "docker"), ("isolation", "kernel"),
                   ("minimum_isolation", "kernel"), ("software_rule_id", "exact:" + SOFTWARE), ("session", ""),
                   ("session_call", 0), ("started_unix_ms", 1795000000000), ("ended_unix_ms", 1795000000095)],
        "resources": [("record_sha256", record), ("method", "cgroup"), ("cpu_user_us", 1200), ("cpu_system_us", 300),
                      ("memory_peak_bytes", 41943040), ("memory_limit_bytes", 268435456), ("disk_peak_bytes", -1),
                      ("pids_peak", 3), ("broker_calls", 1), ("broker_sent_bytes", 0), ("broker_received_bytes", 7),
                      ("queue_us", 50), ("setup_us", 2000), ("run_us", 95000), ("teardown_us", -1), ("paid_ms", 0),
                      ("limit", "")],
        "ledger": [("request_sha256", request), ("grant_profile", "inventory"), ("calls", [BROKER_CALL, BROKER_CALL])],
        "call": [("record_sha256", record), ("kind", "call"), ("interpreter_end", "oom"), ("signal", 9), ("checkpoint_id", ""),
                 ("returns_to_sha256", "")],
        "options": [("request_sha256", request), ("deterministic", True), ("seed", 2 ** 64 - 1),
                    ("start_unix_ms", 1640995200000), ("interrupt_first", False)]}


def flat(fields):
    for name, content in fields:
        if isinstance(content, list):
            yield name, len(content)
            for element in content:
                yield from element
        else:
            yield name, content


def seal_of(name, fields):
    return digest("plimsoll.ext.%s.v1" % name, flat(fields))


def head(request, stream, data):
    """Of at most one block."""
    start = digest("plimsoll.ext.stream.v1", [("request_sha256", request), ("step", 0), ("stream", stream)])
    return digest("plimsoll.ext.block.v1", [("previous", start), ("offset", 0), ("data", data)]) if data else start


def stream(request, name, data):
    return [("step", 0), ("stream", name), ("kept_bytes", len(data)), ("produced_bytes", len(data)), ("truncated", False),
            ("head", head(request, name, data))]


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def as_json(fields):
    return {camel(name): [as_json(element) for element in content] if isinstance(content, list) else content
            for name, content in fields}


def as_wire(fields):
    out = b""
    for number, (_, content) in enumerate(fields, 1):
        if isinstance(content, str):
            out += varint(number << 3 | 2) + varint(len(content)) + content.encode()
        else:
            out += varint(number << 3) + varint(int(content))
    return out


def put(fields, **more):
    """The fields with other contents."""
    assert all(name in dict(fields) for name in more)
    return [(name, more.get(name, content)) for name, content in fields]


class Annex:
    """The parts of an annex and the digests that they state, from which it is sealed."""

    def __init__(self, record, parts, streams=(), probes=""):
        self.record, self.parts, self.streams, self.probes = record, dict(parts), list(streams), probes
        self.seals = {name: seal_of(name, fields) for name, fields in self.parts.items()}

    def sealed(self):
        named = [(name + "_sha256", self.seals.get(name, "")) for name in ("ending", "resources", "ledger")]
        named += [("probes_sha256", self.probes)]
        named += [(name + "_sha256", self.seals.get(name, "")) for name in ("call", "options")]
        return digest("plimsoll.ext.annex.v1",
                      [("record_sha256", self.record)] + named + list(flat([("streams", self.streams)])))

    def json(self):
        out = {name: dict(as_json(fields), sha256=self.seals[name]) for name, fields in self.parts.items()}
        return dict(out, probesSha256=self.probes, streams=[as_json(fields) for fields in self.streams],
                    annexSha256=self.sealed())

    def detail(self):
        out = b""
        for name, fields in self.parts.items():
            raw = as_wire(fields + [("sha256", self.seals[name])])
            out += varint(NUMBER[name] << 3 | 2) + varint(len(raw)) + raw
        out += varint(6 << 3 | 2) + varint(64) + self.sealed().encode()
        return {"type": "plimsoll.ext.v1.Annex", "value": base64.b64encode(out).decode().rstrip("=")}


class Rows:
    def __init__(self, call, honest, row):
        self.request, self.record, self.row = request_digest(call), honest["record"]["recordSha256"], row
        self.parts = parts_of(self.request, self.record)
        self.streams = [stream(self.request, "stdout", b"42\n"), stream(self.request, "stderr", b"")]

    def only(self, name, **changed):
        """An annex with one part, some of its contents changed."""
        return Annex(self.record, {name: put(self.parts[name], **changed)})

    def says(self, name, text, sent, verdict):
        """A client asks for the annex, and `sent` is what it gets."""
        self.row("annex-" + name, text, {"class": None, "result": True, "record": True, **verdict},
                 merge={} if sent is None else {"annex": sent}, call={"annex": True})

    def lie(self, name, text, sent):
        self.says(name, text, sent.json() if isinstance(sent, Annex) else sent, {
            "class": "EvidenceMismatch", "code": "data_loss", "not_dispatched": None, "annex": False})

    def malformed(self, name, text, sent):
        self.says(name, text, sent, {"class": "MalformedResponse", "code": "internal", "not_dispatched": None, "result": False,
                                     "record": False, "annex": False})

    def truths(self):
        whole = Annex(self.record, self.parts, self.streams, "a" * 64)
        self.says("honest", "the whole truth, and the annex with every part", whole.json(), {"annex": True})
        self.says("empty", "an annex without a part", Annex(self.record, {}).json(), {"annex": True})
        self.says("not-sent", "no annex, although it was asked for", None, {"annex": False})
        self.row("annex-not-asked", "an annex that nobody asked for, and that is a lie",
                 {"class": None, "result": True, "record": True, "annex": False}, merge={"annex": {"annexSha256": ZERO_DIGEST}},
                 call={"annex": False})
        self.lie("digest", "the annex's own digest changed", dict(whole.json(), annexSha256=ZERO_DIGEST))

    def digests(self):
        empty = Annex(self.record, {})
        self.lie("digest-missing", "no digest of its own", dict(empty.json(), annexSha256=""))
        self.lie("probes", "a probe report under the digest of none", dict(empty.json(), probesSha256="b" * 64))
        self.lie("probes-form", "a probe report that no digest names", Annex(self.record, {}, probes="none"))
        for name, fields in self.parts.items():
            lie = self.only(name)
            lie.seals[name] = ZERO_DIGEST
            self.lie("digest-" + name, "the digest of a part changed, and the annex sealed over it", lie)
            lie = self.only(name)
            key, content = next(field for field in fields[1:] if not isinstance(field[1], list))
            other = not content if isinstance(content, bool) else content + ("x" if isinstance(content, str) else 1)
            lie.parts[name] = put(fields, **{key: other})
            self.lie("changed-" + name, "a part changed under its digest", lie)
            self.lie("dropped-" + name, "a part dropped from a sealed annex", dict(empty.json(), annexSha256=self.only(name).sealed()))
        for key, other in (("head", ZERO_DIGEST), ("kept_bytes", 2), ("truncated", True), ("stream", "stdin"), ("step", 1)):
            self.lie("stream-" + key.replace("_", "-"), "a stream that is not the output's, well sealed",
                     Annex(self.record, {}, [put(self.streams[0], **{key: other})]))
        self.lie("stream-order", "the streams in another order, well sealed", Annex(self.record, {}, self.streams[::-1]))

    def links(self):
        self.lie("other-record", "the annex of another record, well sealed", Annex(ZERO_DIGEST, {}))
        for name, key in (("ending", "record_sha256"), ("ending", "request_sha256"), ("resources", "record_sha256"),
                          ("ledger", "request_sha256"), ("call", "record_sha256"), ("options", "request_sha256")):
            what = key.split("_")[0]
            self.lie("other-%s-%s" % (what, name), "a part of another %s, well sealed" % what, self.only(name, **{key: ZERO_DIGEST}))
        for key, other in (("ending", "refused"), ("ran", "no"), ("code", "internal"), ("minimum_isolation", "vm"),
                           ("software_rule_id", ""), ("session", ZERO_DIGEST), ("session_call", 1),
                           ("ended_unix_ms", 1794999999999)):
            self.lie("ending-" + key.replace("_", "-"), "an ending that contradicts the answer, well sealed",
                     self.only("ending", **{key: other}))
        self.lie("call-kind", "facts of a rollback for a run, well sealed", self.only("call", kind="rollback"))

    def unreadable(self):
        self.malformed("type", "text where an annex belongs", "annex")
        self.malformed("part-type", "a list where an ending belongs", {"ending": []})
        self.malformed("range", "a count no int64 holds", {"ending": {"count": 2 ** 63}})
        self.malformed("ledger-long", "a call more than a ledger can hold", {"ledger": {"calls": [{}] * 257}})
        self.malformed("streams-long", "a stream more than a result can have", {"streams": [{}] * 41})

    def refused(self, name, text, annex, verdict):
        """A refusal for want of capacity, with this detail beside its mark."""
        details = [{"type": "plimsoll.v1.NotDispatched", "value": "CAY"}, annex]
        self.row("annex-refusal" + name, text, {"class": "EvidenceMismatch", "code": "data_loss", "not_dispatched": None,
                                                "result": False, "record": False, "annex": False, **verdict},
                 status=429, json={"code": "resource_exhausted", "message": "refused", "details": details}, call={"annex": True})

    def refusals(self):
        ending = put(self.parts["ending"], ending="refused", ran="no", reason="capacity", code="resource_exhausted",
                     record_sha256="")
        kept = {"class": "AtCapacity", "code": "resource_exhausted", "not_dispatched": "capacity"}
        self.refused("", "a refusal with the ending it agrees with", Annex("", {"ending": ending}).detail(), {**kept, "annex": True})
        self.refused("-undecodable", "an annex that cannot be decoded says nothing",
                     {"type": "plimsoll.ext.v1.Annex", "value": "CgU"}, kept)
        for key, other in (("ran", "yes"), ("reason", "isolation"), ("code", "internal"), ("request_sha256", ZERO_DIGEST)):
            self.refused("-" + key.split("_")[0], "a refusal with an ending that contradicts it",
                         Annex("", {"ending": put(ending, **{key: other})}).detail(), {})
        self.refused("-with-options", "a refusal with more than an ending",
                     Annex("", {"ending": ending, "options": self.parts["options"]}).detail(), {})
        self.refused("-other-record", "a refusal with the annex of a record", Annex(ZERO_DIGEST, {"ending": ending}).detail(), {})


def add(call, honest, row):
    """Adds every row with `row`."""
    rows = Rows(call, honest, row)
    rows.truths()
    rows.digests()
    rows.links()
    rows.unreadable()
    rows.refusals()
