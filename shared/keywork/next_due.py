"""When a key is next to be looked at though nobody asks: at its stay's end, or for one that failed before."""

from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import Staff
from shared.domain.states import Active, Suspended
from shared.keywork.revival import looked_at
from shared.ledger.key_record import KeyRecord

OVER_AFTER: Final = timedelta(hours=12)
"""Locks end a guest's key by themselves, and guests linger: there is no hurry to free its place there."""


def unreported_checkout_at(entry: KeyRecord) -> datetime | None:
    """Return when a living key is to be taken off its locks though nobody told that its time is over."""
    state = entry.credential.state
    if not isinstance(state, Active | Suspended):
        return None
    core = entry.credential.core
    window = (
        core.window if entry.amends is None else entry.amends.window
    )  # whatever its locks have heard of that
    if isinstance(core.holder, Staff):
        # No staff key outlives its shift, however its lock rounds; a standing one its master key ends.
        return None if core.holder.standing else window.end
    if entry.amends is not None:
        return window.end + OVER_AFTER
    return max(window.end, state.key.effective.end) + OVER_AFTER


def next_due(entry: KeyRecord, *others: datetime | None) -> datetime | None:
    """Return the first of all that is owed to a key, now or later; None if nothing ever is."""
    moments = (unreported_checkout_at(entry), looked_at(entry), *others)
    return min((each for each in moments if each is not None), default=None)
