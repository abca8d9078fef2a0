"""PN532 frames: bytes in, events out.

A frame is `00 00 FF | LEN LCS | TFI data | DCS 00`, where LEN + LCS and TFI + data + DCS are 0 modulo 256.
Over 255 bytes, LEN is `FF FF` and two bytes of length follow. Three frames have no body: ACK, NACK and the
chip's error.
"""

from dataclasses import dataclass
from typing import Final

HOST, CHIP, SYNTAX_ERROR = 0xD4, 0xD5, 0x7F
ACK: Final = bytes.fromhex("0000ff00ff00")
NACK: Final = bytes.fromhex("0000ffff0000")
WAKE_UP: Final = b"\x55\x55" + bytes(14)
START: Final = b"\x00\xff"
LONGEST: Final = 265
"""Bytes of TFI and data: the chip's buffer. A longer length is noise."""


@dataclass(frozen=True, slots=True)
class Ack:
    """The other end got our frame."""


@dataclass(frozen=True, slots=True)
class Nack:
    """The other end wants our frame again."""


@dataclass(frozen=True, slots=True)
class SyntaxRefused:
    """The chip got the frame and found no command in it."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes that began as a frame and were none."""

    reason: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole frame: who speaks, and what."""

    sender: int
    data: bytes

    def __repr__(self) -> str:
        return f"Frame({self.sender:02x}, {len(self.data)} bytes)"


FrameEvent = Ack | Nack | SyntaxRefused | Damaged | Frame


def frame(data: bytes, sender: int = HOST, extended: bool = False) -> bytes:
    """Return the bytes of a frame, in the extended form where its length asks for it."""
    body = bytes([sender]) + data
    if len(body) > LONGEST:
        raise ValueError(f"data: {len(data)} bytes, at most {LONGEST - 1}")
    length = _extended_length(len(body)) if extended or len(body) > 0xFF else _length(len(body))
    return b"\x00" + START + length + body + bytes([-sum(body) & 0xFF, 0])


def _length(size: int) -> bytes:
    return bytes([size, -size & 0xFF])


def _extended_length(size: int) -> bytes:
    high, low = divmod(size, 256)
    return bytes([0xFF, 0xFF, high, low, -(high + low) & 0xFF])


class Pn532FrameReader:
    """Finds frames in whatever comes, in pieces of any size and with noise around them."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[FrameEvent]:
        """Take bytes and return the events they complete."""
        self._buffer += data
        events: list[FrameEvent] = []
        while (event := self._next()) is not None:
            events.append(event)
        return events

    def _next(self) -> FrameEvent | None:
        start = self._buffer.find(START)
        if start < 0:
            # A last 00 may be the first half of a start.
            del self._buffer[: len(self._buffer) - self._buffer.endswith(b"\x00")]
            return None
        del self._buffer[:start]
        return self._header()

    def _header(self) -> FrameEvent | None:
        if len(self._buffer) < 4:
            return None
        length, check = self._buffer[2:4]
        if (length, check) in _BODILESS:
            return self._take(4, _BODILESS[length, check])
        if (length, check) == (0xFF, 0xFF):
            return self._extended()
        if (length + check) & 0xFF or not length:
            return self._skip("length")
        return self._body(4, length)

    def _extended(self) -> FrameEvent | None:
        if len(self._buffer) < 7:
            return None
        high, low, check = self._buffer[4:7]
        length = high << 8 | low
        if (high + low + check) & 0xFF or not 0 < length <= LONGEST:
            return self._skip("extended length")
        return self._body(7, length)

    def _body(self, head: int, length: int) -> FrameEvent | None:
        if len(self._buffer) < head + length + 1:
            return None
        body = bytes(self._buffer[head : head + length])
        if (sum(body) + self._buffer[head + length]) & 0xFF:
            return self._skip("checksum")
        return self._take(head + length + 1, _event(body))

    def _take(self, size: int, event: FrameEvent) -> FrameEvent:
        del self._buffer[:size]
        return event

    def _skip(self, reason: str) -> Damaged:
        # The start may be noise with a frame behind it: only the start itself is thrown away.
        del self._buffer[: len(START)]
        return Damaged(reason)


_BODILESS: Final[dict[tuple[int, int], FrameEvent]] = {(0x00, 0xFF): Ack(), (0xFF, 0x00): Nack()}


def _event(body: bytes) -> FrameEvent:
    return SyntaxRefused() if body == bytes([SYNTAX_ERROR]) else Frame(body[0], body[1:])
