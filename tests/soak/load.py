"""Callers that keep a daemon busy and check every answer.

A request's id is also what its snippet prints, so an answer that belongs to another request or to another caller shows, and so does a guest
that meets what an earlier one left behind: the snippet prefers to print a global that every snippet sets last.
"""
import base64
import json
import re
import selectors
import socket
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

from harness import SERVICE, WAIT

EXAMPLES = 5  # wrong answers that are kept whole
FAULT = re.compile(r"internal error [0-9a-f]{16}: ")


@dataclass
class Tally:
    """What became of the requests. Whatever is neither `own` nor `fault` breaks the promise."""
    own: int = 0
    fault: int = 0  # an unmarked error: the run may have happened
    refused: int = 0  # marked: the run did not happen
    wrong: int = 0  # anything else, bytes after an answer among it
    lost: int = 0  # no answer
    examples: list = field(default_factory=list)

    @property
    def asked(self):
        return self.own + self.fault + self.refused + self.wrong + self.lost

    def add(self, kind, detail=""):
        setattr(self, kind, getattr(self, kind) + 1)
        if kind not in ("own", "fault") and len(self.examples) < EXAMPLES:
            self.examples.append(f"{kind}: {detail}")

    def __add__(self, other):
        return Tally(self.own + other.own, self.fault + other.fault, self.refused + other.refused, self.wrong + other.wrong,
                     self.lost + other.lost, (self.examples + other.examples)[:EXAMPLES])


class Connection:
    """One kept-alive HTTP/1.1 connection that has one request under way."""

    def __init__(self, address, token, lane, turns):
        self.socket = socket.create_connection(address, WAIT)
        self.head = (f"POST {SERVICE}Run HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\n"
                     f"Authorization: Bearer {token}\r\n")
        self.lane = lane
        self.turns = turns
        self.number = 0
        self.id = ""
        self.received = b""

    def ask(self):
        self.number += 1
        self.id = f"{self.lane:08x}{self.number:024x}"
        spin = f"for (let i = 0; i < {self.number % 8 * self.turns}; ++i); " if self.turns else ""
        code = f"{spin}console.log(globalThis.seen ?? '{self.id}'); globalThis.seen = 'left by {self.id}'"
        body = json.dumps({"protocol": 5, "javascript": {"code": code}})
        self.received = b""
        self.socket.sendall(f"{self.head}Plimsoll-Request-Id: {self.id}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())

    def answer(self):
        """(status, headers, body) once the answer is whole, else None. Raises OSError when it cannot become whole."""
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the connection ended before an answer")
        self.received += piece
        head, end, body = self.received.partition(b"\r\n\r\n")
        if not end:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if len(body) < int(headers["content-length"]):
            return None
        return int(first.split(" ")[1]), headers, body


def judge(connection, status, headers, body):
    """(kind of Tally, detail) of one answer."""
    try:
        answer = json.loads(body)  # also fails on bytes after the answer
    except ValueError:
        return "wrong", body[:500]
    detail = f"request {connection.id}: {status} {headers} {answer}"
    if headers.get("plimsoll-request-id") != connection.id:
        return "wrong", detail
    if status == 200:
        printed = base64.b64decode(answer["javascript"].get("stdout", ""))
        own = printed == connection.id.encode() + b"\n" and answer["javascript"].get("exitCode", 0) == 0
        return ("own", "") if own else ("wrong", detail)
    if "plimsoll-not-dispatched" in headers or answer.get("details"):
        return "refused", detail
    fault = status == 500 and answer["code"] == "internal" and FAULT.match(answer["message"])
    return ("fault", "") if fault else ("wrong", detail)


def run_caller(address, token, first_lane, lanes, runs, turns):
    """Makes `runs` requests of one caller over `lanes` connections at once; a Tally of all of them. A lane that lost an answer ends."""
    tally = Tally()
    unsent = runs
    with selectors.DefaultSelector() as selector:
        def ask_or_leave(connection):
            nonlocal unsent
            if unsent > 0:
                unsent -= 1
                connection.ask()
            else:
                leave(connection)

        def leave(connection):
            selector.unregister(connection.socket)
            connection.socket.close()

        for lane in range(first_lane, first_lane + lanes):
            connection = Connection(address, token, lane, turns)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            ask_or_leave(connection)
        while selector.get_map():
            ready = [key.data for key, _ in selector.select(WAIT)]
            if not ready:
                for _ in selector.get_map():
                    tally.add("lost", f"no answer within {WAIT:.0f} s")
                break
            for connection in ready:
                try:
                    answer = connection.answer()
                    if answer is not None:
                        tally.add(*judge(connection, *answer))
                        ask_or_leave(connection)
                except OSError as error:
                    tally.add("lost", f"request {connection.id}: {error}")
                    leave(connection)
    return tally


class Callers:
    """Several callers, each a process of its own with `lanes` connections at once."""

    def __init__(self, address, tokens, lanes):
        self.address = address
        self.tokens = tokens
        self.lanes = lanes
        self.next_lane = 1
        self.pool = ProcessPoolExecutor(len(tokens), get_context("spawn"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()

    def run(self, runs, turns=0):
        """Makes `runs` requests, shared among the callers; their Tally. Snippets first turn a loop 0 to 7 times `turns` times."""
        shares = Counter(i % len(self.tokens) for i in range(runs))
        futures = []
        for i, token in enumerate(self.tokens):
            futures.append(self.pool.submit(run_caller, self.address, token, self.next_lane, self.lanes, shares[i], turns))
            self.next_lane += self.lanes
        return sum((future.result() for future in futures), Tally())
