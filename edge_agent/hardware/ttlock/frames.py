"""TTLock frames: bytes in, events out.

    7F 5A | protocol, sub, scene | group 2, organisation 2 | command | encrypted AA | length | data | crc |
    0D 0A

The crc is CRC-8/MAXIM but for one entry of its table, which the vendor changed: 33 is 07 and not 7D. A
lock is deaf to a frame with a wrong one. Frames are cut by their length, because ciphertext may hold 0D 0A.
"""

from dataclasses import dataclass
from typing import Final

START: Final = b"\x7f\x5a"
END: Final = b"\r\n"
ENCRYPTED: Final = 0xAA
HEADER: Final = 12
AT_LENGTH: Final = 11
POLYNOMIAL: Final = 0x8C
CHANGED_ENTRY, CHANGED_TO = 33, 0x07


def _entry(index: int) -> int:
    for _ in range(8):
        index = index >> 1 ^ (POLYNOMIAL if index & 1 else 0)
    return index


TABLE: Final = bytes(CHANGED_TO if n == CHANGED_ENTRY else _entry(n) for n in range(256))


def crc(data: bytes | bytearray) -> int:
    """Return the vendor's check of some bytes."""
    value = 0
    for byte in data:
        value = TABLE[value ^ byte]
    return value


@dataclass(frozen=True, slots=True)
class LockVersion:
    """What a lock says it speaks; frames to it carry the same."""

    protocol: int = 5
    sub: int = 3
    scene: int = 2
    group: int = 1
    organisation: int = 1

    def __bytes__(self) -> bytes:
        numbers = self.group.to_bytes(2, "big") + self.organisation.to_bytes(2, "big")
        return bytes([self.protocol, self.sub, self.scene]) + numbers


@dataclass(frozen=True, slots=True)
class LockFrame:
    """A whole frame; its data is ciphertext where there is any."""

    command: int
    data: bytes = b""
    version: LockVersion = LockVersion()
    encrypted: bool = True

    def __bytes__(self) -> bytes:
        mark = ENCRYPTED if self.encrypted else 0
        checked = START + bytes(self.version) + bytes([self.command, mark, len(self.data)]) + self.data
        return checked + bytes([crc(checked)]) + END

    def __repr__(self) -> str:
        return f"LockFrame({self.command:02x}, {len(self.data)} bytes)"


@dataclass(frozen=True, slots=True)
class LockDamaged:
    """Bytes that began as a frame and were none."""

    reason: str


LockEvent = LockFrame | LockDamaged


class LockFrameReader:
    """Finds frames in notifications, in pieces of any size and with noise around them."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[LockEvent]:
        """Take bytes and return the events they complete."""
        self._buffer += data
        events: list[LockEvent] = []
        while (event := self._next()) is not None:
            events.append(event)
        return events

    def _next(self) -> LockEvent | None:
        start = self._buffer.find(START)
        if start < 0:
            del self._buffer[: len(self._buffer) - self._buffer.endswith(START[:1])]
            return None
        del self._buffer[:start]
        if len(self._buffer) < HEADER:
            return None
        end = HEADER + self._buffer[AT_LENGTH]
        if len(self._buffer) <= end:
            return None
        if crc(self._buffer[:end]) != self._buffer[end]:
            del self._buffer[: len(START)]
            return LockDamaged("crc")
        event = _frame(bytes(self._buffer[:end]))
        del self._buffer[: end + 1]
        return event


def _frame(checked: bytes) -> LockFrame:
    protocol, sub, scene = checked[2:5]
    group, organisation = int.from_bytes(checked[5:7], "big"), int.from_bytes(checked[7:9], "big")
    version = LockVersion(protocol, sub, scene, group, organisation)
    return LockFrame(checked[9], checked[HEADER:], version, checked[10] == ENCRYPTED)
