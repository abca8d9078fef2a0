"""When a key that nobody took back has outlived its stay."""

from datetime import datetime, timedelta
from typing import Final

from shared.domain.states import Active, Suspended
from shared.ledger.key_record import KeyRecord

OVER_AFTER: Final = timedelta(hours=12)
"""Locks end a key by themselves, and guests linger: there is no hurry to free its place at the lock."""


def over_at(entry: KeyRecord) -> datetime | None:
    """Return when a living key is to be taken off its locks though nobody told that its stay is over."""
    state = entry.credential.state
    if not isinstance(state, Active | Suspended):
        return None
    return max(entry.credential.core.window.end, state.key.effective.end) + OVER_AFTER
