"""The questions that are asked of what vendors share: said apart from what answers them."""

from typing import Final

from shared.ports.documents import Index

DUE_BREAKERS: Final = Index("breakers", (), "due_at", swept=True)
"""Breakers with changes that nobody is known to have published."""
OPEN_AT_DESK: Final = Index("desk_jobs", ("open_at",), "ordered_at")
"""What a property's desk is to do, the oldest first."""
MADE_AT_DOOR: Final = Index("desk_cards", ("made_at",), "ends")
"""The cards that were written for a door, by their ends."""
NEWEST_AT_DESK: Final = Index("desk_cards", ("desk",), "below")
"""The cards that a property's desks wrote, the highest number first."""
