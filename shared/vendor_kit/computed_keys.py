"""A way out when nothing reaches a lock: a code that the lock computes by itself, as its vendor tells it.

It opens in whole hours, and nobody can end it sooner: not when its guest leaves, nor when the room is booked
for the hour after. So it is rounded into its guest's stay, never beyond it (decision 0139).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from shared.ports.lock import LockKey
from shared.vendor_kit.asks import Ask, Computing, Row
from shared.vendor_kit.grids import EPOCH, HOUR, Bounds, on_grid
from shared.vendor_kit.key_sync import FAILING, UNHEARD, KeySync
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Unreadable, VendorRefused

MOST_SHORTENED: Final = 4 * HOUR
"""By less than this a computed code may end too early: rounded down, and sooner if its window was spent."""
NO_TIME: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class ComputedKeySync(KeySync):
    """One key at one lock, which may be a computed one while the gateway is away."""

    async def _without_relay(self) -> Row | None:
        """Have a code computed that opens within its guest's own stay: nothing can end it sooner."""
        now, computing = self.clock.now(), self.kind.computing
        if computing is None or not self.key.any_secret or not may_be_computed(self.key, now, computing):
            return None
        bounds = in_hours(self.key, now, await self.ask(computing.ahead(self.lock), Urgency.ISSUE))
        if bounds.empty(now):
            return None
        code_of = partial(computing.code, self.lock, self.key.name)
        row = await self._compute(code_of(bounds))
        if row is None:
            raise VendorRefused(computing.spent)
        if self._early(row) or self._late(row):
            row = await self._computed_anew(code_of, self._moved_into_stay(bounds, row))
        return replace(row, computed=True, hasty=self.key.intent_predates)

    def _early(self, row: Row) -> bool:
        """Say whether a key would open before its guest's stay; what is past by now lets nobody in."""
        return row.bounds.start < _shut_until(self.key, self.clock.now())

    def _late(self, row: Row) -> bool:
        """Say whether a key would open after its guest's stay, perhaps during the next guest's."""
        return row.bounds.end > _shut_from(self.key)

    def _moved_into_stay(self, asked: Bounds, noted: Row) -> Bounds:
        """Return by whole hours other bounds to ask for, by what the vendor made of those that were asked."""
        start = asked.start + HOUR if self._early(noted) else asked.start
        if self._late(noted):
            return Bounds(start, asked.end - HOUR)
        longer = HOUR if noted.bounds.end + HOUR <= _shut_from(self.key) else NO_TIME
        return Bounds(start, asked.end + longer)

    async def _computed_anew(self, code_of: Callable[[Bounds], Ask[Row]], bounds: Bounds) -> Row:
        """Compute once more: the vendor's hours are others. Whatever fails, the first code may open."""
        with suppress(*FAILING):
            row = None if bounds.empty(self.clock.now()) else await self._compute(code_of(bounds))
            if row is not None and not self._early(row) and not self._late(row):
                return row
        raise Unreadable("a code was computed that opens outside its guest's stay")

    async def _compute(self, code: Ask[Row]) -> Row | None:
        """Return the code of a window as the vendor noted it down: that is what the lock will go by.

        A window makes one code: where ours is not noted, we were given somebody else's, who must not open
        with it, nor take it along.
        """
        try:
            told = await self.ask(code, Urgency.ISSUE)
        except UNHEARD as silence:
            row = await self._after_silence(silence, self.standing())
            if row is None:
                raise
            return row
        return self._ours(await self._noted(), told.ref)

    def _fits(self, row: Row) -> bool:
        """Say whether a key's window may stay as it is: a computed one, if it opens for all that is left."""
        wanted, now = self.kind.grid(self.key), self.clock.now()
        serves = row.bounds.start <= max(wanted.start, now) and row.bounds.end == wanted.end
        return row.bounds == wanted or (row.computed and serves and not self._early(row))

    async def _unmoved(self, row: Row) -> Row | None:
        """Return the code that serves while the gateway is away: this one, if it nearly fits, or another."""
        if not row.computed:
            return None
        if self._early(row) or self._late(row):
            return await self._without_relay()
        in_time = row.bounds.start < max(self.key.valid_from, self.clock.now()) + HOUR
        # Where its window was spent, a code is hours shorter; one of a stay that was prolonged is not enough.
        most = MOST_SHORTENED if self.key.any_secret else HOUR
        return row if in_time and self.key.valid_until - row.bounds.end < most else None


def in_hours(key: LockKey, now: datetime, offset: timedelta) -> Bounds:
    """Return the window of a computed key: whole hours on the lock's clock, within the rest of its stay."""
    begins = replace(key, not_before=_shut_until(key, now))
    bounds = on_grid(begins, HOUR, begins=max(key.valid_from, now), offset=offset)
    return bounds.ending_by(_shut_from(key), HOUR)


def _shut_until(key: LockKey, now: datetime) -> datetime:
    """Return before when a computed key is to open nothing: a stay that may yet be booked ends there."""
    earliest = max(key.valid_from, key.not_before or key.valid_from)
    return earliest if earliest > now else EPOCH


def _shut_from(key: LockKey) -> datetime:
    """Return from when on a computed key is to open nothing: a stay that may yet be booked begins there."""
    return min(key.valid_until, key.not_after or key.valid_until)


def may_be_computed(key: LockKey, now: datetime, computing: Computing) -> bool:
    """Say whether a guest comes soon enough, and leaves soon enough, for a computed code."""
    return key.valid_from <= now + computing.use_within and key.valid_until - now <= computing.longest
