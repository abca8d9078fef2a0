"""An ACR122U: pseudo-APDUs, and its PN532 reached through `FF 00 00 00`."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from edge_agent.hardware.ccid.frames import XFR_BLOCK, CcidDamaged, CcidFrame, CcidFrameReader
from edge_agent.hardware.errors import DeviceRefused, HardwareError, NoAnswer
from edge_agent.hardware.link import ByteLink, EventLink

ANSWER_SECONDS: Final = 3.0
OK: Final = b"\x90\x00"
STATUS: Final[Mapping[bytes, str]] = {
    b"\x63\x00": "operation failed",
    b"\x6a\x81": "function not supported",
    b"\x6c\x00": "wrong length",
}
GET_UID: Final = bytes.fromhex("ffca000000")
GET_VERSION: Final = bytes.fromhex("ff00480000")
PICC_PARAMETERS: Final = bytes.fromhex("ff00517f00")
LIGHTS_OFF: Final = bytes.fromhex("ff00400c0400000000")


def load_key(key: bytes, slot: int = 0) -> bytes:
    """Return the command that puts a sector's key into the reader."""
    return bytes([0xFF, 0x82, 0x00, slot, len(key)]) + key


def authenticate(block: int, key_type: int, slot: int = 0) -> bytes:
    """Return the command that opens a block's sector with a key of the reader's."""
    return bytes([0xFF, 0x86, 0x00, 0x00, 0x05, 0x01, 0x00, block, key_type, slot])


def read_block(block: int, length: int = 16) -> bytes:
    """Return the command that reads a block."""
    return bytes([0xFF, 0xB0, 0x00, block, length])


def update_block(block: int, data: bytes) -> bytes:
    """Return the command that writes a block."""
    return bytes([0xFF, 0xD6, 0x00, block, len(data)]) + data


def direct(command: bytes) -> bytes:
    """Return the command that hands another to the PN532 inside."""
    return bytes([0xFF, 0x00, 0x00, 0x00, len(command) + 1, 0xD4]) + command


def answered(response: bytes) -> bytes:
    """Return a response's data, or raise what its status says."""
    status = response[-2:]
    if status != OK:
        raise DeviceRefused(f"the reader says: {STATUS.get(status, 'unknown status')}", status.hex().upper())
    return response[:-2]


class Acr122Chip:
    """The PN532 inside an ACR122U, asked as one on a serial line is."""

    def __init__(self, pipe: ByteLink, seconds: float = ANSWER_SECONDS) -> None:
        self._events: EventLink[CcidFrame | CcidDamaged] = EventLink(pipe, CcidFrameReader())
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._sequence = 0

    async def ask(self, command: bytes) -> bytes:
        """Send a command to the PN532 and return its reply's data."""
        reply = answered(await self.transmit(direct(command)))
        if reply[:2] != bytes([0xD5, command[0] + 1]):
            raise NoAnswer("the reader answered another command")
        return reply[2:]

    async def transmit(self, apdu: bytes) -> bytes:
        """Send an APDU and return the response with its status."""
        async with self._turn:
            self._events.forget()
            self._sequence = (self._sequence + 1) & 0xFF
            await self._events.send(bytes(CcidFrame(XFR_BLOCK, apdu, self._sequence)))
            event = await self._events.until(self._is_final, self._seconds)
        if isinstance(event, CcidDamaged):
            raise NoAnswer("the reader's answer is damaged")
        return event.payload()

    async def firmware(self) -> str:
        """Return the reader's name and version, or the error that it gives."""
        # The answer carries no status of its own.
        return (await self.transmit(GET_VERSION)).decode("ascii", "replace")

    async def close(self) -> None:
        """Switch its light off and let go of it."""
        # It is going away either way.
        with suppress(HardwareError):
            await self.transmit(LIGHTS_OFF)
        await self._events.close()

    def _is_final(self, event: CcidFrame | CcidDamaged) -> bool:
        if isinstance(event, CcidDamaged):
            return True
        return event.sequence == self._sequence and not event.waits
