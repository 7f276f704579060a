#!/usr/bin/env python3
"""Writes agent_vectors.txt: one frame of each type, made without this project's code. Key: bytes 0 to 31, for all channels."""
import base64
import hashlib
import hmac
import struct
from pathlib import Path

KEY = bytes(range(32))
PLAN = ('{"argv":["%s","%s"],"artifact_cap":8388608,"artifacts":["%s"],"directory":"%s","environment":["%s"],"steps":[],'
        '"stream_cap":65536,"total_cap":0}')
READY = '{"pid":1,"sha256":"%s","uid":61000,"version":"0.1.0"}' % ("ab" * 32)


def coded(text):
    return base64.b64encode(text.encode()).decode()


FRAMES = [
    ("h", "K", 0, struct.pack(">IB", 7, 1) + bytes(reversed(range(32)))),
    ("h", "Q", 0, struct.pack(">I", 7)),
    ("h", "H", 0, b"nonce"),
    ("h", "S", 0, struct.pack(">QB", 1 << 30, 1)),
    ("h", "G", 7, (PLAN % tuple(map(coded, ("node", "-", "out/a", "/work", "PATH=/bin")))).encode()),
    ("h", "F", 7, struct.pack(">HH", 1, 3) + b"a/b" + struct.pack(">Q", 5)),
    ("h", "P", 7, b"hello"),
    ("h", "B", 7, struct.pack(">Q", 5000)),
    ("g", "R", 0, READY.encode()),
    ("g", "h", 0, b"nonce"),
    ("g", "s", 0, struct.pack(">BQ", 10, (1 << 30) + 1)),
    ("g", "b", 7, struct.pack(">I", 2)),
    ("g", "o", 7, struct.pack(">I", 2) + b"\x00\xffout"),
    ("g", "e", 7, struct.pack(">I", 2) + b"err"),
    ("g", "x", 7, struct.pack(">IiBBQ", 2, 124, 9, 5, 3001)),
    ("g", "a", 7, struct.pack(">IB", 3, 1) + b"data"),
    ("g", "d", 7, b"\x03\x01step 3 was ended at the deadline"),
]


def frame(direction, kind, channel, counter, body):
    signed = kind.encode() + struct.pack(">IQ", channel, counter) + body
    tag = hmac.new(KEY, direction.encode() + signed, hashlib.sha256).digest()[:16]
    return struct.pack(">I", len(signed) + 16) + signed + tag


def main():
    counters, lines = {}, []
    for direction, kind, channel, body in FRAMES:
        counter = counters.get((direction, channel), 0)
        counters[direction, channel] = counter + 1
        lines.append(f"{direction} {kind} {channel} {body.hex()} {frame(direction, kind, channel, counter, body).hex()}\n")
    Path(__file__).with_suffix(".txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
