"""A front desk with one encoder and a pile of cards: it writes what it is told, and may fail in its ways."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from infra.simulators.generic_wiegand.doors import Card, OfflineDoor

NO_CARD, FAULTY, UNPLUGGED, UNKNOWN_ROOM = "no_card", "card_faulty", "encoder_offline", "room_unknown"


@dataclass
class SimulatedDesk:
    """The encoder and what lies there. Faults, each for one card: no_card, card_faulty, encoder_offline."""

    doors: dict[str, OfflineDoor]
    faults: list[str] = field(default_factory=list)
    written: dict[str, Card] = field(default_factory=dict)
    """Cards by the job that each was written for; a job that comes again finds its card written."""
    _number: int = 0

    def write(self, job: Mapping[str, Any]) -> str | None:
        """Write a card, once for a job; return why not, if it was not written."""
        if job["id"] in self.written:
            return None
        if self.faults:
            return self.faults.pop(0)
        if not {*job["doors"]} <= self.doors.keys():
            return UNKNOWN_ROOM
        self._number += 1
        doors, rooms = tuple(job["doors"]), tuple(job["rooms"])
        joined = max((self.doors[room].handed_out for room in rooms), default=0)
        guest = self._number if job["overrides"] or not joined else joined
        for room in rooms:
            self.doors[room].handed_out = max(self.doors[room].handed_out, guest)
        card = Card(doors, rooms, job["starts"], job["ends"], guest, overrides=job["overrides"])
        self.written[job["id"]] = card
        return None

    def tried(self, job: str, door: str, now: datetime) -> bool:
        """Hold the card of a job to a door, and say whether it opens."""
        card = self.written.get(job)
        return card is not None and self.doors[door].opens(card, now)
