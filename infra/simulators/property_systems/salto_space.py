"""Salto Space's PMS interface: strict framing, named encoders, and cards that a new guest's card voids."""

from dataclasses import dataclass, field

from infra.simulators.wires.device import Answer, Faults

B3 = b"\xb3"


@dataclass
class SaltoCard:
    """A card on an encoder: its rooms and window as they were written, and whether it still counts."""

    rooms: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    copy: int = 0
    void: bool = False


@dataclass
class SaltoSpace:
    """The lock system. Faults: busy, nak, bad_lrc, lost_answer, closed, silent, or the code of an answer."""

    rooms: set[str] = field(default_factory=lambda: {"101", "102", "103"})
    encoders: dict[str, SaltoCard | None] = field(default_factory=lambda: {"desk": SaltoCard()})
    current: dict[str, SaltoCard] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    asked: list[str] = field(default_factory=list)
    controls: list[int] = field(default_factory=list)
    made: int = 0
    hang_up: bool = False
    _buffer: bytes = b""

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

    def _take(self, byte: int) -> list[Answer]:
        if not self._buffer and byte != 2:
            return self._control(byte)
        self._buffer += bytes([byte])
        if len(self._buffer) < 3 or self._buffer[-2] != 3:
            return []
        frame, self._buffer = self._buffer, b""
        total = 0
        for each in frame[1:-1]:
            total ^= each
        if frame[-1] not in (total, 0x0D):
            return [Answer(b"\x15")]
        return self._message([field.decode("latin-1") for field in frame[2:-3].split(B3)])

    def _control(self, byte: int) -> list[Answer]:
        self.controls.append(byte)
        if byte != 5:
            return []
        return [Answer(b"\x15" if self.faults.planned and self._struck("busy") else b"\x06")]

    def _struck(self, fault: str) -> bool:
        if self.faults.planned and self.faults.planned[0] == fault:
            self.faults.next()
            return True
        return False

    def _message(self, fields: list[str]) -> list[Answer]:
        if self._struck("nak"):
            return [Answer(b"\x15")]
        self.asked.append(fields[0])
        fault = self.faults.next()
        if fault == "silent":
            return [Answer(b"\x06")]
        answer = [fault] if len(fault) == 2 and fault.isupper() else self._do(fields)
        framed = _framed(answer)
        if fault in ("lost_answer", "closed"):
            self.hang_up = fault == "closed"
            return [Answer(b"\x06")]
        if fault == "bad_lrc":
            return [Answer(b"\x06"), Answer(framed[:-1] + bytes([framed[-1] ^ 0x55])), Answer(framed)]
        return [Answer(b"\x06"), Answer(framed)]

    def _do(self, fields: list[str]) -> list[str]:
        command = fields[0][:2]
        if command == "CO":
            return self._check_out(fields[2])
        if fields[1] not in self.encoders:
            return ["NC"]
        if self.encoders[fields[1]] is None:
            return ["EP"]
        if command == "LT":
            return self._read(fields[1])
        return self._make(command, fields) if command in ("CN", "CC") and len(fields) == 16 else ["ES"]

    def _make(self, command: str, fields: list[str]) -> list[str]:
        rooms = tuple(room for room in fields[3:7] if room)
        if not set(rooms) <= self.rooms:
            return ["TD"]
        if command == "CC" and rooms[0] not in self.current:
            return ["EA"]
        card = SaltoCard(rooms, fields[9], fields[10], copy=int(command == "CC"))
        self.encoders[fields[1]] = card
        self.made += 1
        if command == "CN":
            for room in rooms:
                self._void(room)
                self.current[room] = card
        return [fields[0], fields[1]]

    def _check_out(self, room: str) -> list[str]:
        if room not in self.rooms:
            return ["TD"]
        self._void(room)
        self.current.pop(room, None)
        return ["CO", room]

    def _void(self, room: str) -> None:
        if room in self.current:
            self.current[room].void = True

    def _read(self, encoder: str) -> list[str]:
        card = self.encoders[encoder]
        if card is None or not card.rooms:
            return ["LD"]
        if card.void:
            return ["LC"]
        padded = [*card.rooms, "", "", ""][:4]
        return ["LT", encoder, *padded, "CI", str(card.copy), card.start, card.end]


def _framed(fields: list[str]) -> bytes:
    data = B3 + B3.join(field.encode("latin-1") for field in fields) + B3
    total = 3
    for byte in data:
        total ^= byte
    return b"\x02" + data + b"\x03" + bytes([total])
