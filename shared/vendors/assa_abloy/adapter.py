"""Assa Abloy lock by lock: for one property of one tenant."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.kinds import KeyCredentialKind, KeyWarning
from shared.domain.lock_errors import LockError
from shared.ports.lock import AdapterDescription, DeviceHealth, ListedDevice, LockVendor
from shared.ports.lock_causes import LockCause
from shared.ports.secret_sources import SecretSource
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.carried_keys import CarriedKeys
from shared.vendor_kit.door_notes import DoorNotes
from shared.vendor_kit.guard import GuardPolicy
from shared.vendor_kit.health import Skews, skew_warnings
from shared.vendor_kit.json_protocol import code_in_error
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.lock_vendor import PropertyLocks, SyncedLockVendor
from shared.vendor_kit.opening import TokenRules, open_api
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Operation, VendorRefused
from shared.vendor_kit.turns import Turns
from shared.vendors.assa_abloy import capabilities, visionline, vostio
from shared.vendors.assa_abloy.account import Account, read_account
from shared.vendors.assa_abloy.errors import IN_MAINTENANCE, REFUSALS, STALE_TOKEN
from shared.vendors.assa_abloy.grants import GrantSync
from shared.vendors.assa_abloy.maintenance import Maintenance

GUARD: Final = GuardPolicy(limit=Limit(calls=1500, burst=4))
"""Thirty calls in any second for each environment (A §5.3): 25 spread evenly, and at most 4 at once."""

SOURCES: Final = dict.fromkeys((KeyCredentialKind.RFID_CARD, KeyCredentialKind.NFC_TAG), SecretSource.HELD)


class Vostio(SyncedLockVendor):
    """One property's locks, in one environment of the vendor's cloud."""

    sync = GrantSync

    def __init__(self, locks: PropertyLocks, api: VendorApi, maintenance: Maintenance) -> None:
        super().__init__(locks, api, vostio.KINDS, capabilities.UNENFORCED)
        self._maintenance, self._skews = maintenance, Skews(locks.clock)

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that are in the environment."""
        if property_id != self._binding.property.id:
            return ()
        with REFUSALS.spoken(Operation.LOOK):
            locks = {lock.name: lock for lock in await self._api.whole(vostio.list_locks, Urgency.POLL)}
        ours = (device for device in self._binding.devices if device.vendor_device in locks)
        now = self._clock.now()
        return tuple(locks[device.vendor_device].listed(device, capabilities.VOSTIO, now) for device in ours)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask the cloud how a lock is."""
        device = self._locks.device(device_id)
        with REFUSALS.spoken(Operation.LOOK, device_id):
            lock = await self._api.ask(vostio.show_lock(device.vendor_device), Urgency.POLL)
        return lock.health(device_id, self._clock.now())

    def describe_adapter(self) -> AdapterDescription:
        """Say what this dialect can do: cards and tags go by their numbers, which somebody must read."""
        return AdapterDescription(self.vendor, capabilities.VOSTIO, sources=SOURCES)

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long Vostio wants to be left alone after this error."""
        if error.cause.kind == LockCause.MAINTENANCE:
            return self._maintenance.lasts()
        return super().wait_after(error)

    @asynccontextmanager
    async def _turn(self, sync: KeySync, urgency: Urgency) -> AsyncIterator[KeySync]:  # noqa: ARG002 - one turn
        """Ask nothing during maintenance: what the vendor would refuse costs a key no attempt."""
        closed = REFUSALS.unreachable(LockCause.MAINTENANCE, sync.key.device_id)
        if await self._maintenance.going_on():
            raise closed
        try:
            yield sync
        except VendorRefused as refused:
            if refused.code != IN_MAINTENANCE:
                raise
            self._maintenance.doubt()
            await self._maintenance.going_on()
            raise closed from None

    async def _remarks(self, sync: KeySync) -> Sequence[KeyWarning]:
        async def ask() -> timedelta:
            return (await self._api.ask(vostio.show_lock(sync.lock), Urgency.ISSUE)).skew or timedelta(0)

        return skew_warnings(await self._skews.of(sync.lock, ask))


def open_vendor(binding: Binding, ports: AdapterPorts) -> LockVendor:
    """Open the adapter for one property, in the dialect of its account; nothing is called yet."""
    account = read_account(binding.account)
    return OPENED[account.dialect](account, binding, ports)


def _open_vostio(account: Account, binding: Binding, ports: AdapterPorts) -> LockVendor:
    protocol = vostio.VostioProtocol(account.base_url, code_in_error)
    rules = TokenRules(login=account.login, asking=vostio.ask_for_token, stale=STALE_TOKEN, guard=GUARD)
    api = open_api(binding, ports, protocol, (account.name, account.application), rules)
    locks = PropertyLocks(binding, REFUSALS, ports.clock, lambda: capabilities.VOSTIO)
    return Vostio(locks, api, Maintenance(api, ports.clock))


def _open_visionline(account: Account, binding: Binding, ports: AdapterPorts) -> LockVendor:
    protocol = visionline.VisionlineProtocol(account.base_url, ports.clock)
    rules = TokenRules(login=account.login, asking=visionline.open_session, stale=STALE_TOKEN)
    api = open_api(binding, ports, protocol, (account.name, account.application), rules)
    locks = PropertyLocks(binding, REFUSALS, ports.clock, lambda: capabilities.VISIONLINE)
    zone = ZoneInfo(binding.property.zone)
    turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
    keys = visionline.PhoneKeys(api, ports.clock, zone)
    return CarriedKeys(locks, keys, turns, DoorNotes.of(binding, ports))


OPENED: Final = {"vostio": _open_vostio, "visionline": _open_visionline}
