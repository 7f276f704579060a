#!/usr/bin/env python3
"""A docker engine that misbehaves on demand: a proxy between two Unix sockets, one request a connection.

usage: engine_proxy.py LISTEN_SOCKET ENGINE_SOCKET RULES_FILE

RULES_FILE holds a list of rules, read again for each request, so a test can change it at any time. A rule applies when its `method`
(default: any) and `path` match; `path` is a regular expression that must match the whole path without `/v1.NN` and query. All rules that
match apply, in order. What a rule can do:

  times           applies this often and then no more; counted anew when the file changes
  remove          dotted members that are taken out of the JSON request: ["HostConfig.PidsLimit"]
  set             the same with values that are put in: {"HostConfig.Memory": 0}
  answer_remove, answer_set    the same on a JSON answer; a number in a dotted name is a place in a list
  delay_ms        waits before anything else
  status, message answers that by itself; the engine does not see the request
  hang            never answers; the engine does not see the request
  cut             "request": closes without asking the engine; "answer": lets the engine do it and closes without its answer
  cut_after_bytes closes both sides after so many bytes of a hijacked stream have gone to the client

Without a rule bytes pass as they are, the hijacked stream of an attach in both directions. The proxy ends on SIGTERM, with all its
connections at once: to a client, the engine has died.
"""
import json
import re
import socket
import sys
import threading
import time

CHUNK = 65536


class Rules:
    """The rules of the file, and how often each has applied since it changed."""

    def __init__(self, path):
        self.path, self.text, self.used, self.lock = path, None, [], threading.Lock()

    def matching(self, method, target):
        path = re.sub(r"^/v\d+\.\d+(?=/)", "", target.split("?")[0])
        with self.lock:
            with open(self.path) as file:
                text = file.read()
            rules = json.loads(text)
            if text != self.text:
                self.text, self.used = text, [0] * len(rules)
            found = []
            for number, rule in enumerate(rules):
                if rule.get("method", method) == method and re.fullmatch(rule["path"], path):
                    if self.used[number] < rule.get("times", 1 << 60):
                        self.used[number] += 1
                        found.append(rule)
            return found


def parent_of(document, dotted):
    """The object or list that holds the last member, and that member; None when there is no such place."""
    *parents, last = [int(part) if part.isdigit() else part for part in dotted.split(".")]
    for part in parents:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return None, last
    return (document if isinstance(document, (dict, list)) else None), last


def rewrite(text, rules, prefix):
    """`text` with the members changed that the rules name; unchanged when none does or it is not JSON."""
    changes = [(name, False, None) for rule in rules for name in rule.get(prefix + "remove", [])]
    changes += [(name, True, value) for rule in rules for name, value in rule.get(prefix + "set", {}).items()]
    if not changes:
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return text
    for name, put, value in changes:
        parent, last = parent_of(document, name)
        if parent is None:
            continue
        if put:
            parent[last] = value
        elif isinstance(parent, dict):
            parent.pop(last, None)
    return json.dumps(document).encode()


class Message:
    """The head of a request or an answer, and its body where it has to be seen whole."""

    def __init__(self, stream):
        self.first = stream.readline(CHUNK).rstrip(b"\r\n").decode("latin-1")
        self.fields = []
        while line := stream.readline(CHUNK).rstrip(b"\r\n").decode("latin-1"):
            name, _, value = line.partition(":")
            self.fields.append((name.strip(), value.strip()))

    def get(self, name):
        return next((value for key, value in self.fields if key.lower() == name), None)

    def put(self, name, value):
        self.fields = [pair for pair in self.fields if pair[0].lower() != name.lower()]
        if value is not None:
            self.fields.append((name, value))

    def head(self):
        lines = [self.first] + [f"{name}: {value}" for name, value in self.fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def body(self, stream, ends_with_connection):
        if (self.get("transfer-encoding") or "").lower() == "chunked":
            parts = []
            while size := int(stream.readline(CHUNK).split(b";")[0], 16):
                parts.append(stream.read(size))
                stream.readline(CHUNK)
            stream.readline(CHUNK)
            return b"".join(parts)
        if (length := self.get("content-length")) is not None:
            return stream.read(int(length))
        return stream.read() if ends_with_connection else b""

    def with_body(self, body):
        self.put("Transfer-Encoding", None)
        self.put("Content-Length", str(len(body)))
        return self.head() + body


def pump(read, source, sink, most=None):
    """Copies what `read` gives until the source ends, which the sink is told; or `most` bytes, after which both are closed."""
    left = most
    try:
        while data := read(CHUNK if left is None else max(1, min(CHUNK, left))):
            sink.sendall(data)
            if left is not None and (left := left - len(data)) <= 0:
                close(source, sink)
                return
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        close(source, sink)


def close(*sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def answer_alone(client, rule):
    body = json.dumps({"message": rule.get("message", "refused by a rule")}).encode()
    client.sendall(f"HTTP/1.1 {rule['status']} X\r\nContent-Type: application/json\r\nConnection: close\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n".encode() + body)


def pass_on(client, reader, request, rules, engine_path):
    """Asks the engine, and gives the client its answer."""
    hijack = request.get("upgrade") is not None
    if not hijack:
        request.put("Connection", "close")
    with socket.socket(socket.AF_UNIX) as engine:
        engine.connect(engine_path)
        engine.sendall(request.with_body(rewrite(request.body(reader, False), rules, "")))
        with engine.makefile("rb") as answers:
            answer = Message(answers)
            if any(rule.get("cut") == "answer" for rule in rules):
                answer.body(answers, not hijack)
                return
            if " 101 " in answer.first + " ":
                client.sendall(answer.head())
                most = next((rule["cut_after_bytes"] for rule in rules if "cut_after_bytes" in rule), None)
                up = threading.Thread(target=pump, args=(reader.read1, client, engine), daemon=True)
                up.start()
                pump(answers.read1, engine, client, most)
                up.join()
                return
            if any("answer_set" in rule or "answer_remove" in rule for rule in rules):
                client.sendall(answer.with_body(rewrite(answer.body(answers, True), rules, "answer_")))
                return
            client.sendall(answer.head())
            while data := answers.read1(CHUNK):
                client.sendall(data)


def serve(client, rules_file, engine_path):
    with client, client.makefile("rb") as reader:
        try:
            request = Message(reader)
            if not request.first:
                return
            method, target, _ = request.first.split(" ")
            rules = rules_file.matching(method, target)
            for rule in rules:
                time.sleep(rule.get("delay_ms", 0) / 1000)
                if rule.get("hang"):
                    threading.Event().wait()
                if rule.get("cut") == "request":
                    return
                if "status" in rule:
                    request.body(reader, False)
                    answer_alone(client, rule)
                    return
            pass_on(client, reader, request, rules, engine_path)
        except OSError:
            pass  # one of the two sides has gone
        finally:
            close(client)


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    listen_path, engine_path, rules = sys.argv[1], sys.argv[2], Rules(sys.argv[3])
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(listen_path)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client, rules, engine_path), daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
