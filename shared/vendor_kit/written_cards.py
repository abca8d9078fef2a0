"""Cards that desks of a property wrote: noted at each door that they open, until their time is long over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.documents import Create, Document, Ref

CARDS: Final = "desk_cards"
SCHEMA_VERSION: Final = 1
KEPT_AFTER: Final = timedelta(days=60)
NUMBERS: Final = 2**48
"""A card has room for so many."""


@dataclass(frozen=True, slots=True)
class WrittenCard:
    """A card that was written for a door, as one job: whoever carries it opens that door until its end."""

    job: str
    name: str
    ends: datetime
    ordered_at: datetime
    number: int = 0

    def to_document(self) -> dict[str, Any]:
        """Return what is kept."""
        instants = {name: instant_to_text(getattr(self, name)) for name in ("ends", "ordered_at")}
        told = {"schema_version": SCHEMA_VERSION, "job": self.job, "name": self.name, "number": self.number}
        return {**told, **instants}

    @classmethod
    def from_document(cls, found: Document) -> Self:
        """Read what was kept."""
        ends, ordered_at = (instant_from_text(found.data[name], name) for name in ("ends", "ordered_at"))
        return cls(found.data["job"], found.data["name"], ends, ordered_at, found.data.get("number", 0))


def notes(card: WrittenCard, doors: Sequence[str], place: str) -> Iterator[Create]:
    """Return what notes a card at doors of a place."""
    for number, door in enumerate(doors):
        told = {**card.to_document(), "made_at": f"{place}-{door}"}
        told |= {"desk": place, "below": NUMBERS - card.number}
        yield Create(Ref(CARDS, f"{card.job}-{number}"), told, card.ends + KEPT_AFTER)
