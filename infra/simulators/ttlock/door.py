"""What is true at a TTLock door beside codes and cards: computed codes, phones, the lock's log."""

from dataclasses import dataclass, field
from typing import Any

from infra.simulators.kit.door import Door as KitDoor
from infra.simulators.ttlock.computed_codes import RandomCode
from infra.simulators.ttlock.rows import EKey, Record

CODE_SPACE, CARD_SPACE, LOG_SPACE = 250, 1000, 500
RELOCKS_AFTER_MS = 5000


@dataclass(slots=True, kw_only=True)
class Door(KitDoor):
    """One lock on its door."""

    lock_id: int
    open_until: int = 0
    algorithmic: dict[str, RandomCode] = field(default_factory=dict, repr=False)
    phones: dict[int, EKey] = field(default_factory=dict, repr=False)
    log: list[Record] = field(default_factory=list, repr=False)

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

    def computed_shown(self, now_ms: int) -> list[dict[str, Any]]:
        """Return the algorithmic codes that the lock knows, as the control plane shows them."""
        return [code.shown(self.lock_ms(now_ms)) for code in self.algorithmic.values()]
