"""PN532 commands: what is asked, and what the answers mean."""

from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.errors import (
    CardForeign,
    CardMissing,
    DeviceRefused,
    HardwareError,
    NoAnswer,
)

GET_FIRMWARE_VERSION: Final = b"\x02"
SAM_CONFIGURATION: Final = b"\x14\x01\x00\x00"
FEW_RETRIES: Final = b"\x32\x05\xff\x01\x10"
"""Look for a card a few times, then say that none is there; from the factory the chip looks for ever."""
LIST_ONE_TYPE_A: Final = b"\x4a\x01\x00"
EXCHANGE, COMMUNICATE_THRU = 0x40, 0x42
AUTH_A, AUTH_B, READ, WRITE, WRITE_PAGE = 0x60, 0x61, 0x30, 0xA0, 0xA2
STATUS: Final = {
    0x01: "target timeout",
    0x02: "CRC",
    0x03: "parity",
    0x04: "bit count in anticollision",
    0x05: "MIFARE framing",
    0x06: "bit collision",
    0x07: "buffer too small",
    0x09: "RF buffer overflow",
    0x0A: "RF field not on in time",
    0x0B: "RF protocol",
    0x0D: "overheated",
    0x0E: "internal buffer overflow",
    0x10: "invalid parameter",
    0x12: "unsupported command",
    0x13: "data format",
    0x14: "MIFARE authentication",
    0x23: "UID check byte",
    0x25: "DEP state",
    0x26: "not allowed in this configuration",
    0x27: "not acceptable in this context",
    0x29: "released",
    0x2A: "card id mismatch",
    0x2B: "card disappeared",
    0x2C: "NFCID3 mismatch",
    0x2D: "over-current",
    0x2E: "NAD missing",
}
_RAISED: Final[dict[int, type[HardwareError]]] = {0x01: CardMissing, 0x14: CardForeign, 0x2B: CardMissing}


@dataclass(frozen=True, slots=True)
class Firmware:
    """The chip and its firmware."""

    chip: int
    version: str


@dataclass(frozen=True, slots=True)
class Target:
    """A card in the field, as the chip describes it."""

    number: int
    sens_res: bytes
    sel_res: int
    uid: bytes


def exchange(target: int, command: bytes) -> bytes:
    """Return the command that sends something to a card that is listed."""
    return bytes([EXCHANGE, target]) + command


def authenticate(key_type: int, block: int, key: bytes, uid: bytes) -> bytes:
    """Return a card's command to open a sector; of a long UID the last four bytes count."""
    return bytes([key_type, block]) + key + uid[-4:]


def firmware(reply: bytes) -> Firmware:
    """Read the answer to GET_FIRMWARE_VERSION."""
    if len(reply) < 3:
        raise NoAnswer("the firmware's answer is too short")
    return Firmware(reply[0], f"{reply[1]}.{reply[2]}")


def target(reply: bytes) -> Target | None:
    """Read the answer to LIST_ONE_TYPE_A; None is an empty field."""
    if not reply:
        raise NoAnswer("the list of cards is empty of everything")
    if reply[0] == 0:
        return None
    if len(reply) < 6 or len(reply) < 6 + reply[5]:
        raise NoAnswer("the list of cards is cut short")
    return Target(reply[1], reply[2:4], reply[4], reply[6 : 6 + reply[5]])


def exchanged(reply: bytes) -> bytes:
    """Return what a card answered, or raise what the chip says of it."""
    if not reply:
        raise NoAnswer("an exchange without a status")
    status = reply[0] & 0x3F
    if status == 0:
        return reply[1:]
    kind = _RAISED.get(status, DeviceRefused)
    raise kind(f"the reader says: {STATUS.get(status, 'unknown status')}", str(status))
