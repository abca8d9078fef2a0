"""Whose stays a key's window touches at a lock: it opens in nobody else's, not for a minute.

Vendors keep time in steps, so a window is rounded: down at the start, up at the end. Where it is not in whole
minutes, the steps of them all, the rounding is held against the stays before and after, as their keys stand.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.ids import CredentialId
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import ref_of, reservation_from
from shared.ports.lock import LockKey

STEP: Final = timedelta(minutes=1)
"""No vendor keeps time finer than this; codes that locks compute by the hour are judged by themselves."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What other guests hold at a lock for the same rooms."""

    grants: tuple[GrantRecord, ...]

    async def lived_in(self, window: StayWindow, ledger: Ledger) -> bool:
        """Say whether a guest's stay goes on when ours begins: no vendor may choose how early we come.

        Staff's keys and backup codes are at a lock for months, and nobody lives there by them.
        """
        for kept in self.grants:
            if kept.wanted and kept.since < window.start < kept.until and await _is_a_guests(kept, ledger):
                return True
        return False

    def shut_before(self, window: StayWindow) -> datetime | None:
        """Return when the previous guest's key opens no more, a step after their stay at most."""
        ends = (
            kept.until if kept.standing is None else min(kept.standing.valid_until, kept.until + STEP)
            for kept in self._before(window)
        )
        return max(ends, default=None)

    def shut_after(self, window: StayWindow) -> datetime | None:
        """Return when the next guest's key begins to open, a step before their stay at most."""
        starts = (
            kept.since if kept.standing is None else max(kept.standing.valid_from, kept.since - STEP)
            for kept in self._after(window)
        )
        return min(starts, default=None)

    def within(self, window: StayWindow) -> list[GrantRecord]:
        """Return the keys of stays before and after that open within this one, by more than a step."""
        return [
            kept
            for kept in (*self._before(window), *self._after(window))
            if kept.wanted and _overlap(kept.opens, (window.start, window.end))
        ]

    async def of_guests(self, window: StayWindow, ledger: Ledger) -> list[GrantRecord]:
        """Return the guests' keys that open at any time of a window."""
        near = [kept for kept in self.grants if kept.opens[0] < window.end and kept.opens[1] > window.start]
        return [kept for kept in near if await _is_a_guests(kept, ledger)]

    async def to_yield_beside(self, mine: GrantRecord, ledger: Ledger) -> list[GrantRecord]:
        """Return which of two keys has to make way, for each that opens at a time when ours does."""
        window = StayWindow(*mine.opens, zone="UTC")
        met = await self.of_guests(window, ledger)
        return [_yielding(mine, kept) for kept in met if kept.wanted and _met_by_leeway(mine, kept)]

    def _before(self, window: StayWindow) -> list[GrantRecord]:
        return [kept for kept in self.grants if kept.until <= window.start]

    def _after(self, window: StayWindow) -> list[GrantRecord]:
        return [kept for kept in self.grants if kept.wanted and kept.since >= window.end]


async def neighbours_of(mine: GrantRecord, task: AttemptContext) -> Neighbours | None:
    """Return what other guests hold at the lock for our rooms, or None where that is more than we see."""
    at_device, own = {"device_id": str(mine.grant.device_id)}, await _own_keys(task)
    found = await task.ledger.documents.query(AT_DEVICE, at_device, limit=MOST_GRANTS)
    if len(found) == MOST_GRANTS:
        return None
    others = (kept for kept in map(grant_from, found) if kept.grant.credential_id not in own)
    rooms = set(mine.grant.rooms)
    return Neighbours(tuple(kept for kept in others if rooms & {*kept.grant.rooms}))


def _met_by_leeway(one: GrantRecord, other: GrantRecord) -> bool:
    """Say whether two keys open at one time, by more than a step, whose stays do not."""
    together = one.since < other.until and other.since < one.until
    return not together and _overlap(one.opens, other.opens)


def _yielding(mine: GrantRecord, other: GrantRecord) -> GrantRecord:
    """Return the key that opens in the other's stay; of two that meet in nobody's, the same whoever asks."""
    if _overlap(mine.opens, (other.since, other.until)):
        return mine
    if _overlap(other.opens, (mine.since, mine.until)):
        return other
    return max(mine, other, key=lambda kept: kept.grant.id)


def _overlap(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    return one[0] < other[1] - STEP and one[1] > other[0] + STEP


async def _is_a_guests(kept: GrantRecord, ledger: Ledger) -> bool:
    entry = await ledger.entry(kept.grant.credential_id)
    return entry is None or isinstance(entry.credential.core.holder, Guest)


async def kept_apart(key: LockKey, mine: GrantRecord, task: AttemptContext) -> LockKey:
    """Return a key that no rounding lets open in a neighbour's stay; one in whole minutes is not rounded."""
    whole = not any(each.second or each.microsecond for each in (key.valid_from, key.valid_until))
    if whole:
        return key
    neighbours = await neighbours_of(mine, task)
    if neighbours is None:  # nobody can tell: the guest may lose a minute
        return replace(key, not_before=key.valid_from, not_after=key.valid_until)
    window = StayWindow(key.valid_from, key.valid_until, task.entry.credential.core.window.zone)
    before, after = neighbours.shut_before(window), neighbours.shut_after(window)
    return replace(key, not_before=before, not_after=after)


async def _own_keys(task: AttemptContext) -> set[CredentialId]:
    """Return the keys of this guest's stay: one may be kept beside this one."""
    core = task.entry.credential.core
    if not isinstance(core.holder, Guest):
        return {core.id}
    found = await task.ledger.documents.get(ref_of(core.holder.reservation_id))
    return {core.id, *(() if found is None else reservation_from(found).credentials)}
