"""A PN532 on a serial line: it sleeps until woken, acknowledges, and does what a card allows."""

from collections.abc import Callable
from typing import Any

from infra.simulators.wires.device import Answer, Faults

ACK, NACK = bytes([0, 0, 255, 0, 255, 0]), bytes([0, 0, 255, 255, 0, 0])
SYNTAX = bytes([0, 0, 255, 1, 255, 0x7F, 0x81, 0])
LIST, AUTH, READ, WRITE, PAGE = 0.0025, 0.002, 0.0025, 0.0055, 0.0041
"""Seconds of radio for each of a card's operations, as NXP gives them for a typical transaction."""
TIMEOUT, BAD_FORMAT, BAD_AUTH, WRONG_CONTEXT = 0x01, 0x13, 0x14, 0x27


class Pn532:
    """The chip and the card on it. Faults: nack, bad_dcs, dropped_ack, silent, stale, twice, rf, gone."""

    def __init__(self, card: Any = None, faults: Faults | None = None) -> None:
        self.card = card
        self.faults = faults or Faults()
        self.awake = self.configured = self.gives_up = False
        self.knows_retries = True
        self.refuses_keys = False
        self.commands: list[bytes] = []
        self._heard = b""
        self._last: list[Answer] = []
        self._listed = False

    def receive(self, data: bytes) -> list[Answer]:
        """Take bytes from the host."""
        self._heard += data
        answers: list[Answer] = []
        while (body := self._cut()) is not None:
            answers += self._hear(body)
        return answers

    def reply(self, command: bytes) -> bytes | None:
        """Return what the chip says to a command that comes without a frame."""
        said, _ = self._do(command)
        return None if said is None else bytes([0xD5, command[0] + 1]) + said

    def _cut(self) -> bytes | None:
        if not self.awake:
            if b"\x55\x55" not in self._heard:
                self._heard = self._heard[-1:]
                return None
            self.awake = True
        head = self._heard.find(b"\x00\xff")
        if head < 0 or len(self._heard) < head + 4:
            return None
        whole = _frame_at(self._heard[head + 2 :])
        if whole is None:
            return None
        size, body = whole
        self._heard = self._heard[head + 2 + size :]
        return body

    def _hear(self, body: bytes) -> list[Answer]:
        if body == b"ack":
            return []
        if body == b"nack":
            return self._last
        if body == b"bad":
            return []
        self.commands.append(body[1:])
        return self._struck(body[1:])

    def _struck(self, command: bytes) -> list[Answer]:
        fault = self.faults.next()
        if fault == "gone" and self.card is not None:
            self.card.present = False
        if fault in ("silent", "nack"):
            return [Answer(NACK)] if fault == "nack" else []
        reply, seconds = self._do(command)
        if fault == "rf" and command[:1] == b"\x40" and self.card is not None:
            # A word between reader and card was lost: the card answers nothing more until it is found again.
            reply, self.card.open_sector, self.card.halted = bytes([0x02]), None, True
        if reply is None:
            return [Answer(ACK), Answer(SYNTAX)]
        if command[0] == 0x4A and reply == b"\x00" and not self.gives_up:
            # From the factory the chip looks for a card for ever.
            return [Answer(ACK)]
        answer = Answer(_framed(bytes([command[0] + 1]) + reply), seconds)
        self._last = [answer]
        return _spoilt(fault, answer)

    def _do(self, command: bytes) -> tuple[bytes | None, float]:
        work: dict[int, Callable[[bytes], tuple[bytes | None, float]]] = {
            0x02: lambda _: (bytes([0x32, 1, 6, 7]), 0.0),
            0x14: self._configure,
            0x32: self._retries,
            0x4A: self._list,
            0x40: self._exchange,
        }
        known = work.get(command[0]) if command else None
        return known(command[1:]) if known else (None, 0.0)

    def _configure(self, _: bytes) -> tuple[bytes, float]:
        self.configured = True
        return b"", 0.0

    def _retries(self, command: bytes) -> tuple[bytes | None, float]:
        if not self.knows_retries:
            return None, 0.0
        self.gives_up = command[:1] == b"\x05" and command[3] != 0xFF
        return b"", 0.0

    def _list(self, _: bytes) -> tuple[bytes, float]:
        self._listed = self.configured and self.card is not None and self.card.select()
        if not self._listed:
            return b"\x00", LIST
        card = self.card
        return bytes([1, 1]) + card.atqa + bytes([card.sak, len(card.uid)]) + card.uid, LIST

    def _exchange(self, command: bytes) -> tuple[bytes, float]:
        if not self._listed or len(command) < 3 or command[0] != 1:
            return bytes([WRONG_CONTEXT]), 0.0
        if not self.card.present:
            return bytes([TIMEOUT]), READ
        verb, where, rest = command[1], command[2], command[3:]
        if verb in (0x60, 0x61):
            return bytes([self._authenticate(verb, where, rest)]), AUTH
        if verb == 0x30:
            data = self.card.read(where)
            return (b"\x00" + data, READ) if data is not None else (bytes([BAD_FORMAT]), READ)
        return self._write(verb, where, rest)

    def _authenticate(self, verb: int, block: int, rest: bytes) -> int:
        letter = "A" if verb == 0x60 else "B"
        key = bytes(6) if self.refuses_keys else rest[:6]
        return 0 if self.card.authenticate(block, letter, key, rest[6:]) else BAD_AUTH

    def _write(self, verb: int, where: int, data: bytes) -> tuple[bytes, float]:
        writer = {0xA0: getattr(self.card, "write", None), 0xA2: getattr(self.card, "write_page", None)}
        write = writer.get(verb)
        done = write is not None and write(where, data)
        failed = BAD_FORMAT if self.card.present else TIMEOUT
        return bytes([0 if done else failed]), PAGE if verb == 0xA2 else WRITE


def _spoilt(fault: str, answer: Answer) -> list[Answer]:
    damaged = answer.data[:-2] + bytes([answer.data[-2] ^ 0x10, 0])
    return {
        "bad_dcs": [Answer(ACK), Answer(damaged, answer.after)],
        "dropped_ack": [answer],
        "stale": [Answer(ACK), Answer(_framed(b"\x03\x32\x01\x06\x07")), answer],
        "twice": [Answer(ACK), answer, Answer(answer.data)],
        "lost_reply": [Answer(ACK)],
    }.get(fault, [Answer(ACK), answer])


def _frame_at(data: bytes) -> tuple[int, bytes] | None:
    """Return how many bytes a frame takes after its start, and its body, `ack`, `nack` or `bad`."""
    if data[:2] == b"\x00\xff":
        return 2, b"ack"
    if data[:2] == b"\xff\x00":
        return 2, b"nack"
    head, size = 2, data[0]
    if data[:2] == b"\xff\xff":
        if len(data) < 5:
            return None
        head, size = 5, data[2] * 256 + data[3]
    elif sum(data[:2]) % 256:
        return 0, b"bad"
    if len(data) < head + size + 1:
        return None
    body = data[head : head + size]
    good = sum(data[head : head + size + 1]) % 256 == 0 and body[:1] == b"\xd4"
    return head + size + 1, body if good else b"bad"


def _framed(reply: bytes) -> bytes:
    body = b"\xd5" + reply
    return bytes([0, 0, 255, len(body), 256 - len(body)]) + body + bytes([-sum(body) % 256, 0])
