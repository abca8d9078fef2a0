"""One key at one lock: what may be said about it to the vendor, and in an order that is safe to repeat.

    place   look if an earlier call may have placed it; else add; after silence or "there already", look again
    found   a key of our name is settled into its window; others of its name go, or are reported as rivals
    seen    what was moved, woken or put to rest is believed only of a list that has it so, and once
    remove  delete by number, then by name, and believe only a list without it

A yes proves nothing: something on the way may have said it, and the lock was never asked.

Vendors whose locks know codes without being told, computed ones, override the hooks at the end.
"""

from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.lock import LockKey
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import Addition, Ask, KindEndpoints, Row
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.http import ConnectionBroken, TimedOut
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, Operation, Refusals, Unreadable, VendorRefused
from shared.vendor_kit.turns import Turn

T = TypeVar("T")
FAILING: Final[tuple[type[Exception], ...]] = (VendorRefused, *SILENCE)
UNHEARD: Final = (TimedOut, ConnectionBroken, Unreadable)
"""After these, what was asked may have been done."""


@dataclass(frozen=True, slots=True)
class KeySync:
    """One key at one lock; what needs a turn at a relay has one."""

    api: VendorApi
    clock: Clock
    refusals: Refusals
    lock: str
    kind: KindEndpoints
    key: LockKey
    turn: Turn | None = None

    async def ask(self, ask: Ask[T], urgency: Urgency) -> T:
        """Ask the vendor, while the turn lasts."""
        return await self.api.ask(ask, urgency, self.turn)

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
        """Freeze whatever has the key's name, and believe only a list where all of it is frozen."""
        awake, resting = await self._awake(), self.kind.resting
        if not awake or resting is None:
            return
        for row in awake:
            await self.ask(resting(row.ref), Urgency.REVOKE)
        if await self._awake():
            raise Unreadable("what was put to rest is listed as awake")

    async def _awake(self) -> list[Row]:
        return [row for row in await self._namesakes(Urgency.REVOKE) if not row.frozen]

    async def _known(self, secret: Secret[str]) -> bool:
        """Say whether the lock has this very card or account as our key already; refuse another's."""
        if self.kind.names_of is None:
            return False
        pages = partial(self.kind.names_of, self.lock, secret)
        names = set(await self.api.whole(pages, Urgency.ISSUE, self.turn))
        if names - {self.key.name}:
            why = self.kind.taken
            raise self.refusals.failed(
                why.cause, Operation.ISSUE, self.key.device_id, permanent=why.permanent
            )
        return bool(names)

    async def _refused_by_number(self) -> VendorRefused | None:
        """Delete the key by its number, if it has one; return a refusal that is about the number."""
        ref = self.key.vendor_ref
        if ref is None or not self.kind.lasting or not self.kind.refs.fullmatch(ref.reveal()):
            return None
        try:
            await self._deleted(ref)
        except VendorRefused as refused:
            if self.refusals.meaning(refused.code).error is not None:
                raise
            return refused
        return None

    async def _namesakes(self, urgency: Urgency) -> list[Row]:
        listing = partial(self.kind.listing, self.lock, self.key.name)
        return await self.api.whole(listing, urgency, self.turn)

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
        if self._means(error, LockCause.GATEWAY_OFFLINE):
            return await self._without_relay()
        # It may be ours, of an earlier call.
        return await self._found(secret) if self._means(error, LockCause.PIN_TAKEN) else None

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
            if await self._noted():
                raise Unreadable("what was deleted is still listed")
            return None
        settled = await self._settled(row, secret)
        for each in settled.rivals:
            # What cannot be deleted now is reported: the key itself stands.
            with suppress(*FAILING):
                await self._deleted(each.ref)
        return row if settled is row and not row.rivals else await self._seen(settled, row)

    def _strange(self, row: Row, secret: Secret[str]) -> bool:
        """Say whether a guest of several locks, who has one PIN, could not open with this one."""
        return self.kind.computing is not None and not self.key.any_secret and row.secret != secret

    async def _seen(self, settled: Row, before: Row) -> Row:
        """Return the key beside the rivals that are left, once the list has it as it is said to be."""
        try:
            rows = await self._noted()
        except FAILING:
            if settled is before:
                return settled
            raise
        rivals = [each.ref for each in settled.rivals]
        ours = [row for row in rows if row.ref not in rivals]
        if [*map(_stands_so, ours)] != [_stands_so(settled)]:
            raise Unreadable("what was changed is not listed so, or not alone")
        return replace(settled, rivals=tuple(row for row in rows if row.ref in rivals))

    async def _noted(self) -> list[Row]:
        """Return what is listed of our name, now that something was done: whatever fails, it may open."""
        try:
            return await self._namesakes(Urgency.ISSUE)
        except UNHEARD:
            raise
        except FAILING:
            raise Unreadable("something was done, and nobody could tell what is listed now") from None

    async def _settled(self, row: Row, secret: Secret[str]) -> Row:
        if not self._fits(row):
            row = await self._moved(row, secret)
        if row.frozen and self.kind.waking is not None:
            await self.ask(self.kind.waking(row.ref), Urgency.ISSUE)
            row = replace(row, frozen=False)
        return row

    async def _moved(self, row: Row, secret: Secret[str]) -> Row:
        try:
            moved = await self._changed(row)
        except VendorRefused as refused:
            unmoved = await self._unmoved(row) if self._means(refused, LockCause.GATEWAY_OFFLINE) else None
            if unmoved is None:
                raise
            return unmoved
        return moved or replace(await self._added_anew(secret), rivals=row.rivals)

    async def _added_anew(self, secret: Secret[str]) -> Row:
        """Add what was deleted for it: whatever fails now, the lock may have no key, and that is told."""
        try:
            return await self._add(secret)
        except UNHEARD:
            raise
        except FAILING as error:
            if isinstance(error, VendorRefused) and self._means(error, LockCause.PIN_TAKEN):
                raise
            raise Unreadable("it was deleted to be added anew, and was not added") from None

    async def _changed(self, row: Row) -> Row | None:
        """Move the key's window; None if it cannot be moved and was deleted."""
        bounds = self.kind.grid(self.key)
        try:
            await self.ask(self.kind.changing(self.lock, row.ref, bounds), Urgency.ISSUE)
        except VendorRefused as refused:
            if not self._means(refused, LockCause.NOT_CHANGEABLE, LockCause.NO_SUCH_KEY):
                raise
            await self._deleted(row.ref)
            return None
        return replace(row, bounds=bounds)

    async def _add(self, secret: Secret[str], nonce: str | None = None) -> Row:
        new = Addition(self.lock, self.key.name, secret, self.kind.grid(self.key), nonce)
        return Row(await self.ask(self.kind.adding(new), Urgency.ISSUE), new.bounds, secret)

    async def _deleted(self, ref: Secret[str]) -> None:
        try:
            await self.ask(self.kind.deleting(self.lock, ref), Urgency.REVOKE)
        except VendorRefused as refused:
            if not self._means(refused, LockCause.NO_SUCH_KEY):
                raise

    def _means(self, refused: VendorRefused, *causes: LockCause) -> bool:
        """Say whether a refusal's code has one of these meanings."""
        return self.refusals.meaning(refused.code).cause in causes

    def _fits(self, row: Row) -> bool:
        """Say whether a key's window may stay as it is."""
        return row.bounds == self.kind.grid(self.key)

    async def _without_relay(self) -> Row | None:
        """Return a key that a lock out of reach knows without being told; most vendors have none."""
        return None

    async def _unmoved(self, row: Row) -> Row | None:  # noqa: ARG002 - what overrides it looks at the row
        """Return a key that serves though a lock out of reach cannot be told of its new window, if any."""
        return None


def _stands_so(row: Row) -> tuple[Secret[str], Bounds, bool]:
    """Return what a list tells of how a key stands."""
    return row.ref, row.bounds, row.frozen
