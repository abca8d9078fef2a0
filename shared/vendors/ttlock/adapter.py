"""TTLock lock by lock: for one property of one tenant, over the Open Platform."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.kinds import REVOKE_PENDING_AT_LOCK, TTLOCK, KeyWarning, merge_warnings
from shared.domain.lock_errors import LockError
from shared.domain.policy import warnings_for
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.lock import AdapterDescription, DeviceHealth, KeyAtLock, ListedDevice, LockKey
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import SILENCE, Operation, VendorRefused
from shared.vendor_kit.tokens import TokenCache, TokenStore
from shared.vendor_kit.turns import Turns
from shared.vendor_kit.visits import turn_at, visiting
from shared.vendors.ttlock import capabilities
from shared.vendors.ttlock.account import read_account
from shared.vendors.ttlock.api import Row
from shared.vendors.ttlock.errand import Errand
from shared.vendors.ttlock.errors import ASTRAY, REFUSALS, wait_after
from shared.vendors.ttlock.gateway_notes import GatewayNotes
from shared.vendors.ttlock.gateways import Gateways
from shared.vendors.ttlock.inspection import Inspector, skew_warnings
from shared.vendors.ttlock.platform import Line, Logins, OpenPlatform
from shared.vendors.ttlock.shelves import SHELVES
from shared.vendors.ttlock.windows import in_minutes

GUARD: Final = GuardPolicy(limit=Limit(calls=100, spare=15))
"""A hundred calls a minute for each application (A §5.1)."""
SKEW_KNOWN_FOR: Final = timedelta(hours=1)
SKEW_ASKED_AGAIN_AFTER: Final = timedelta(minutes=5)
"""A lock that did not say what time it is may be wrong for all we know."""
UNREVOCABLE: Final = "computed while the gateway was out of reach: taken back at the lock once it is in reach"

SURPLUS: Final = (
    "a call nobody heard of made another code, or may yet: nobody was told it, and it goes with the key"
)


class TTLock:
    """One property's locks."""

    def __init__(
        self, binding: Binding, platform: OpenPlatform, turns: Turns, gateways: Gateways, clock: Clock
    ) -> None:
        self._binding, self._platform, self._turns = binding, platform, turns
        self._gateways, self._clock = gateways, clock
        self._inspector = Inspector(binding, platform, gateways, clock)
        self._skews: dict[str, tuple[datetime, timedelta | None]] = {}

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Hold a gateway from one of its locks to the next."""
        return visiting()

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the key of this name as it stands at the lock, or None."""
        with REFUSALS.spoken(Operation.LOOK, key.device_id):
            errand = self._errand(key, Operation.LOOK)
            row = await errand.standing(Urgency.POLL)
        return None if row is None else self._at_lock(errand, row)

    async def place(self, key: LockKey) -> KeyAtLock:
        """See to it that the key opens within its window, and once."""
        secret = self._checked(key)
        with REFUSALS.spoken(Operation.ISSUE, key.device_id):
            async with self._turn(self._errand(key, Operation.ISSUE), Urgency.ISSUE) as errand:
                row = await errand.placed(secret)
                skew = await self._skew(errand) if errand.shelf.windowed and not row.computed else None
        return self._at_lock(errand, row, skew_warnings(skew))

    async def remove(self, key: LockKey) -> None:
        """See to it that no key of this name is at the lock."""
        with REFUSALS.spoken(Operation.REVOKE, key.device_id):
            async with self._turn(self._errand(key, Operation.REVOKE), Urgency.REVOKE) as errand:
                await errand.removed()

    async def suspend(self, key: LockKey) -> None:
        """Freeze an eKey; take anything else away, for nothing else can rest at a lock."""
        with REFUSALS.spoken(Operation.REVOKE, key.device_id):
            async with self._turn(self._errand(key, Operation.REVOKE), Urgency.REVOKE) as errand:
                await (errand.rested() if errand.shelf.resting else errand.removed())

    async def unsuspend(self, key: LockKey) -> KeyAtLock:
        """Unfreeze an eKey; add anything else anew, with the same secret."""
        return await self.place(replace(key, intent_predates=True))

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that are in the account."""
        if property_id != self._binding.property.id:
            return ()
        with REFUSALS.spoken(Operation.LOOK):
            return await self._inspector.devices()

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""
        device = self._device(device_id)
        with REFUSALS.spoken(Operation.LOOK, device_id):
            name = await self._gateways.turn_at(device.vendor_device, Urgency.POLL)
            async with turn_at(self._turns, name, "health") as turn:
                return await self._inspector.health(device, turn)

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
        return AdapterDescription(self._binding.vendor, capabilities.of_adapter(self._binding.policy))

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long TTLock wants to be left alone after this error."""
        return wait_after(error, self._clock.now())

    def _checked(self, key: LockKey) -> Secret[str]:
        """Refuse what would make no key, and return the secret."""
        able = self.describe_adapter().capabilities & self._device(key.device_id).capabilities
        if not able.supports(key.kind):
            raise self._impossible("kind_not_offered", key)
        if in_minutes(key).empty(self._clock.now()):
            raise self._impossible("window_over", key)
        if key.secret is None:
            raise self._impossible("secret_missing", key)
        return key.secret

    def _impossible(self, cause: str, key: LockKey, doing: Operation = Operation.ISSUE) -> LockError:
        return REFUSALS.failed(cause, doing, key.device_id, permanent=True)

    def _device(self, device_id: LockDeviceId) -> LockDevice:
        device = self._binding.device(device_id)
        if device is None:
            raise REFUSALS.not_paired(device_id)
        return device

    def _errand(self, key: LockKey, doing: Operation) -> Errand:
        shelf = SHELVES.get(key.kind)
        if shelf is None:
            raise self._impossible("kind_not_offered", key, doing)
        lock = key.vendor_device or self._device(key.device_id).vendor_device
        return Errand(self._platform, self._clock, lock, shelf, key)

    @asynccontextmanager
    async def _turn(self, errand: Errand, urgency: Urgency) -> AsyncIterator[Errand]:
        name = await self._gateways.turn_at(errand.lock, urgency)
        async with turn_at(self._turns, name, errand.key.name) as turn:
            try:
                yield replace(errand, turn=turn)
            except VendorRefused as refused:
                if refused.code in ASTRAY:
                    self._gateways.doubt(errand.lock)
                raise

    async def _skew(self, errand: Errand) -> timedelta | None:
        """Return what is known of a lock's clock; a lock that does not say has still got its key."""
        until, skew = self._skews.get(errand.lock, (None, None))
        if errand.turn is not None and (until is None or self._clock.now() >= until):
            lasts = SKEW_ASKED_AGAIN_AFTER
            with suppress(VendorRefused, *SILENCE):
                skew = await self._inspector.skew(errand.lock, Urgency.ISSUE, errand.turn)
                lasts = SKEW_KNOWN_FOR
            self._skews[errand.lock] = (self._clock.now() + lasts, skew)
        return skew

    def _at_lock(self, errand: Errand, row: Row, *more: Sequence[KeyWarning]) -> KeyAtLock:
        ours = warnings_for(self._binding.vendor, errand.key.kind)
        at_once = errand.shelf.windowed and not row.computed
        return KeyAtLock(
            vendor_ref=row.ref,
            valid_from=row.bounds.start,
            valid_until=row.bounds.end,
            exposure_until=row.exposure_until if errand.shelf.windowed else None,
            placement=Placement.ON_LOCK if at_once else Placement.ACCEPTED,
            secret=row.secret,
            warnings=merge_warnings(ours, _pending(row), row.bounds.warnings(errand.key), *more),
        )


def _pending(row: Row) -> Iterator[KeyWarning]:
    if row.computed:
        yield KeyWarning(REVOKE_PENDING_AT_LOCK, UNREVOCABLE)
    if row.rivals or row.hasty:
        yield KeyWarning(REVOKE_PENDING_AT_LOCK, SURPLUS)


def open_vendor(binding: Binding, means: AdapterPorts) -> TTLock:
    """Open the adapter for one property; nothing is called yet."""
    account = read_account(binding.account)
    guard = means.guards.of(f"{TTLOCK}:{account.name}", f"{TTLOCK}:{account.application}", GUARD)
    line = Line(account, means.http, guard, means.clock)
    turns = Turns(means.leases, binding.tenant, means.clock, means.entropy)
    shelf = TokenStore(means.sealed.tenant(binding.tenant), means.cipher, TTLOCK, account.name)
    tokens = TokenCache(shelf, turns, means.clock, Logins(account, line, means.clock))
    platform = OpenPlatform(line, tokens)
    notes = GatewayNotes(means.documents.tenant(binding.tenant), TTLOCK, binding.property.id)
    gateways = Gateways(platform, notes, binding.property.id, means.clock)
    return TTLock(binding, platform, turns, gateways, means.clock)
