"""The 125 kHz reader-writer of USB id ffff:0035: EM4305 and T5577 tags, by feature reports of 256 bytes.

    request, report 1   [0] 01   [6] 08, or 1F for a write   [8] AA   [10] length   [11] payload   xor   BB
    answer, report 2    [8] 02   [10] length   [11] status   [12] customer   [13] number, 4 bytes   xor   03

The xor covers the length and what it counts.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from operator import xor
from typing import Final

from edge_agent.hardware.errors import CardFaulty, DeviceRefused, NoAnswer
from edge_agent.hardware.hid_reports.device import HidDevice

USB_ID: Final = (0xFFFF, 0x0035)
SIZE: Final = 256
REQUEST, ANSWER = 1, 2
READ_TAG, WRITE_TAG, BEEP = 0x25, 0x21, 0x89
PLAIN, WRITING = 0x08, 0x1F
AT_LENGTH, AT_PAYLOAD, TAG_LENGTH = 10, 11, 6
WRITE_PAYLOAD: Final = 26


class TagChip(IntEnum):
    """The chips that can be written."""

    T5577 = 0
    EM4305 = 2


@dataclass(frozen=True, slots=True)
class ProximityTag:
    """What a tag says: a customer code and a number."""

    customer: int
    number: int

    @property
    def facility_and_card(self) -> tuple[int, int] | None:
        """The number as H10301 reads it: facility and card; None where it does not fit 24 bits."""
        return None if self.number >> 24 else (self.number >> 16, self.number & 0xFFFF)


def request(payload: bytes) -> bytes:
    """Return the feature report that carries a command."""
    kind = WRITING if payload[0] == WRITE_TAG else PLAIN
    counted = bytes([len(payload)]) + payload
    head = bytes([REQUEST, 0, 0, 0, 0, 0, kind, 0, 0xAA, 0])
    return (head + counted + bytes([reduce(xor, counted), 0xBB])).ljust(SIZE, b"\x00")


def answer(report: bytes) -> ProximityTag | None:
    """Read a feature report; None is an empty field."""
    if len(report) <= AT_LENGTH or len(report) < AT_PAYLOAD + report[AT_LENGTH] + 1:
        return None
    length = report[AT_LENGTH]
    counted = report[AT_LENGTH : AT_PAYLOAD + length]
    if length < TAG_LENGTH:
        return None
    if reduce(xor, counted) != report[AT_PAYLOAD + length]:
        raise NoAnswer("the reader's answer is damaged")
    if counted[1]:
        raise DeviceRefused("the reader reports an error", str(counted[1]))
    return ProximityTag(counted[2], int.from_bytes(counted[3:7], "big"))


def write_payload(tag: ProximityTag, chip: TagChip) -> bytes:
    """Return the command that writes a tag."""
    content = bytes([tag.customer]) + tag.number.to_bytes(4, "big") + b"\x80"
    return (bytes([WRITE_TAG, 0, 1, 1, chip]) + content).ljust(WRITE_PAYLOAD, b"\x00")


class ProximityEncoder:
    """Reads and writes 125 kHz tags."""

    def __init__(self, device: HidDevice) -> None:
        self._device = device

    async def read(self) -> ProximityTag | None:
        """Return the tag that lies there."""
        await self._device.send_feature(request(bytes([READ_TAG, 0, 0])))
        return answer(await self._device.get_feature(ANSWER, SIZE))

    async def write(self, tag: ProximityTag, chip: TagChip) -> None:
        """Write the tag that lies there, and prove it."""
        await self._device.send_feature(request(write_payload(tag, chip)))
        await self._device.get_feature(ANSWER, SIZE)
        # A T5577 is silent after a write until the field was off, which this signal does.
        await self._device.send_feature(request(bytes([BEEP, 5 if chip is TagChip.T5577 else 4, 1])))
        if await self.read() != tag:
            raise CardFaulty("the tag does not hold what was written to it")

    async def beep(self) -> None:
        """Sound the beeper."""
        await self._device.send_feature(request(bytes([BEEP, 1, 1])))

    async def close(self) -> None:
        """Let go of the reader."""
        await self._device.close()
