"""The mock adapter: a LockVendor end to end, without a vendor."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.lock_errors import LockError, LockErrorCause
from shared.domain.premises import LockDevice
from shared.ports.ambient import Clock, Entropy
from shared.ports.listed_keys import KeyList, ListedKey
from shared.ports.lock import (
    AdapterDescription,
    DeviceHealth,
    KeyAtLock,
    ListedDevice,
    LockKey,
    Placing,
    Removing,
)
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.grids import Bounds
from shared.vendor_kit.lock_in_turn import LocksInTurn
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.refusals import Refusals
from shared.vendors.mock.cloud import MockCloud, MockKey, at_lock
from shared.vendors.mock.desk import Desk
from shared.vendors.mock.post import Post
from shared.vendors.mock.wishes import Wishes


class MockVendor(LocksInTurn):
    """Locks in memory, for one property."""

    def __init__(
        self,
        binding: Binding,
        wishes: Wishes,
        cloud: MockCloud,
        clock: Clock,
        entropy: Entropy,
        post: Post | None = None,
    ) -> None:
        self._binding, self._wishes, self._cloud = binding, wishes, cloud
        self._clock, self._entropy, self._post = clock, entropy, post
        encoder = next((each.id for each in binding.encoders()), None)
        self._desk = None if wishes.desk is None else Desk(binding.vendor, wishes.desk, encoder)
        self._described = self._description()
        self._locks = PropertyLocks(binding, Refusals(binding.vendor, {}), clock, lambda: wishes.capabilities)

    @property
    def vendor(self) -> VendorCode:
        """Whose locks these are."""
        return self._binding.vendor

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Hold nothing: a mock does any number of things at a time."""
        return nullcontext()

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the key of this name as it stands at the lock, or None."""
        async with self._at("find", key.device_id):
            kept = self._cloud.locks[key.device_id].get(key.name)
        return None if kept is None else at_lock(kept)

    async def place(self, key: LockKey) -> KeyAtLock:
        """See to it that the key opens within its window, and once."""
        return await self._put("issue", key, self._post)

    async def place_all(self, keys: Sequence[LockKey]) -> Sequence[Placing]:
        """Have a card encoded at the desk, if there is one; else place it at each lock."""
        if self._desk is None or keys[0].kind is not KeyCredentialKind.RFID_CARD:
            return await super().place_all(keys)
        async with self._at("issue", keys[0].device_id):
            return self._desk.asked(keys, self._cloud, self._clock.now())

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Say what became of a card at the desk."""
        if self._desk is None:
            return await super().status(job, keys)
        async with self._at("find", keys[0].device_id):
            return self._desk.status(job, keys, self._cloud)

    async def remove(self, key: LockKey) -> None:
        """See to it that no key of this name is at the lock, nor will be."""
        async with self._at("revoke", key.device_id):
            if self._desk is not None:
                self._desk.call_off(key)
            self._cloud.locks[key.device_id].pop(key.name, None)

    async def suspend(self, key: LockKey) -> None:
        """Let the key rest, if it is there."""
        async with self._at("suspend", key.device_id):
            kept = self._cloud.locks[key.device_id].get(key.name)
            if kept is not None:
                self._cloud.locks[key.device_id][key.name] = replace(kept, resting=True)

    async def unsuspend(self, key: LockKey) -> KeyAtLock:
        """Let the key open again, wherever it has gone meanwhile."""
        return await self._put("unsuspend", key)

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return the property's locks, all online."""
        async with self._at("list"):
            ours = self._binding.devices if property_id == self._binding.property.id else ()
            return tuple(self._listed(device) for device in ours)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Say that a lock is well."""
        async with self._at("health", device_id):
            now = self._clock.now()
            return DeviceHealth(device_id=device_id, online=True, clock_skew_ms=0, last_sync_at=now)

    async def list_keys(self, device_id: LockDeviceId) -> KeyList:
        """Return every key at a lock."""
        async with self._at("list", device_id):
            here = self._cloud.locks[device_id].items()
            return KeyList(frozenset(KeyCredentialKind), tuple(_listed(name, kept) for name, kept in here))

    async def remove_listed(self, device_id: LockDeviceId, key: ListedKey) -> None:
        """See to it that this very key is not at the lock."""
        async with self._at("revoke", device_id):
            here = self._cloud.locks[device_id]
            if key.name in here and here[key.name].ref == key.vendor_ref:
                del here[key.name]

    def describe_adapter(self) -> AdapterDescription:
        """Say what this mock was told it can do."""
        return self._described

    def _description(self) -> AdapterDescription:
        at_once = frozenset() if self._desk is None else frozenset({KeyCredentialKind.RFID_CARD})
        room = self._wishes.room
        capacity = {} if room is None else dict.fromkeys(KeyCredentialKind, room)
        return AdapterDescription(self._binding.vendor, self._wishes.capabilities, at_once, capacity=capacity)

    def wait_after(self, error: LockError) -> timedelta | None:  # noqa: ARG002 - a mock never asks for peace
        """Say nothing."""
        return None

    async def _put(self, operation: str, key: LockKey, post: Post | None = None) -> KeyAtLock:
        async with self._at(operation, key.device_id):
            told = None if post is None else await post.ref_of(key)
            self._check(key)
            known = self._cloud.locks[key.device_id].get(key.name)
            ref = known.ref if known is not None else told or self._cloud.new_ref()
            start = max(key.valid_from, key.not_before or key.valid_from)
            kept = MockKey(ref, key.kind, key.secret, start, key.valid_until)
            self._cloud.locks[key.device_id][key.name] = kept
        return at_lock(kept)

    def _check(self, key: LockKey) -> None:
        secret = self._locks.secret_of(key, Bounds(key.valid_from, key.valid_until))
        if self._cloud.taken(key.device_id, key.name, secret):
            raise self._locks.impossible(LockCause.PIN_TAKEN, key, permanent=False)
        others = (kept for name, kept in self._cloud.locks[key.device_id].items() if name != key.name)
        if (
            self._wishes.room is not None
            and sum(kept.kind is key.kind for kept in others) >= self._wishes.room
        ):
            raise self._locks.impossible(LockCause.LOCK_FULL, key)

    @asynccontextmanager
    async def _at(self, operation: str, device: LockDeviceId | None = None) -> AsyncIterator[None]:
        """Take the time it takes, and fail as wished, before or after what is done inside."""
        if device is not None:
            self._locks.device(device)
        shortest, longest = self._wishes.latency_ms
        await asyncio.sleep(self._entropy.uniform(shortest, longest) / 1000 if longest else 0)
        failing = operation in self._wishes.fail and self._entropy.uniform(0, 100) < self._wishes.pct
        if failing and not self._wishes.after:
            raise self._failure(device)
        yield
        if failing:
            raise self._failure(device)

    def _failure(self, device: LockDeviceId | None) -> LockError:
        return self._wishes.error(
            vendor=self._binding.vendor,
            device_id=device or self._binding.devices[0].id,
            cause=LockErrorCause("injected"),
            permanent=self._wishes.permanent,
        )

    def _listed(self, device: LockDevice) -> ListedDevice:
        return ListedDevice(
            device_id=device.id,
            property_id=device.property_id,
            vendor=device.vendor,
            label=device.label,
            rooms=device.rooms,
            online=True,
            last_seen_at=self._clock.now(),
            capabilities=device.capabilities & self._wishes.capabilities,
        )


def open_vendor(binding: Binding, ports: AdapterPorts) -> MockVendor:
    """Open a mock; the account is its address, such as mock://?fail=issue&pct=20."""
    wishes = Wishes.parse(binding.account.reveal().decode())
    post = None if wishes.post is None else Post(ports.http, wishes.post, binding.vendor, ports.clock)
    return MockVendor(binding, wishes, MockCloud(), ports.clock, ports.entropy, post)


def _listed(name: str, kept: MockKey) -> ListedKey:
    return ListedKey(
        kind=kept.kind,
        name=name,
        vendor_ref=kept.ref,
        valid_from=kept.start,
        valid_until=kept.end,
        resting=kept.resting,
    )
