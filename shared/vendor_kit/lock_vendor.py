"""A lock vendor whose keys are synced over its endpoints: what is the same at every such vendor.

A vendor's adapter gives the table of its kinds and its refusals, lists devices and looks at one; where locks
are reached through relays, it overrides `_turn`.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import (
    REVOKE_PENDING_AT_LOCK,
    SECOND_CODE,
    WINDOW_NOT_ENFORCED,
    KeyCredentialKind,
    KeyWarning,
    VendorCode,
    merge_warnings,
)
from shared.domain.lock_errors import LockError
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.listed_keys import KeyList, ListedKey
from shared.ports.lock import AdapterDescription, InHand, KeyAtLock, LockKey
from shared.ports.lock_causes import LockCause
from shared.ports.secret_sources import SecretSource
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import KindEndpoints, Row
from shared.vendor_kit.binding import Binding
from shared.vendor_kit.calm.urgency import Hurry, hurrying
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.key_inventory import as_lock_key, keys_at, remove_by_number
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.lock_in_turn import LocksInTurn
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import WAITS, Operation, Refusals

UNREVOCABLE: Final = "computed while the gateway was out of reach: taken back at the lock once it is in reach"
PERHAPS_ANOTHER: Final = (
    "a call nobody heard of may yet make another code: nobody is told it, and it goes with the key"
)


@dataclass(frozen=True, slots=True)
class PropertyLocks:
    """One property's locks of one vendor, and what a key for one of them must be to be placed at all."""

    binding: Binding
    refusals: Refusals
    clock: Clock
    offered: Callable[[], LockCapabilities]
    sources: Mapping[KeyCredentialKind, SecretSource] = field(default_factory=dict)
    capacity: Mapping[KeyCredentialKind, int] = field(default_factory=dict)

    def device(self, device_id: LockDeviceId) -> LockDevice:
        """Return a lock of the property, or refuse."""
        device = self.binding.device(device_id)
        if device is None:
            raise self.refusals.not_paired(device_id)
        return device

    def secret_of(self, key: LockKey, bounds: Bounds) -> Secret[str]:
        """Refuse what would make no key within these bounds, and return the secret."""
        self.check(key, bounds)
        if key.secret is None:
            raise self.impossible(LockCause.SECRET_MISSING, key)
        return key.secret

    def check(self, key: LockKey, bounds: Bounds) -> None:
        """Refuse what would make no key within these bounds, whatever opens with it."""
        able = self.offered() & self.device(key.device_id).capabilities
        if not able.supports(key.kind):
            raise self.impossible(LockCause.KIND_NOT_OFFERED, key)
        if bounds.empty(self.clock.now()):
            raise self.impossible(LockCause.WINDOW_OVER, key)

    def impossible(
        self, cause: LockCause, key: LockKey, doing: Operation = Operation.ISSUE, *, permanent: bool = True
    ) -> LockError:
        """Return the error for a key that cannot be."""
        return self.refusals.failed(cause, doing, key.device_id, permanent=permanent)


