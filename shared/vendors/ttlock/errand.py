"""One key at one lock: what may be said about it to the vendor, and in an order that is safe to repeat."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.lock import LockKey
from shared.vendor_kit.http import ConnectionBroken, TimedOut
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, Operation, Unreadable, VendorRefused
from shared.vendor_kit.turns import Turn
from shared.vendors.ttlock import api
from shared.vendors.ttlock.api import NUMBER, Addition, Ask, Row
from shared.vendors.ttlock.errors import (
    GONE,
    NOT_CHANGEABLE,
    REFUSALS,
    SAME_PASSCODE,
    UNREACHED,
    WINDOW_TAKEN,
)
from shared.vendors.ttlock.estate import lock_detail
from shared.vendors.ttlock.platform import OpenPlatform
from shared.vendors.ttlock.shelves import Shelf
from shared.vendors.ttlock.windows import HOUR, Bounds, in_hours, in_minutes, in_some_hours, may_be_computed

T = TypeVar("T")
FAILING: Final[tuple[type[Exception], ...]] = (VendorRefused, *SILENCE)
MOST_SHIFTED: Final = 4 * HOUR
"""So much later than asked may a computed code end: rounded up, and hours on where its window was spent."""
UNHEARD: Final = (TimedOut, ConnectionBroken, Unreadable)
"""After these, what was asked may have been done."""


@dataclass(frozen=True, slots=True)
class Errand:
    """One key at one lock; what goes through a gateway needs a turn at it."""

    platform: OpenPlatform
    clock: Clock
    lock: str
    shelf: Shelf
    key: LockKey
    turn: Turn | None = None

    async def ask(self, ask: Ask[T], urgency: Urgency) -> T:
        """Ask the platform, while the turn lasts."""
        return await self.platform.ask(ask, urgency, self.turn)

    async def standing(self, urgency: Urgency = Urgency.ISSUE) -> Row | None:
        """Return the key as it stands at the lock, beside others of its name, or None."""
        return self._ours(await self._namesakes(urgency))

    async def placed(self, secret: Secret[str]) -> Row:
        """Return the key, found or added, within its window and not at rest."""
        known = await self._known(secret) or self.key.intent_predates
        row = await self._found(secret) if known else None
        return await self._added(secret) if row is None else row

    async def removed(self) -> None:
        """Delete the key by its number, should somebody have renamed it, and whatever has its name."""
        refused = await self._refused_by_number()
        # A yes proves nothing: the vendor also says it of numbers that it does not know.
        rows = await self._namesakes(Urgency.REVOKE)
        for row in rows:
            await self._deleted(row.ref)
        if rows and await self._namesakes(Urgency.REVOKE):
            raise Unreadable("what was deleted is still listed")
        if refused is not None and not rows:
            raise refused

    async def rested(self) -> None:
        """Freeze the key if it is there."""
        row = await self.standing(Urgency.REVOKE)
        if row is not None and not row.frozen:
            await self.ask(api.freeze_ekey(row.ref), Urgency.REVOKE)

    async def _known(self, secret: Secret[str]) -> bool:
        """Say whether the lock has this very card or account as our key already; refuse another's."""
        if self.shelf.names_of is None:
            return False
        pages = partial(self.shelf.names_of, self.lock, secret)
        names = set(await self.platform.whole(pages, Urgency.ISSUE, self.turn))
        if names - {self.key.name}:
            why = self.shelf.taken
            raise REFUSALS.failed(why.cause, Operation.ISSUE, self.key.device_id, permanent=why.permanent)
        return bool(names)

    async def _refused_by_number(self) -> VendorRefused | None:
        """Delete the key by its number, if it has one; return a refusal that is about the number."""
        ref = self.key.vendor_ref
        if ref is None or not self.shelf.lasting or not NUMBER.fullmatch(ref.reveal()):
            return None
        try:
            await self._deleted(ref)
        except VendorRefused as refused:
            if REFUSALS.meaning(refused.code).error is not None:
                raise
            return refused
        return None

    async def _namesakes(self, urgency: Urgency) -> list[Row]:
        listing = partial(self.shelf.listing, self.lock, self.key.name)
        return await self.platform.whole(listing, urgency, self.turn)

    def _ours(self, rows: Sequence[Row], told: Secret[str] | None = None) -> Row | None:
        """Of the keys of our name, return the guest's: a call that nobody heard of made the others."""

        def kinship(row: Row) -> tuple[bool, bool, bool]:
            told_of = row.ref in (told, self.key.vendor_ref)
            return told_of, row.secret == self.key.secret, not self._early(row)

        ours = max(rows, key=kinship, default=None)
        return ours and replace(ours, rivals=tuple(row for row in rows if row is not ours))

    def _early(self, row: Row) -> bool:
        """Say whether a key would open during the previous guest's stay."""
        return self.key.not_before is not None and row.bounds.start < self.key.not_before

    async def _added(self, secret: Secret[str]) -> Row:
        try:
            return await self._add(secret, self.key.idempotency_key)
        except (*UNHEARD, VendorRefused) as error:
            row = await self._instead(error, secret)
            if row is None:
                raise
            return row

    async def _instead(self, error: Exception, secret: Secret[str]) -> Row | None:
        if not isinstance(error, VendorRefused):
            return await self._after_silence(error, self._found(secret))
        if error.code in UNREACHED:
            return await self._computed()
        # It may be ours, of an earlier call.
        return await self._found(secret) if error.code == SAME_PASSCODE else None

    async def _after_silence(self, silence: Exception, look: Awaitable[Row | None]) -> Row | None:
        """Look whether the call had its effect; failing now does not mean that it had none."""
        try:
            return await look
        except FAILING:
            raise silence from None

    async def _found(self, secret: Secret[str]) -> Row | None:
        row = await self.standing()
        if row is None:
            return None
        if self._strange(row, secret):
            for each in (row, *row.rivals):
                await self._deleted(each.ref)
            return None
        settled = await self._settled(row, secret)
        return replace(settled, rivals=await self._left(settled.rivals))

    def _strange(self, row: Row, secret: Secret[str]) -> bool:
        """Say whether a guest of several locks, who has one PIN, could not open with this one."""
        return self.shelf.computing is not None and not self.key.any_secret and row.secret != secret

    async def _left(self, rivals: Sequence[Row]) -> tuple[Row, ...]:
        """Delete what should not be there, and return what cannot be deleted now: the key itself stands."""
        left: list[Row] = []
        for row in rivals:
            try:
                await self._deleted(row.ref)
            except FAILING:
                left.append(row)
        return tuple(left)

    async def _computed(self) -> Row | None:
        """Have a code computed, if one is to be had that opens in nobody else's stay."""
        now, computing = self.clock.now(), self.shelf.computing
        if computing is None or not self.key.any_secret or not may_be_computed(self.key, now):
            return None
        offset = (await self.ask(lock_detail(self.lock), Urgency.ISSUE)).offset
        bounds = in_hours(self.key, now, offset)
        if bounds.empty(now):
            return None
        code_of = partial(computing, self.lock, self.key.name)
        row = await self._compute(code_of(bounds))
        if self._early(row):
            longer = HOUR if row.bounds.end < self.key.valid_until else timedelta(0)
            row = await self._computed_later(code_of, Bounds(bounds.start + HOUR, bounds.end + longer))
        return replace(row, computed=True, hasty=self.key.intent_predates)

    async def _computed_later(self, code_of: Callable[[Bounds], Ask[Row]], bounds: Bounds) -> Row:
        """Compute once more: the vendor's hours are others. Whatever fails, the first code may open."""
        with suppress(*FAILING):
            row = None if bounds.empty(self.clock.now()) else await self._compute(code_of(bounds))
            if row is not None and not self._early(row):
                return row
        raise Unreadable("a code was computed that opens in the previous guest's stay")

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

    async def _noted(self) -> list[Row]:
        """Return what is noted of our name, now that a code is computed: whatever fails, it may open."""
        try:
            return await self._namesakes(Urgency.ISSUE)
        except UNHEARD:
            raise
        except FAILING:
            raise Unreadable("a code was computed, and nobody could tell which") from None

    async def _settled(self, row: Row, secret: Secret[str]) -> Row:
        rounded = row.computed and in_some_hours(row.bounds, self.key, self.clock.now())
        if row.bounds != in_minutes(self.key) and not rounded:
            row = await self._moved(row, secret)
        if row.frozen:
            await self.ask(api.unfreeze_ekey(row.ref), Urgency.ISSUE)
        return row

    async def _moved(self, row: Row, secret: Secret[str]) -> Row:
        try:
            moved = await self._changed(row)
        except VendorRefused as refused:
            unmoved = await self._unmoved(row) if refused.code in UNREACHED else None
            if unmoved is None:
                raise
            return unmoved
        return moved or replace(await self._add(secret), rivals=row.rivals)

    async def _changed(self, row: Row) -> Row | None:
        """Move the key's window; None if it cannot be moved and was deleted."""
        bounds = in_minutes(self.key)
        try:
            await self.ask(self.shelf.changing(self.lock, row.ref, bounds), Urgency.ISSUE)
        except VendorRefused as refused:
            if refused.code not in (*NOT_CHANGEABLE, *GONE):
                raise
            await self._deleted(row.ref)
            return None
        return replace(row, bounds=bounds)

    async def _unmoved(self, row: Row) -> Row | None:
        """Return the code that serves while the gateway is away: this one, if it nearly fits, or another."""
        if not row.computed:
            return None
        if self._early(row):
            return await self._computed()
        return row if -HOUR < row.bounds.end - self.key.valid_until <= MOST_SHIFTED else None

    async def _add(self, secret: Secret[str], nonce: str | None = None) -> Row:
        new = Addition(self.lock, self.key.name, secret, in_minutes(self.key), nonce)
        return Row(await self.ask(self.shelf.adding(new), Urgency.ISSUE), new.bounds, secret)

    async def _deleted(self, ref: Secret[str]) -> None:
        try:
            await self.ask(self.shelf.deleting(self.lock, ref), Urgency.REVOKE)
        except VendorRefused as refused:
            if refused.code not in GONE:
                raise
