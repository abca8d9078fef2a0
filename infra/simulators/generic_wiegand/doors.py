"""Doors that hear of nothing: each decides by what stands on the card, its own clock, and who came before."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Card:
    """What stands on a card; cards of one stay bear the same guest's number."""

    doors: tuple[str, ...]
    rooms: tuple[str, ...]
    starts: datetime
    ends: datetime
    guest: int
    overrides: bool


@dataclass
class OfflineDoor:
    """One lock: a card of a later guest ends those before it, if it was written to."""

    name: str
    skew: timedelta = timedelta()
    last_guest: int = 0
    handed_out: int = 0
    """The highest guest's number that the desk has written for this door, which does not know it itself."""

    def opens(self, card: Card, now: datetime) -> bool:
        """Say whether a card opens, and remember whose it was."""
        there = now + self.skew
        if (
            self.name not in card.doors
            or card.guest < self.last_guest
            or not card.starts <= there < card.ends
        ):
            return False
        if card.overrides and self.name in card.rooms:
            self.last_guest = max(self.last_guest, card.guest)
        return True
