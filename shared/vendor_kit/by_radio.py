"""Locks by a desk's radio, while no gateway of their vendor reaches them (A §5.1): a PIN is put, or taken.

What a desk did the vendor's cloud hears afterwards: a PIN that stands at the lock is noted in its list, and
one that is gone is taken off it. A key whose reference is its own PIN was put there by a desk that was alone.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from shared.domain.secret import Secret
from shared.ports.lock import InHand, KeyAtLock, LockKey
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.asks import Row
from shared.vendor_kit.desk_jobs import OPEN, DeskJob, JobError, JobState
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.radio_jobs import FAILED, PLACE, TAKE, RadioJobs, in_hand
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Operation, Refusals

PIN: Final = "pin:"
"""How the reference of a key begins that a desk put there by itself."""
MINUTE: Final = timedelta(minutes=1)
AWAY: Final = frozenset({LockCause.GATEWAY_OFFLINE, LockCause.NO_GATEWAY})
SyncOf = Callable[[LockKey, Operation], KeySync]


@dataclass(frozen=True, slots=True)
class ByRadio:
    """One property's locks, by the radio of whichever of its desks is near."""

    radio: RadioJobs
    sync_of: SyncOf
    refusals: Refusals

    async def known(self, key: LockKey) -> DeskJob | None:
        """Return the job that puts a key at its lock within this very window, if one does or did."""
        job = await self.radio.of(PLACE, key)
        same = job is not None and (job.starts, job.ends) == (key.valid_from, key.valid_until)
        return job if same else None

    async def put(self, key: LockKey) -> InHand | None:
        """Have a key put there; None where no desk will."""
        pins = [] if key.secret is None else [key.secret]
        return _waits(await self.radio.ordered(PLACE, key, self._lock(key), pins))

    async def taken(self, key: LockKey) -> InHand | None:
        """Have a key taken away; None where no desk will."""
        if not await self.radio.desks.heard():
            return None
        rows = await self._listed(key)
        pins = [row.secret for row in rows if row.secret is not None]
        return _waits(await self.radio.ordered(TAKE, key, self._lock(key), pins))

    async def withdrawn(self, key: LockKey) -> InHand | None:
        """See to what a desk may have put there and nobody noted: None where there is no such thing."""
        job = await self.radio.of(PLACE, key)
        if job is None or job.state in FAILED:
            return None
        called_off = await self.radio.jobs.call_off(job.id)
        if called_off is None or called_off.state is JobState.CANCELLED:
            return None
        if called_off.state is not JobState.PROCESSED:
            raise self.refusals.unreachable(LockCause.LOCK_BUSY, key.device_id)
        taking = await self.radio.of(TAKE, key)
        if taking is None or taking.state in FAILED:
            taking = await self.radio.again(TAKE, key, self._lock(key), job.sealed)
        if taking is None:  # the vendor's list never had it, and would say that it is gone
            raise self.refusals.unreachable(LockCause.GATEWAY_OFFLINE, key.device_id)
        return in_hand(taking)

    async def noted(self, key: LockKey, secret: Secret[str]) -> tuple[KeySync, Row]:
        """Note a key that stands at its lock in the vendor's list, and return it as it is listed."""
        sync = _listing_only(self.sync_of(replace(key, intent_predates=True), Operation.ISSUE))
        return sync, await sync.placed(secret)

    async def forgotten(self, key: LockKey) -> None:
        """Take a key that is gone from its lock off the vendor's list."""
        await _listing_only(self.sync_of(key, Operation.REVOKE)).removed()

    async def adopted(self, key: LockKey) -> LockKey:
        """Return a key of a desk that was alone as one that the vendor's list has by its name, too.

        It is noted a minute shorter than it is to be: what is asked of it next is asked of the lock as well.
        """
        told = "" if key.vendor_ref is None else key.vendor_ref.reveal()
        if not told.startswith(PIN):
            return key
        shorter = replace(key, valid_until=max(key.valid_until - MINUTE, key.valid_from + MINUTE))
        secret = Secret(told.removeprefix(PIN))
        _, row = await self.noted(replace(shorter, vendor_ref=None, secret=secret), secret)
        return replace(key, vendor_ref=row.ref, intent_predates=True)

    async def end_of(
        self, job: DeskJob, key: LockKey, placed: Callable[[LockKey], Awaitable[KeyAtLock]]
    ) -> KeyAtLock | InHand | None:
        """Say what became of a job at its lock."""
        if job.state in OPEN:
            return in_hand(job)
        if job.state is not JobState.PROCESSED:
            doing = Operation.REVOKE if job.overrides else Operation.ISSUE
            if job.error is JobError.PIN_TAKEN:
                raise self.refusals.failed(LockCause.PIN_TAKEN, doing, key.device_id)
            raise self.refusals.unreachable(LockCause.GATEWAY_OFFLINE, key.device_id)
        if job.overrides:
            await self.forgotten(key)
            return None
        return await placed(key)

    async def _listed(self, key: LockKey) -> list[Row]:
        sync = self.sync_of(key, Operation.REVOKE)
        pages = partial(sync.kind.listing, sync.lock, key.name)
        return await sync.api.whole(pages, Urgency.REVOKE)

    def _lock(self, key: LockKey) -> str:
        return self.sync_of(key, Operation.LOOK).lock


def _listing_only(sync: KeySync) -> KeySync:
    """Return what tells the vendor's list alone: the lock itself heard of it by radio."""
    kind = sync.kind
    noting, forgetting = kind.noting or kind.adding, kind.forgetting or kind.deleting
    return replace(sync, kind=replace(kind, adding=noting, deleting=forgetting, computing=None))


def _waits(job: DeskJob | None) -> InHand | None:
    return None if job is None else in_hand(job)
