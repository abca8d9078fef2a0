"""One key at one lock: what may be said about it to the vendor, and in an order that is safe to repeat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.lock import LockKey
from shared.vendor_kit.http import ConnectionBroken, TimedOut
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, Unreadable, VendorRefused
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
from shared.vendors.ttlock.windows import HOUR, in_hours, in_minutes, may_be_computed

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
        row = await self._found(secret) if self.key.intent_predates else None
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

    async def _refused_by_number(self) -> VendorRefused | None:
        """Delete the key by its number, if it has one; return a refusal that is about the number."""
        ref = self.key.vendor_ref
        if ref is None or not NUMBER.fullmatch(ref.reveal()):
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

        def kinship(row: Row) -> tuple[bool, bool]:
            return row.ref in (told, self.key.vendor_ref), row.secret == self.key.secret

        ours = max(rows, key=kinship, default=None)
        return ours and replace(ours, rivals=tuple(row for row in rows if row is not ours))

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
            return await self._after_silence(error, secret)
        if error.code in UNREACHED:
            return await self._computed(secret)
        # It may be ours, of an earlier call.
        return await self._found(secret) if error.code == SAME_PASSCODE else None

    async def _after_silence(self, silence: Exception, secret: Secret[str]) -> Row | None:
        """Look whether the call had its effect; failing now does not mean that it had none."""
        try:
            return await self._found(secret)
        except FAILING:
            raise silence from None

    async def _found(self, secret: Secret[str]) -> Row | None:
        row = await self.standing()
        if row is None:
            return None
        settled = await self._settled(row, secret)
        return replace(settled, rivals=await self._left(row.rivals))

    async def _left(self, rivals: Sequence[Row]) -> tuple[Row, ...]:
        """Delete what should not be there, and return what cannot be deleted now: the key itself stands."""
        left: list[Row] = []
        for row in rivals:
            try:
                await self._deleted(row.ref)
            except FAILING:
                left.append(row)
        return tuple(left)

    async def _computed(self, secret: Secret[str]) -> Row | None:
        now, free = self.clock.now(), self.key.any_secret
        if self.shelf.computing is None or not free or not may_be_computed(self.key, now):
            return None
        offset = (await self.ask(lock_detail(self.lock), Urgency.ISSUE)).offset
        try:
            bounds = in_hours(self.key, now, offset)
            told = await self.ask(self.shelf.computing(self.lock, self.key.name, bounds), Urgency.ISSUE)
        except UNHEARD as silence:
            row = await self._after_silence(silence, secret)
            if row is None:
                raise
            return row
        # What the vendor noted down is what the lock will go by. A window makes one code: where ours is not
        # noted, we were given somebody else's, who must not open with it, nor take it along.
        row = self._ours(await self._noted(), told.ref)
        if row is None:
            raise VendorRefused(WINDOW_TAKEN)
        return replace(row, computed=True, hasty=self.key.intent_predates)

    async def _noted(self) -> list[Row]:
        """Return what is noted of our name, now that a code is computed: whatever fails, it may open."""
        try:
            return await self._namesakes(Urgency.ISSUE)
        except UNHEARD:
            raise
        except FAILING:
            raise Unreadable("a code was computed, and nobody could tell which") from None

    async def _settled(self, row: Row, secret: Secret[str]) -> Row:
        wanted = in_minutes(self.key)
        near = row.computed and -HOUR < row.bounds.end - wanted.end <= MOST_SHIFTED
        if row.bounds != wanted and not near:
            row = await self._moved(row, secret)
        if row.frozen:
            await self.ask(api.unfreeze_ekey(row.ref), Urgency.ISSUE)
        return row

    async def _moved(self, row: Row, secret: Secret[str]) -> Row:
        bounds = in_minutes(self.key)
        try:
            await self.ask(self.shelf.changing(self.lock, row.ref, bounds), Urgency.ISSUE)
        except VendorRefused as refused:
            if refused.code not in (*NOT_CHANGEABLE, *GONE):
                raise
            await self._deleted(row.ref)
            return await self._add(secret)
        return replace(row, bounds=bounds)

    async def _add(self, secret: Secret[str], nonce: str | None = None) -> Row:
        new = Addition(self.lock, self.key.name, secret, in_minutes(self.key), nonce)
        return Row(await self.ask(self.shelf.adding(new), Urgency.ISSUE), new.bounds, secret)

    async def _deleted(self, ref: Secret[str]) -> None:
        try:
            await self.ask(self.shelf.deleting(self.lock, ref), Urgency.REVOKE)
        except VendorRefused as refused:
            if refused.code not in GONE:
                raise
