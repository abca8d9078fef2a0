"""A lock vendor whose PINs a desk can put and take by radio, where the vendor's own way to a lock is out."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Self

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import VendorUnreachable
from shared.ports.lock import InHand, KeyAtLock, LockKey, Removing
from shared.vendor_kit.by_radio import AWAY, ByRadio
from shared.vendor_kit.desk_jobs import OPEN, DeskJob, JobState
from shared.vendor_kit.lock_in_turn import said
from shared.vendor_kit.lock_vendor import SyncedLockVendor
from shared.vendor_kit.radio_jobs import RadioJobs, in_hand
from shared.vendor_kit.refusals import Operation

RUNS: Final = OPEN | {JobState.PROCESSED}


class RadioLockVendor(SyncedLockVendor):
    """One property's locks, told through gateways, or by whichever of its desks is near."""

    _radio: ByRadio

    def with_radio(self, jobs: RadioJobs) -> Self:
        """Return it with the radio of the property's desks."""
        self._radio = ByRadio(jobs, self._sync, self._refusals)
        return self

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the key opens, by a desk's radio where no gateway reaches the lock."""
        if key.kind is not KeyCredentialKind.PIN_CODE:
            return await super().place(key)
        known = await self._radio.known(key) if key.intent_predates else None
        if known is not None and known.state in RUNS:
            return await self._ended(known, key) or in_hand(known)
        try:
            return await super().place(await self._adopted(key, Operation.ISSUE))
        except VendorUnreachable as error:
            # Where the vendor may choose the secret, a desk was asked for already.
            waits = None if _near(error) or key.any_secret else await self._radio.put(key)
            if waits is None:
                raise
        return waits

    async def remove(self, key: LockKey) -> InHand | None:
        """See to it that no key of this name is at the lock, by a desk's radio where no gateway is."""
        if key.kind is not KeyCredentialKind.PIN_CODE:
            return await super().remove(key)
        waits = await self._radio.withdrawn(key) if key.vendor_ref is None else None
        if waits is not None:
            return await self._gone(key, waits)
        try:
            return await super().remove(await self._adopted(key, Operation.REVOKE))
        except VendorUnreachable as error:
            waits = None if _near(error) else await self._taken(key)
            if waits is None:
                raise
        return await self._gone(key, waits)

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Say what became of what a desk was to do by radio."""
        known = await self._radio.radio.find(job)
        if known is None:
            return await super().status(job, keys)
        return [await said(partial(self._ended, known), key) for key in keys]

    async def _ended(self, job: DeskJob, key: LockKey) -> KeyAtLock | InHand | None:
        with self._refusals.spoken(Operation.REVOKE if job.overrides else Operation.ISSUE, key.device_id):
            return await self._radio.end_of(job, key, self._noted)

    async def _noted(self, key: LockKey) -> KeyAtLock:
        sync, row = await self._radio.noted(key, self._locks.secret_of(key, self._bounds(key)))
        return self._at_lock(sync, row)

    async def _adopted(self, key: LockKey, doing: Operation) -> LockKey:
        with self._refusals.spoken(doing, key.device_id):
            return await self._radio.adopted(key)

    async def _taken(self, key: LockKey) -> InHand | None:
        with self._refusals.spoken(Operation.REVOKE, key.device_id):
            return await self._radio.taken(key)

    async def _gone(self, key: LockKey, waits: InHand) -> InHand | None:
        """Say that a key is gone, once its job is done and the vendor's list knows; until then it waits."""
        job = await self._radio.radio.find(waits.job)
        if job is None or job.state is not JobState.PROCESSED:
            return waits
        await self._ended(job, key)
        return None


def _near(error: VendorUnreachable) -> bool:
    """Say whether a lock is within its gateway's reach, whatever else is wrong."""
    return error.cause.kind not in AWAY
