"""CCID frames: `type | length, lowest byte first | slot | sequence | 3 bytes | data`, both ways."""

import struct
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.errors import DeviceRefused, NoAnswer

XFR_BLOCK, POWER_ON, DATA_BLOCK = 0x6F, 0x62, 0x80
_HEADER: Final = struct.Struct("<BIBB3s")
HEADER_SIZE: Final = _HEADER.size
LONGEST: Final = 0x1FF
STATUS_FAILED, TIME_EXTENSION = 0x40, 0x80


@dataclass(frozen=True, slots=True)
class CcidFrame:
    """One frame; of an answer, `parameters` begins with the slot's status and error."""

    type: int
    data: bytes
    sequence: int = 0
    slot: int = 0
    parameters: bytes = b"\x00\x00\x00"

    def __bytes__(self) -> bytes:
        return _HEADER.pack(self.type, len(self.data), self.slot, self.sequence, self.parameters) + self.data

    def __repr__(self) -> str:
        return f"CcidFrame({self.type:02x}, {len(self.data)} bytes)"

    @property
    def waits(self) -> bool:
        """The reader asks for more time; the answer comes later."""
        return bool(self.parameters[0] & TIME_EXTENSION)

    def payload(self) -> bytes:
        """Return an answer's data, or raise what its status says."""
        # An ACR122U says "no card in the slot" with every good answer: only the failure bit counts.
        if self.type != DATA_BLOCK:
            raise NoAnswer("not an answer to a command")
        if self.parameters[0] & STATUS_FAILED:
            raise DeviceRefused("the reader refused the frame", str(self.parameters[1]))
        return self.data


@dataclass(frozen=True, slots=True)
class CcidDamaged:
    """Bytes that are no frame; on USB the rest of the transfer is of no use either."""

    reason: str


class CcidFrameReader:
    """Cuts answers out of what a bulk pipe delivers, in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def reset(self) -> None:
        """Forget what was begun."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[CcidFrame | CcidDamaged]:
        """Take bytes and return the frames they complete."""
        self._buffer += data
        events: list[CcidFrame | CcidDamaged] = []
        while (event := self._next()) is not None:
            events.append(event)
        return events

    def _next(self) -> CcidFrame | CcidDamaged | None:
        if len(self._buffer) < HEADER_SIZE:
            return None
        kind, length, slot, sequence, parameters = _HEADER.unpack_from(self._buffer)
        if length > LONGEST:
            self._buffer.clear()
            return CcidDamaged("length")
        if len(self._buffer) < HEADER_SIZE + length:
            return None
        data = bytes(self._buffer[HEADER_SIZE : HEADER_SIZE + length])
        del self._buffer[: HEADER_SIZE + length]
        return CcidFrame(kind, data, sequence, slot, parameters)
