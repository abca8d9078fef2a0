"""The framing both languages share: `STX data ETX`, on serial lines an LRC behind it, and four single
characters.

The LRC is the xor of every byte after STX, up to and with ETX. A carriage return in its place says "do not
check".
"""

from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

STX, ETX, ENQ, ACK, NAK, UNCHECKED = 0x02, 0x03, 0x05, 0x06, 0x15, 0x0D
CONTROLS: Final = frozenset({ENQ, ACK, NAK})
LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Control:
    """A single character: ENQ, ACK or NAK."""

    code: int


@dataclass(frozen=True, slots=True)
class Message:
    """The data of a whole frame."""

    data: bytes

    def __repr__(self) -> str:
        # Messages name rooms and guests.
        return f"Message({len(self.data)} bytes)"


@dataclass(frozen=True, slots=True)
class Garbled:
    """A frame whose LRC does not fit, or that has no end."""

    reason: str


StxEvent = Control | Message | Garbled


def lrc(data: bytes) -> int:
    """Return the check of some data, its ETX included."""
    return reduce(xor, data, ETX)


def enclosed(data: bytes, checked: bool) -> bytes:
    """Return data in its frame, with an LRC where the line has one."""
    if {STX, ETX} & set(data):
        raise ValueError("data: it holds a frame's own beginning or end")
    return bytes([STX]) + data + bytes([ETX]) + (bytes([lrc(data)]) if checked else b"")


class StxReader:
    """Finds frames and single characters in whatever comes; `checked` lines have an LRC behind ETX."""

    def __init__(self, checked: bool) -> None:
        self._checked = checked
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[StxEvent]:
        """Take bytes and return the events they complete."""
        self._buffer += data
        events: list[StxEvent] = []
        while (event := self._next()) is not None:
            events.append(event)
        return events

    def _next(self) -> StxEvent | None:
        while self._buffer and self._buffer[0] != STX:
            code = self._buffer.pop(0)
            if code in CONTROLS:
                return Control(code)
        end = self._buffer.find(ETX)
        restart = self._buffer.rfind(STX, 1, end if end > 0 else len(self._buffer))
        if restart > 0:
            # A second beginning before the end: the first frame was cut short.
            del self._buffer[:restart]
            return Garbled("cut short")
        return self._frame(end)

    def _frame(self, end: int) -> StxEvent | None:
        if end < 0 and len(self._buffer) > LONGEST:
            self._buffer.clear()
            return Garbled("without an end")
        if end < 0 or (self._checked and len(self._buffer) < end + 2):
            return None
        data = bytes(self._buffer[1:end])
        check = self._buffer[end + 1] if self._checked else UNCHECKED
        del self._buffer[: end + 1 + self._checked]
        return Message(data) if check in (UNCHECKED, lrc(data)) else Garbled("check")
