"""TTLock's way out when no gateway reaches a lock: a code that the lock computes by itself."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from shared.ports.lock import LockKey
from shared.vendor_kit.asks import Ask, Row
from shared.vendor_kit.grids import HOUR, Bounds, on_grid, on_some_grid
from shared.vendor_kit.key_sync import FAILING, UNHEARD, KeySync
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendors.ttlock.errors import WINDOW_TAKEN
from shared.vendors.ttlock.inventory import lock_detail

USE_WITHIN: Final = timedelta(hours=24)
"""A computed passcode that was not used by then is dead."""
LONGEST: Final = timedelta(days=365)
"""Longer than this no passcode is computed."""
MOST_SHIFTED: Final = 4 * HOUR
"""So much later than asked may a computed code end: rounded up, and hours on where its window was spent."""


@dataclass(frozen=True, slots=True)
class ComputedKeySync(KeySync):
    """One key at one lock, which may be a computed one while the gateway is away."""

    async def _without_relay(self) -> Row | None:
        """Have a code computed, if one is to be had that opens in nobody else's stay."""
        now, computing = self.clock.now(), self.kind.computing
        if computing is None or not self.key.any_secret or not may_be_computed(self.key, now):
            return None
        offset = (await self.ask(lock_detail(self.lock), Urgency.ISSUE)).offset
        bounds = in_hours(self.key, now, offset).ending_by(self.key.not_after, HOUR)
        if bounds.empty(now):
            return None
        code_of = partial(computing, self.lock, self.key.name)
        row = await self._compute(code_of(bounds))
        if self._early(row):
            longer = HOUR if row.bounds.end < self.key.valid_until else timedelta(0)
            row = await self._computed_anew(code_of, Bounds(bounds.start + HOUR, bounds.end + longer))
        elif self._late(row):
            row = await self._computed_anew(code_of, Bounds(bounds.start, bounds.end - HOUR))
        return replace(row, computed=True, hasty=self.key.intent_predates)

    def _late(self, row: Row) -> bool:
        """Say whether a key would open during the next guest's stay."""
        return self.key.not_after is not None and row.bounds.end > self.key.not_after

    async def _computed_anew(self, code_of: Callable[[Bounds], Ask[Row]], bounds: Bounds) -> Row:
        """Compute once more: the vendor's hours are others. Whatever fails, the first code may open."""
        with suppress(*FAILING):
            row = None if bounds.empty(self.clock.now()) else await self._compute(code_of(bounds))
            if row is not None and not self._early(row) and not self._late(row):
                return row
        raise Unreadable("a code was computed that opens in another guest's stay")

    async def _compute(self, code: Ask[Row]) -> Row:
        """Return the code of a window as the vendor noted it down: that is what the lock will go by."""
        try:
            told = await self.ask(code, Urgency.ISSUE)
        except UNHEARD as silence:
            row = await self._after_silence(silence, self.standing())
            if row is None:
                raise
            return row
        # A window makes one code: where ours is not noted, we were given somebody else's, who must not open
        # with it, nor take it along.
        row = self._ours(await self._noted(), told.ref)
        if row is None:
            raise VendorRefused(WINDOW_TAKEN)
        return row

    def _fits(self, row: Row) -> bool:
        """Say whether a key's window may stay as it is: a computed one has other hours."""
        rounded = row.computed and on_some_grid(row.bounds, self.key, self.clock.now(), HOUR)
        return rounded or row.bounds == self.kind.grid(self.key)

    async def _unmoved(self, row: Row) -> Row | None:
        """Return the code that serves while the gateway is away: this one, if it nearly fits, or another."""
        if not row.computed:
            return None
        if self._early(row) or self._late(row):
            return await self._without_relay()
        return row if -HOUR < row.bounds.end - self.key.valid_until <= MOST_SHIFTED else None


def in_hours(key: LockKey, now: datetime, offset: timedelta) -> Bounds:
    """Return the window of a computed key: whole hours on the lock's clock, and not long begun."""
    return on_grid(key, HOUR, begins=max(key.valid_from, now), offset=offset)


def may_be_computed(key: LockKey, now: datetime) -> bool:
    """Say whether a guest comes soon enough, and leaves soon enough, for a computed passcode."""
    return key.valid_from <= now + USE_WITHIN and key.valid_until - now <= LONGEST
