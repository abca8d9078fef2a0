"""Keys that guests carry and locks are never told of: made when the stay begins, and ended by time.

place   too early: wait in line for the stay's beginning, for the key opens from the moment it is made
        ours stands, with its end: adopt it
        somebody else's stands at the door: join it, lest they be shut out; else override what was before
remove  gone or over, or the door was told: done; else the residual list says until when, and the next guest's
        key overrides it, for it is noted as one that counts no more
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.kinds import REVOKE_PENDING_AT_LOCK, KeyWarning, SetRole, VendorCode, merge_warnings
from shared.domain.lock_errors import LockError, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock import AdapterDescription, DeviceHealth, InHand, KeyAtLock, ListedDevice, LockKey
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.door_notes import DoorNotes
from shared.vendor_kit.grids import Bounds, in_minutes
from shared.vendor_kit.key_sync import FAILING, UNHEARD
from shared.vendor_kit.listing import listed_device
from shared.vendor_kit.lock_in_turn import LocksInTurn
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.refusals import WAITS, Operation, Unreadable
from shared.vendor_kit.turns import Turns
from shared.vendor_kit.visits import turn_at, visiting

ENDED_BY_TIME: Final = KeyWarning(
    REVOKE_PENDING_AT_LOCK, "carried by the guest: it opens until its end, or until the next guest comes"
)
OUTLIVES: Final = KeyWarning(REVOKE_PENDING_AT_LOCK, "an earlier key of this stay ends later than this one")
SOON: Final = timedelta(minutes=1)


class TooEarly(VendorUnreachable):
    """The stay has not begun, and a key that is made now would open now."""

    def __init__(self, vendor: VendorCode, device_id: LockDeviceId, begins: datetime) -> None:
        why = LockErrorCause(LockCause.TOO_EARLY.value)
        super().__init__(vendor=vendor, device_id=device_id, cause=why)
        self.begins = begins


@dataclass(frozen=True, slots=True)
class Carried:
    """A key as the vendor lists it, which a guest carries."""

    ref: Secret[str]
    name: str
    secret: Secret[str] | None
    end: datetime
    warnings: tuple[KeyWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class NewCarried:
    """A key to make; one that overrides ends the keys of the door's earlier guests."""

    name: str
    secret: Secret[str] = field(repr=False)
    door: str
    bounds: Bounds
    overrides: bool
    nonce: str


@dataclass(frozen=True, slots=True)
class Made:
    """The maker's own name of a key that it made, and what must be said of it."""

    ref: Secret[str]
    warnings: tuple[KeyWarning, ...] = ()


class KeyMaker(Protocol):
    """What makes such keys, and knows which it made."""

    async def doors(self) -> Sequence[str]:
        """Return the doors that it knows."""

    async def good_at(self, door: str) -> Sequence[Carried]:
        """Return the guests' keys that are good at a door now, the oldest first."""

    async def make(self, new: NewCarried) -> Made:
        """Make a key that opens from now on."""

    async def take_back(self, door: str, ref: Secret[str]) -> bool:
        """Say whether a door lets a key in no more; else only its end or the next guest's ends it."""


