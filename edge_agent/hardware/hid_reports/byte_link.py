"""A byte stream in HID reports: `number | how many bytes count | bytes | padding`, 64 bytes in all.

No public protocol for a 13.56 MHz encoder of the HID class was found, so this layer is our own: an encoder
whose firmware carries a PN532's or an ER302's bytes this way is driven by the same code as on a serial line.
"""

import asyncio
from typing import Final

from edge_agent.hardware.errors import LinkLost
from edge_agent.hardware.hid_reports.device import HidDevice

REPORT: Final = 64
PAYLOAD: Final = REPORT - 2
NUMBER: Final = 0
LOOK_SECONDS: Final = 0.25


def reports(data: bytes) -> list[bytes]:
    """Return the output reports that carry some bytes."""
    parts = [data[at : at + PAYLOAD] for at in range(0, len(data), PAYLOAD)]
    return [bytes([NUMBER, len(part)]) + part.ljust(PAYLOAD, b"\x00") for part in parts]


def carried(report: bytes) -> bytes:
    """Return the bytes that an input report carries; hidapi leaves out the number 0."""
    if not report or report[0] > PAYLOAD or len(report) < 1 + report[0]:
        raise LinkLost("the encoder's reports are not a byte stream: it is another model")
    return report[1 : 1 + report[0]]


class HidByteLink:
    """A HID encoder as a stream of bytes."""

    def __init__(self, device: HidDevice) -> None:
        self._device = device
        self._reading: asyncio.Future[bytes] | None = None

    async def send(self, data: bytes) -> None:
        """Hand bytes to the encoder."""
        for report in reports(data):
            await self._device.write(report)

    async def receive(self) -> bytes:
        """Wait for at least one byte."""
        while True:
            # Who stops waiting leaves the read going, so that its report is not lost.
            self._reading = self._reading or asyncio.ensure_future(self._device.read(REPORT, LOOK_SECONDS))
            reading = self._reading
            try:
                report = await asyncio.shield(reading)
            finally:
                self._reading = None if reading.done() else reading
            if report and (data := carried(report)):
                return data

    def discard(self) -> None:
        """Drop nothing: reports wait in the system, and the codec tells old frames by their ACK."""

    async def close(self) -> None:
        """Let go of the encoder."""
        if self._reading is not None:
            await asyncio.wait([self._reading])
            self._reading = None
        await self._device.close()
