"""An ER302 on a serial line: one answer for each question, the same card model behind it."""

from typing import Any

from infra.simulators.encoders.pn532 import AUTH, LIST, READ, WRITE
from infra.simulators.wires.device import Answer, Faults

OK, PARAMETER, NO_CARD, NO_AUTH, NO_READ, NO_WRITE = 0, 0x0C, 0x0D, 0x16, 0x17, 0x18
LETTERS = {0x60: "A", 0x61: "B"}


class Er302:
    """The encoder and the card on it. Faults: bad_xor, silent, twice, cut, gone."""

    def __init__(self, card: Any = None, faults: Faults | None = None) -> None:
        self.card = card
        self.faults = faults or Faults()
        self.commands: list[int] = []
        self._heard = b""

    def receive(self, data: bytes) -> list[Answer]:
        """Take bytes from the host."""
        self._heard += data
        answers: list[Answer] = []
        while (frame := self._cut()) is not None:
            answers += self._answer(frame)
        return answers

    def _cut(self) -> bytes | None:
        """Take one frame's node, command, data and xor; those that are damaged are passed over."""
        while (at := self._heard.find(b"\xaa\xbb")) >= 0:
            rest = self._heard[at + 2 :]
            later = rest.find(b"\xaa\xbb")
            mine = rest if later < 0 else rest[:later]
            size = int.from_bytes(mine[:2], "little")
            body = mine[2:].replace(b"\xaa\x00", b"\xaa")
            if len(body) < size or len(mine) < 2:
                if later < 0:
                    return None
                self._heard = rest[later:]
                continue
            self._heard = b"" if later < 0 else rest[later:]
            if _xor(body[:size]) == 0:
                return body[:size]
        return None

    def _answer(self, frame: bytes) -> list[Answer]:
        command = frame[3] << 8 | frame[2]
        self.commands.append(command)
        fault = self.faults.next()
        if fault == "gone":
            self.card.present = False
        status, data, seconds = self._do(command, frame[4:-1])
        whole = framed(frame[:4] + bytes([status]) + data)
        spoilt = {
            "silent": [],
            "bad_xor": [Answer(whole[:-1] + bytes([whole[-1] ^ 1]), seconds)],
            "twice": [Answer(whole, seconds), Answer(whole)],
            "cut": [Answer(whole[: len(whole) // 2], seconds)],
        }
        return spoilt.get(fault, [Answer(whole, seconds)])

    def _do(self, command: int, data: bytes) -> tuple[int, bytes, float]:
        if command == 0x0104:
            return OK, b"ER302 simulated", 0.0
        if command == 0x0106:
            return OK, b"", 0.0
        if self.card is None or not self.card.present:
            return NO_CARD, b"", LIST
        return self._with_card(command, data)

    def _with_card(self, command: int, data: bytes) -> tuple[int, bytes, float]:
        card = self.card
        if command == 0x0201:
            card.select()
            return OK, bytes([card.atqa[1], card.atqa[0]]), LIST
        if command in (0x0202, 0x0203):
            return OK, card.uid if command == 0x0202 else bytes([card.sak]), 0.0
        if command == 0x0207 and len(data) == 8:
            opened = card.authenticate(data[1], LETTERS.get(data[0], ""), data[2:], card.uid[-4:])
            return (OK if opened else NO_AUTH), b"", AUTH
        if command == 0x0208:
            content = card.read(data[0])
            return (NO_READ, b"", READ) if content is None else (OK, content, READ)
        if command == 0x0209:
            return (OK if card.write(data[0], data[1:]) else NO_WRITE), b"", WRITE
        return PARAMETER, b"", 0.0


def framed(body: bytes) -> bytes:
    """Return a frame around node, command, status and data."""
    size = len(body) + 1
    stuffed = b"".join(bytes([b, 0]) if b == 0xAA else bytes([b]) for b in body + bytes([_xor(body)]))
    return bytes([0xAA, 0xBB, size & 255, size >> 8]) + stuffed


def _xor(data: bytes) -> int:
    total = 0
    for byte in data:
        total ^= byte
    return total
