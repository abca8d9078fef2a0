"""HID encoders as hidapi hands them out: a byte-stream encoder, and the 125 kHz reader-writer ffff:0035."""

import queue
from dataclasses import dataclass, field

from infra.simulators.wires.device import Device, expect

GONE = -1


@dataclass
class StreamHandle:
    """A device behind 64-byte reports that say how many of their bytes count."""

    device: Device
    piece: int = 62
    plugged: bool = True
    closed: bool = False
    _waiting: "queue.Queue[bytes]" = field(default_factory=queue.Queue)

    def write(self, report: bytes) -> int:
        """Take an output report; an unplugged device says -1 and raises nothing."""
        if not self.plugged:
            return GONE
        expect(len(report) == 64 and report[0] == 0, "an output report 0 of 64 bytes")
        for answer in self.device.receive(report[2 : 2 + report[1]]):
            for at in range(0, len(answer.data), self.piece):
                part = answer.data[at : at + self.piece]
                self._waiting.put(bytes([len(part)]) + part.ljust(63, b"\0"))
        return len(report)

    def read(self, size: int, milliseconds: int) -> list[int]:
        """Give out an input report, without its number 0; an unplugged device raises."""
        if not self.plugged or self.closed:
            raise OSError("read error")
        try:
            return list(self._waiting.get(timeout=milliseconds / 1000))[:size]
        except queue.Empty:
            return []

    def close(self) -> None:
        """Close the handle."""
        self.closed = True


@dataclass
class ProximityHandle:
    """The 125 kHz reader-writer, with a tag on it or none."""

    tag: bytes | None = None
    chip: int = 2
    plugged: bool = True
    silent: bool = False
    beeps: int = 0
    _reply: bytes = b""

    def send_feature_report(self, report: bytes) -> int:
        """Take a feature report."""
        if not self.plugged:
            return GONE
        expect(len(report) == 256 and report[0] == 1, "a feature report 1 of 256 bytes")
        length = report[10]
        payload = report[11 : 11 + length]
        check = length
        for byte in payload:
            check ^= byte
        if report[8] == 0xAA and report[11 + length : 13 + length] == bytes([check, 0xBB]):
            self._do(payload, report[6])
        return len(report)

    def get_feature_report(self, number: int, size: int) -> list[int]:
        """Give out the answer."""
        if not self.plugged:
            raise OSError("read error")
        expect(number == 2, "feature report 2 holds the answer")
        return list(self._reply[:size])

    def close(self) -> None:
        """Close the handle."""

    def _do(self, payload: bytes, kind: int) -> None:
        if payload[0] == 0x89:
            self.beeps += 1
            self.silent = False
        if payload[0] == 0x21 and kind == 0x1F and self.tag is not None and payload[4] == self.chip:
            self.tag = payload[5:10]
            self.silent = self.chip == 0
        if payload[0] == 0x25:
            self._reply = self._answer()

    def _answer(self) -> bytes:
        if self.tag is None or self.silent:
            return bytes([3]) + bytes(255)
        body = bytes([6, 0]) + self.tag
        check = 0
        for byte in body:
            check ^= byte
        return bytes([3, 0, 0, 0, 0, 0, 0, 0, 2, 0]) + body + bytes([check, 3])
