"""The few messages the harness needs, encoded by hand so that it depends on no generated code.

Field numbers are those of proto/plimsoll/v1/sandbox.proto. The answers read here come from our own daemon, but a wrong one
must be seen as wrong: every reader raises `WrongAnswer` unless the whole expected meaning is there.
"""

import base64
import json

PROCEDURE = "/plimsoll.v1.SandboxService/Run"
REQUEST_ID = "0123456789abcdef0123456789abcdef"
SNIPPET = "console.log(6*7)"
EXPECTED_STDOUT = b"42\n"
PROTOCOL = 5
# Above `process`, the tier of the wasm provider, so that the run is refused before anything is dispatched.
FLOOR_ABOVE = "vm"
REASON_ISOLATION = b"\x08\x05"


class WrongAnswer(Exception):
    """An answer that is not the success, or the refusal, that was asked for."""


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes_field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _uint_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def run_request_binary(floor: str | None = None) -> bytes:
    """RunRequest: protocol = 1, minimum_isolation = 2, javascript = 10 {code = 1}."""
    out = _uint_field(1, PROTOCOL)
    if floor is not None:
        out += _bytes_field(2, floor.encode())
    return out + _bytes_field(10, _bytes_field(1, SNIPPET.encode()))


def run_request_json() -> bytes:
    """The same request in protobuf's JSON form."""
    return json.dumps({"protocol": PROTOCOL, "javascript": {"code": SNIPPET}}).encode()


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise WrongAnswer("the message ends inside a number")


def fields(data: bytes) -> dict[int, int | bytes]:
    """The last value of each field of one message; fixed-width fields are kept as bytes."""
    found: dict[int, int | bytes] = {}
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            found[tag >> 3], at = _read_varint(data, at)
            continue
        if kind == 2:
            size, at = _read_varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise WrongAnswer(f"unknown wire type {kind}")
        if at + size > len(data):
            raise WrongAnswer("a field is longer than the message")
        found[tag >> 3] = data[at : at + size]
        at += size
    return found


def check_success_binary(status: int, body: bytes) -> None:
    """RunResponse: record = 4, javascript = 10 {stdout = 1, stderr = 2, exit_code = 3}."""
    if status != 200:
        raise WrongAnswer(f"status {status}: {body[:200]!r}")
    answer = fields(body)
    result, record = answer.get(10), answer.get(4)
    if not isinstance(result, bytes) or not isinstance(record, bytes) or not record:
        raise WrongAnswer("no result or no record in the answer")
    inner = fields(result)
    if inner.get(1) != EXPECTED_STDOUT or inner.get(2, b"") != b"" or inner.get(3, 0) != 0:
        raise WrongAnswer(f"stdout {inner.get(1)!r}, stderr {inner.get(2)!r}, exit code {inner.get(3, 0)}")


def check_success_json(status: int, body: bytes) -> None:
    """The same checks on the JSON form, where bytes are base64 and defaults are left out."""
    if status != 200:
        raise WrongAnswer(f"status {status}: {body[:200]!r}")
    answer = json.loads(body)
    result = answer.get("javascript", {})
    stdout = base64.b64decode(result.get("stdout", ""))
    if not answer.get("record") or stdout != EXPECTED_STDOUT or result.get("stderr") or result.get("exitCode", 0):
        raise WrongAnswer(f"stdout {stdout!r}, exit code {result.get('exitCode', 0)}, record {bool(answer.get('record'))}")


def check_floor_refusal(status: int, body: bytes) -> None:
    """A refusal that says nothing was dispatched because the tier is below the floor."""
    if status != 400:
        raise WrongAnswer(f"status {status} where the floor refusal's 400 was expected: {body[:200]!r}")
    answer = json.loads(body)
    marks = [d for d in answer.get("details", []) if d.get("type", "").endswith("plimsoll.v1.NotDispatched")]
    values = [base64.b64decode(mark.get("value", "") + "==") for mark in marks]
    if answer.get("code") != "failed_precondition" or values != [REASON_ISOLATION]:
        raise WrongAnswer(f"code {answer.get('code')!r}, marks {values!r}")


def check_health(status: int, body: bytes) -> None:
    """/healthz answers 200 and `ok`."""
    if status != 200 or body != b"ok\n":
        raise WrongAnswer(f"status {status}, body {body[:50]!r}")
