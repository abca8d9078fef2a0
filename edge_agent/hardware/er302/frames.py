"""YHY523U and ER302 frames: bytes in, events out.

A frame is `AA BB | length | node | command | data | xor`: numbers of two bytes, lowest first; the length
counts from the node to the xor, and the xor covers the node up to the data. After the length, every AA is
followed by a 00 that does not count, so that `AA BB` only ever begins a frame.
"""

from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

HEADER: Final = b"\xaa\xbb"
ANY_NODE: Final = b"\xff\xff"
STUFFED, STUFFING = 0xAA, 0x00
SHORTEST, LONGEST = 5, 300


@dataclass(frozen=True, slots=True)
class Er302Frame:
    """A whole frame: the command, and what goes with it."""

    command: int
    data: bytes

    def __repr__(self) -> str:
        return f"Er302Frame({self.command:04x}, {len(self.data)} bytes)"


@dataclass(frozen=True, slots=True)
class Er302Damaged:
    """Bytes that began as a frame and were none."""

    reason: str


Er302Event = Er302Frame | Er302Damaged


def er302_frame(command: int, data: bytes = b"", node: bytes = ANY_NODE) -> bytes:
    """Return the bytes of a frame."""
    body = node + command.to_bytes(2, "little") + data
    length = len(body) + 1
    if length > LONGEST:
        raise ValueError(f"data: {len(data)} bytes, at most {LONGEST - SHORTEST}")
    checked = body + bytes([reduce(xor, body)])
    return HEADER + length.to_bytes(2, "little") + checked.replace(b"\xaa", b"\xaa\x00")


class Er302FrameReader:
    """Finds frames in whatever comes, in pieces of any size and with noise around them."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[Er302Event]:
        """Take bytes and return the events they complete."""
        self._buffer += data
        events: list[Er302Event] = []
        while (event := self._next()) is not None:
            events.append(event)
        return events

    def _next(self) -> Er302Event | None:
        start = self._buffer.find(HEADER)
        if start < 0:
            del self._buffer[: len(self._buffer) - self._buffer.endswith(HEADER[:1])]
            return None
        del self._buffer[:start]
        if len(self._buffer) < 4:
            return None
        length = int.from_bytes(self._buffer[2:4], "little")
        if not SHORTEST <= length <= LONGEST:
            return self._skip("length")
        return self._body(length)

    def _body(self, length: int) -> Er302Event | None:
        body, taken = _unstuffed(self._buffer[4:], length)
        if len(body) < length:
            # A header inside is another frame's: this one was cut short.
            return self._skip("cut short") if HEADER in self._buffer[2:] else None
        if reduce(xor, body):
            return self._skip("checksum")
        del self._buffer[: 4 + taken]
        return Er302Frame(int.from_bytes(body[2:4], "little"), body[4:-1])

    def _skip(self, reason: str) -> Er302Damaged:
        del self._buffer[: len(HEADER)]
        return Er302Damaged(reason)


def _unstuffed(stuffed: bytearray, length: int) -> tuple[bytes, int]:
    """Return up to `length` bytes without their stuffing, and how many were taken for them."""
    body, at = bytearray(), 0
    while at < len(stuffed) and len(body) < length:
        if stuffed[at : at + 2] == HEADER:
            break
        body.append(stuffed[at])
        at += 2 if stuffed[at : at + 2] == bytes([STUFFED, STUFFING]) else 1
    return bytes(body), at
