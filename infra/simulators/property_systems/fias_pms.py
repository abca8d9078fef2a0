"""Hotel software with a FIAS interface: it begins the link, asks for keys and remembers the answers."""

from dataclasses import dataclass, field

from infra.simulators.wires.device import Answer

START = b"LS|DA261119|TI080000|"
ALIVE = b"LA|DA261119|TI080001|"


@dataclass
class FiasPms:
    """One end of a line. On a serial line each frame has an LRC, and is acknowledged."""

    serial: bool = False
    keeps_silent: bool = False
    naks: int = 0
    deaf: int = 0
    asks: list[bytes] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    controls: list[int] = field(default_factory=list)
    described: bool = False
    alive: bool = False
    _buffer: bytes = b""

    def greeting(self) -> list[Answer]:
        """Begin the link."""
        self._buffer, self.alive, self.described = b"", False, False
        return [] if self.keeps_silent else [self._framed(START)]

    def receive(self, data: bytes) -> list[Answer]:
        """Take bytes from the key system."""
        answers: list[Answer] = []
        for byte in data:
            answers += self._take(byte)
        return answers

    def ask(self, record: bytes) -> Answer:
        """Return a request's frame."""
        return self._framed(record)

    @property
    def answers(self) -> list[bytes]:
        """The KA records that came."""
        return [record for record in self.heard if record.startswith(b"KA|")]

    def _take(self, byte: int) -> list[Answer]:
        if not self._buffer and byte != 2:
            self.controls.append(byte)
            return []
        self._buffer += bytes([byte])
        end = self._buffer.find(b"\x03")
        if end < 0 or len(self._buffer) < end + 1 + self.serial:
            return []
        frame, self._buffer = self._buffer, b""
        return self._frame(frame[1:end], frame[end + 1 :])

    def _frame(self, record: bytes, check: bytes) -> list[Answer]:
        if self.deaf:
            self.deaf -= 1
            return []
        total = 3
        for byte in record:
            total ^= byte
        if self.serial and (self.naks or check != bytes([total])):
            self.naks = max(self.naks - 1, 0)
            return [Answer(b"\x15")]
        self.heard.append(record)
        return [Answer(b"\x06")] * self.serial + self._react(record)

    def _react(self, record: bytes) -> list[Answer]:
        kind = record[:2]
        if kind == b"LS":
            return [self._framed(START)]
        self.described = self.described or kind == b"LD"
        if kind == b"LA" and self.described and not self.alive:
            self.alive = True
            return [self._framed(ALIVE), *[self._framed(ask) for ask in self.asks]]
        return []

    def _framed(self, record: bytes) -> Answer:
        total = 3
        for byte in record:
            total ^= byte
        return Answer(b"\x02" + record + b"\x03" + (bytes([total]) if self.serial else b""))
