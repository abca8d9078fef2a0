"""What is true at a door, whatever the cloud believes: the lock's memory, clock, battery and log."""

from dataclasses import dataclass, field

from infra.simulators.ttlock.random_codes import RandomCode
from infra.simulators.ttlock.rows import EKey, Record
from infra.simulators.ttlock.window import Window

CODE_SPACE, CARD_SPACE, LOG_SPACE = 250, 1000, 500
RELOCKS_AFTER_MS = 5000


@dataclass(slots=True)
class Written:
    """One code or card in the lock's memory."""

    window: Window
    used: bool = False


@dataclass(slots=True)
class Door:
    """One lock on its door."""

    lock_id: int
    battery: int
    skew_ms: int
    in_reach: bool
    frozen: bool = False
    open_until: int = 0
    codes: dict[str, Written] = field(default_factory=dict, repr=False)
    cards: dict[str, Written] = field(default_factory=dict, repr=False)
    algorithmic: dict[str, RandomCode] = field(default_factory=dict, repr=False)
    phones: dict[int, EKey] = field(default_factory=dict, repr=False)
    log: list[Record] = field(default_factory=list, repr=False)

    def lock_ms(self, now_ms: int) -> int:
        """Return what the lock's own clock shows."""
        return now_ms + self.skew_ms

    def forget_code(self, code: str) -> None:
        """Remove a code for good, an algorithmic one too."""
        self.codes.pop(code, None)
        if code in self.algorithmic:
            self.algorithmic[code].deleted = True

    def has_used(self, code: str) -> bool:
        """Tell whether this code has ever opened the door."""
        written, algorithmic = self.codes.get(code), self.algorithmic.get(code)
        return bool((written and written.used) or (algorithmic and algorithmic.used))

    def erase_codes(self) -> None:
        """Do what the delete-all code does: drop custom codes, and algorithmic ones that were ever used."""
        self.codes.clear()
        for code in self.algorithmic.values():
            code.deleted = code.deleted or code.used

    def note(self, record: Record) -> None:
        """Keep a record; the oldest goes when the log is full."""
        self.log.append(record)
        del self.log[:-LOG_SPACE]