class SyncedLockVendor(LocksInTurn):
    """One property's locks, at a vendor that is told of each key lock by lock."""

    sync: type[KeySync] = KeySync
    """How a key is brought to a lock; a vendor's own may know further ways."""

    def __init__(
        self,
        locks: PropertyLocks,
        api: VendorApi,
        kinds: Mapping[KeyCredentialKind, KindEndpoints],
        unenforced: frozenset[KeyCredentialKind] = frozenset(),
    ) -> None:
        self._locks, self._api, self._kinds, self._unenforced = locks, api, kinds, unenforced
        self._binding, self._clock, self._refusals = locks.binding, locks.clock, locks.refusals

    @property
    def vendor(self) -> VendorCode:
        """Whose locks these are."""
        return self._binding.vendor

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Hold nothing: where locks have no relays, one does not wait for another."""
        return nullcontext()

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the key of this name as it stands at the lock, or None."""
        with self._refusals.spoken(Operation.LOOK, key.device_id):
            sync = self._sync(key, Operation.LOOK)
            row = await sync.standing(Urgency.POLL)
        return None if row is None else self._at_lock(sync, row)

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the key opens within its window, and once."""
        secret = self._locks.secret_of(key, self._bounds(key))
        by_arrival = hurrying(Hurry(arrives=key.valid_from))
        with by_arrival, self._refusals.spoken(Operation.ISSUE, key.device_id):
            async with self._turn(self._sync(key, Operation.ISSUE), Urgency.ISSUE) as sync:
                row = await sync.placed(secret)
                more = await self._remarks(sync) if self._enforced_now(sync, row) else ()
        return self._at_lock(sync, row, more)

    async def remove(self, key: LockKey) -> InHand | None:
        """See to it that no key of this name is at the lock."""
        with self._refusals.spoken(Operation.REVOKE, key.device_id):
            async with self._turn(self._sync(key, Operation.REVOKE), Urgency.REVOKE) as sync:
                await sync.removed()
        return None

    async def suspend(self, key: LockKey) -> None:
        """Let a key rest at the lock where its kind can; take any other away."""
        with self._refusals.spoken(Operation.REVOKE, key.device_id):
            async with self._turn(self._sync(key, Operation.REVOKE), Urgency.REVOKE) as sync:
                await (sync.removed() if sync.kind.resting is None else sync.rested())

    async def unsuspend(self, key: LockKey) -> KeyAtLock | InHand:
        """Wake a resting key; add anything else anew, with the same secret."""
        return await self.place(replace(key, intent_predates=True))

    async def list_keys(self, device_id: LockDeviceId) -> KeyList:
        """Return every key at a lock, whoever made it."""
        with self._refusals.spoken(Operation.LOOK, device_id):
            return await keys_at(self._locks.device(device_id), self._kinds, self._api)

    async def remove_listed(self, device_id: LockDeviceId, key: ListedKey) -> None:
        """See to it that this very key is not at the lock."""
        sync = self._sync(as_lock_key(device_id, key), Operation.REVOKE)
        with self._refusals.spoken(Operation.REVOKE, device_id):
            async with self._turn(sync, Urgency.REVOKE) as sync:
                await remove_by_number(sync)

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
        locks = self._locks
        return AdapterDescription(
            self.vendor, locks.offered(), sources=locks.sources, capacity=locks.capacity
        )

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long the vendor wants to be left alone after this error."""
        return WAITS.get(error.cause.kind)

    @asynccontextmanager
    async def _turn(self, sync: KeySync, urgency: Urgency) -> AsyncIterator[KeySync]:  # noqa: ARG002 - relays need it
        """Hold what must be held while a lock is spoken to."""
        yield sync

    def _behind(self, sync: KeySync) -> timedelta:  # noqa: ARG002 - what overrides it looks at the lock
        """Return by how much a lock's clock is known to be slow: for so long it opens after an end."""
        return timedelta(0)

    async def _remarks(self, sync: KeySync) -> Sequence[KeyWarning]:  # noqa: ARG002 - what overrides it looks
        """Return what else must be said of a key that its lock enforces."""
        return ()

    def _sync(self, key: LockKey, doing: Operation) -> KeySync:
        kind = self._kinds.get(key.kind)
        if kind is None:
            raise self._locks.impossible(LockCause.KIND_NOT_OFFERED, key, doing)
        lock = key.vendor_device or self._locks.device(key.device_id).vendor_device
        return self.sync(self._api, self._clock, self._refusals, lock, kind, key)

    def _bounds(self, key: LockKey) -> Bounds:
        kind = self._kinds.get(key.kind)
        return Bounds(key.valid_from, key.valid_until) if kind is None else kind.grid(key)

    def _enforced_now(self, sync: KeySync, row: Row) -> bool:
        return sync.kind.windowed and not row.computed

    def _at_lock(self, sync: KeySync, row: Row, more: Sequence[KeyWarning] = ()) -> KeyAtLock:
        ours = [KeyWarning(WINDOW_NOT_ENFORCED)] if sync.key.kind in self._unenforced else []
        at_once = self._enforced_now(sync, row)
        return KeyAtLock(
            vendor_ref=row.ref,
            valid_from=row.bounds.start,
            valid_until=row.bounds.end,
            exposure_until=row.exposure_until + self._behind(sync) if sync.kind.windowed else None,
            placement=Placement.ON_LOCK if at_once else Placement.ACCEPTED,
            secret=row.secret,
            warnings=merge_warnings(ours, _pending(row), row.bounds.warnings(sync.key), more),
        )


def _pending(row: Row) -> Iterator[KeyWarning]:
    if row.computed:
        yield KeyWarning(REVOKE_PENDING_AT_LOCK, UNREVOCABLE)
    if row.rivals:
        yield SECOND_CODE
    elif row.hasty:
        yield KeyWarning(REVOKE_PENDING_AT_LOCK, PERHAPS_ANOTHER)