class CarriedKeys(LocksInTurn):
    """One property's locks, none of which anybody can reach: what opens them is what guests carry."""

    def __init__(self, locks: PropertyLocks, maker: KeyMaker, turns: Turns, notes: DoorNotes) -> None:
        self._locks, self._maker, self._turns, self._clock = locks, maker, turns, locks.clock
        self._notes = notes
        self._binding, self._refusals = locks.binding, locks.refusals

    @property
    def vendor(self) -> VendorCode:
        """Whose locks these are."""
        return self._binding.vendor

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Hold a door's turn until another's is wanted."""
        return visiting()

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the newest key of this name that is good at the door, or None."""
        with self._refusals.spoken(Operation.LOOK, key.device_id):
            ours = _ours(key, await self._maker.good_at(self._door(key)))
        return key_at_lock(key, ours[-1], ours, self._carried(key)) if ours else None

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the guest carries the key, once the stay has begun."""
        bounds = in_minutes(key)
        secret = self._locks.secret_of(key, bounds)
        self._refuse_before(bounds.start, key)
        with self._refusals.spoken(Operation.ISSUE, key.device_id):
            # Two who find a door without keys at once would override each other.
            async with turn_at(self._turns, f"door:{self._door(key)}", key.name):
                good = await self._maker.good_at(self._door(key))
                made = await self._standing_or_made(key, secret, bounds, good)
                left = await self._outlived(key, good, made)
        return key_at_lock(key, made, [*left, made], self._carried(key))

    async def remove(self, key: LockKey) -> InHand | None:
        """Say that a key is gone once it is; no call takes it from whoever carries it."""
        with self._refusals.spoken(Operation.REVOKE, key.device_id):
            ours = _ours(key, await self._maker.good_at(self._door(key)))
            left = [each for each in ours if not await self._taken_back(key, each)]
        await self._refuse_carried(key, left)
        return None

    async def suspend(self, key: LockKey) -> InHand | None:
        """Say that a key cannot rest, unless there is none."""
        return await self.remove(key)

    async def unsuspend(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the guest carries the key."""
        return await self.place(replace(key, intent_predates=True))

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks whose doors are known to the maker."""
        if property_id != self._binding.property.id:
            return ()
        with self._refusals.spoken(Operation.LOOK):
            doors = {*await self._maker.doors()}
        able, now = self._locks.offered(), self._clock.now()
        ours = (device for device in self._binding.devices if device.vendor_device in doors)
        return tuple(listed_device(device, able, now) for device in ours)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Say whether the door is known; of the lock itself nobody hears."""
        device = self._locks.device(device_id)
        with self._refusals.spoken(Operation.LOOK, device_id):
            doors = await self._maker.doors()
        if device.vendor_device not in doors:
            raise self._refusals.not_paired(device_id)
        return DeviceHealth(device_id=device_id, online=True)

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
        return AdapterDescription(self._binding.vendor, self._locks.offered())

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long to wait; for a stay's beginning half of what is left, for waits may be stretched."""
        if isinstance(error, TooEarly):
            return max(SOON, (error.begins - self._clock.now()) / 2)
        return WAITS.get(error.cause.kind)

    async def _refuse_carried(self, key: LockKey, left: Sequence[Carried]) -> None:
        """Note that what is still carried counts no more, and say that time or the next guest ends it."""
        if left:
            await self._notes.departures.note(left[0].name, max(each.end for each in left))
            device, doing = key.device_id, Operation.REVOKE
            raise self._refusals.failed(LockCause.ENDS_BY_TIME, doing, device, permanent=True)

    async def _overrides(self, key: LockKey, good: Sequence[Carried]) -> bool:
        """Say whether a key is to end those before it: unless somebody still stays, whose key is good.

        A replacement ends what it replaces, before anybody could note that this is to be gone. One that joins
        ends what the last guest left, where nobody is there to be joined.
        """
        ended = key.instead_of if key.role is SetRole.REPLACEMENT else frozenset[str]()
        names = {each.name for each in good} - ended
        return names <= await self._notes.departures.among(names)

    async def _outlived(self, key: LockKey, good: Sequence[Carried], made: Carried) -> list[Carried]:
        """Take earlier keys of this name back, and return those that stay; whatever fails, the key opens."""
        others = [each for each in _ours(key, good) if each.ref != made.ref]
        try:
            return [each for each in others if not await self._taken_back(key, each)]
        except FAILING:
            raise Unreadable("a key was made, and nobody could tell what became of those before") from None

    async def _taken_back(self, key: LockKey, carried: Carried) -> bool:
        return await self._maker.take_back(self._door(key), carried.ref)

    def _carried(self, key: LockKey) -> Sequence[KeyWarning]:
        """Say that nobody can take a key back, where its lock cannot be told."""
        told = (self._locks.offered() & self._locks.device(key.device_id).capabilities).remote_revoke
        return () if told else (ENDED_BY_TIME,)

    def _refuse_before(self, begins: datetime, key: LockKey) -> None:
        if begins > self._clock.now():
            raise TooEarly(self._binding.vendor, key.device_id, begins)

    def _door(self, key: LockKey) -> str:
        return key.vendor_device or self._locks.device(key.device_id).vendor_device

    async def _standing_or_made(
        self, key: LockKey, secret: Secret[str], bounds: Bounds, good: Sequence[Carried]
    ) -> Carried:
        wanted = (bounds.end, secret)
        standing = next((each for each in _ours(key, good) if (each.end, each.secret) == wanted), None)
        if standing is not None:
            return standing
        overrides, nonce = await self._overrides(key, good), key.idempotency_key
        new = NewCarried(key.name, secret, self._door(key), bounds, overrides=overrides, nonce=nonce)
        # A request that lands late would end the keys that were made meanwhile, and nobody would hear of it.
        async with self._notes.under_way.making(new.door, f"{new.name}|{bounds.end_ms}|{new.overrides}"):
            return await self._made(key, new)

    async def _made(self, key: LockKey, new: NewCarried) -> Carried:
        """Make a key; after silence, see whether it was made: a second would override the first."""
        try:
            made = await self._maker.make(new)
        except UNHEARD as silence:
            try:
                good = _ours(key, await self._maker.good_at(new.door))
            except FAILING:  # that nobody can look now does not mean that nothing was made
                raise silence from None
            found = [each for each in good if each.end == new.bounds.end]
            if not found:
                raise
            return found[-1]
        return Carried(made.ref, new.name, new.secret, new.bounds.end, made.warnings)


def _ours(key: LockKey, good: Sequence[Carried]) -> list[Carried]:
    return [each for each in good if each.name == key.name]


def key_at_lock(
    key: LockKey, made: Carried, ours: Sequence[Carried], carried: Sequence[KeyWarning]
) -> KeyAtLock:
    """Return a key that a guest carries as it stands at a lock, others of its name beside it."""
    bounds, last = Bounds(in_minutes(key).start, made.end), max(each.end for each in ours)
    outlived = (OUTLIVES,) if last > made.end else ()
    return KeyAtLock(
        vendor_ref=made.ref,
        valid_from=bounds.start,
        valid_until=bounds.end,
        exposure_until=last,
        placement=Placement.ACCEPTED,
        secret=made.secret,
        warnings=merge_warnings(carried, outlived, made.warnings, bounds.warnings(key)),
    )
