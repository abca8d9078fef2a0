"""A lock system that takes FIAS records: a new guest's card ends those before it, a copy none."""

from dataclasses import dataclass, field

from infra.simulators.wires.device import Answer, Faults

DESCRIPTION = (
    b"LD|DA261119|TI080000|V#2.1|IFKE|",
    b"LR|RIKR|FLRNKCKTG#GAGDDTSIWSK#|",
    b"LR|RIKD|FLRNKCG#WS|",
    b"LR|RIKA|FLWSKCASG#|",
    b"LA|DA261119|TI080001|",
)


@dataclass
class RoomCard:
    """A card that was made: for which rooms and reservation, whether it joins, and whether it opens still."""

    rooms: tuple[str, ...]
    guest: str
    joins: bool
    ends: tuple[str, str]
    void: bool = False


@dataclass
class FiasLocks:
    """The key system's end of a line. On a serial line each frame has an LRC, and is acknowledged.

    Faults, one for each order: silent, late, lost_answer, lost_ack, nak, stranger, or an answer's status.
    What is answered late comes when the next order does, before its own answer.
    """

    serial: bool = False
    makes_keys: bool = True
    rooms: set[str] = field(default_factory=lambda: {"101", "102", "103"})
    cards: list[RoomCard] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    stations: list[str] = field(default_factory=list)
    """Whence each order came."""
    hang_up: bool = False
    _buffer: bytes = b""
    _last: bytes = b"\x06"
    _late: list[Answer] = field(default_factory=list)

    def greeting(self) -> list[Answer]:
        """Say nothing: the hotel's software begins."""
        self._buffer, self.hang_up = b"", False
        return []

    def receive(self, data: bytes) -> list[Answer]:
        """Take bytes from the hotel's software."""
        answers: list[Answer] = []
        for byte in data:
            answers += self._take(byte)
        return answers

    @property
    def good(self) -> list[RoomCard]:
        """The cards that open."""
        return [card for card in self.cards if not card.void]

    def _take(self, byte: int) -> list[Answer]:
        if not self._buffer and byte != 2:
            return [Answer(self._last)] if byte == 5 else []
        self._buffer += bytes([byte])
        end = self._buffer.find(b"\x03")
        if end < 0 or len(self._buffer) < end + 1 + self.serial:
            return []
        frame, self._buffer = self._buffer, b""
        if self.serial and frame[-1] != _check(frame[1:end]):
            return [Answer(b"\x15")]
        return self._heard(frame[1:end])

    def _heard(self, record: bytes) -> list[Answer]:
        kind, *fields = record.decode("latin-1").rstrip("|").split("|")
        fault = self.faults.next() if kind == "KR" else "ok"
        if fault == "nak":
            return [Answer(b"\x15")]
        self.heard.append(kind)
        taken = [Answer(b"\x06")] if self.serial and fault != "lost_ack" else []
        if kind == "LS":
            said = DESCRIPTION if self.makes_keys else (DESCRIPTION[0], DESCRIPTION[-1])
            return [*taken, *map(self._framed, said)]
        if kind != "KR":
            return taken
        return [*taken, *self._ordered({each[:2]: each[2:] for each in fields}, fault)]

    def _ordered(self, order: dict[str, str], fault: str) -> list[Answer]:
        self.stations.append(order["WS"])
        if fault == "silent":
            return []
        status = fault if len(fault) == 2 and fault.isupper() and fault != "ok" else self._made(order)
        if fault == "lost_answer":
            self.hang_up = True
            return []
        reservation = "0" if fault == "stranger" else order["G#"]
        answer = f"KA|WS{order['WS']}|KC{order['KC']}|AS{status}|G#{reservation}|".encode()
        said, self._late = [*self._late, self._framed(b"LA|DA261119|TI080002|"), self._framed(answer)], []
        if fault == "late":
            self._late, said = said[1:], []
        return said

    def _made(self, order: dict[str, str]) -> str:
        rooms = (order["RN"], *filter(None, order.get("SI", "").split(";")))
        if not set(rooms) <= self.rooms:
            return "UR"
        joins = order["KT"] == "D"
        for card in [] if joins else self.good:
            card.void = card.void or not set(rooms).isdisjoint(card.rooms)
        self.cards.append(RoomCard(rooms, order["G#"], joins, (order["GD"], order["DT"])))
        return "OK"

    def _framed(self, record: bytes) -> Answer:
        return Answer(b"\x02" + record + b"\x03" + (bytes([_check(record)]) if self.serial else b""))


def _check(record: bytes) -> int:
    total = 3
    for byte in record:
        total ^= byte
    return total
