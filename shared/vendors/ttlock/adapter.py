"""TTLock lock by lock: for one property of one tenant, over the Open Platform."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.instants import milliseconds
from shared.domain.kinds import KeyWarning
from shared.domain.lock_errors import LockError
from shared.ports.door_records import DoorRecord
from shared.ports.lock import DeviceHealth, ListedDevice
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.computed_keys import ComputedKeySync
from shared.vendor_kit.guard import GuardPolicy
from shared.vendor_kit.health import Skews, skew_warnings
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.opening import TokenRules, open_api
from shared.vendor_kit.radio_jobs import RadioJobs
from shared.vendor_kit.radio_vendor import RadioLockVendor
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Operation, VendorRefused
from shared.vendor_kit.relay_notes import RelayNotes
from shared.vendor_kit.relays import Relays
from shared.vendor_kit.turns import Turns
from shared.vendor_kit.visits import turn_at, visiting
from shared.vendors.ttlock import capabilities
from shared.vendors.ttlock.account import Account, read_account
from shared.vendors.ttlock.capabilities import CAPACITY, SOURCES, TTLOCK, UNENFORCED
from shared.vendors.ttlock.errors import (
    ASTRAY,
    BAD_REFRESH_TOKEN,
    CLOCK_OFF,
    REFUSALS,
    STALE_TOKEN,
    wait_after,
)
from shared.vendors.ttlock.inspection import Inspector
from shared.vendors.ttlock.inventory import HEARERS
from shared.vendors.ttlock.kinds import KINDS
from shared.vendors.ttlock.protocol import FormProtocol
from shared.vendors.ttlock.records import records_since

GUARD: Final = GuardPolicy(limit=Limit(calls=100, spare=15))
"""A hundred calls a minute for each application (A §5.1)."""


def guard_of(account: Account) -> GuardPolicy:
    """Return how hard an application may be used: its months are Beijing's."""
    limit = Limit(calls=100, spare=15, monthly=account.calls_per_month, month_ahead=8)
    return replace(GUARD, limit=limit)


class TTLock(RadioLockVendor):
    """One property's locks, each spoken to through a gateway that does one thing at a time."""

    sync = ComputedKeySync

    def __init__(
        self, locks: PropertyLocks, api: VendorApi, turns: Turns, relays: Relays, inspector: Inspector
    ) -> None:
        super().__init__(locks, api, KINDS, UNENFORCED)
        self._turns, self._relays, self._inspector = turns, relays, inspector
        self._skews = Skews(locks.clock)

    def visit(self) -> AbstractAsyncContextManager[None]:
        """Hold a gateway from one of its locks to the next."""
        return visiting()

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that are in the account."""
        if property_id != self._binding.property.id:
            return ()
        with REFUSALS.spoken(Operation.LOOK):
            return await self._inspector.devices()

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""
        device = self._locks.device(device_id)
        with REFUSALS.spoken(Operation.LOOK, device_id):
            name = await self._relays.turn_at(device.vendor_device, Urgency.POLL)
            async with turn_at(self._turns, name, "health", Urgency.POLL) as turn:
                return await self._inspector.health(device, turn)

    async def list_attempts(self, device_id: LockDeviceId, since: datetime) -> Sequence[DoorRecord]:
        """Return who tried a lock, as far as its cloud has heard."""
        with REFUSALS.spoken(Operation.LOOK, device_id):
            pages = records_since(self._locks.device(device_id).vendor_device, milliseconds(since))
            return await self._api.whole(pages, Urgency.POLL)

    def wait_after(self, error: LockError) -> timedelta | None:
        """Say how long TTLock wants to be left alone after this error."""
        return wait_after(error, self._clock.now())

    @asynccontextmanager
    async def _turn(self, sync: KeySync, urgency: Urgency) -> AsyncIterator[KeySync]:
        name = await self._relays.turn_at(sync.lock, urgency)
        async with turn_at(self._turns, name, sync.key.name, urgency) as turn:
            try:
                yield replace(sync, turn=turn)
            except VendorRefused as refused:
                if refused.code in ASTRAY:
                    self._relays.doubt(sync.lock)
                raise

    def _behind(self, sync: KeySync) -> timedelta:
        return self._skews.behind(sync.lock)

    async def _remarks(self, sync: KeySync) -> Sequence[KeyWarning]:
        turn = sync.turn
        ask = None if turn is None else partial(self._inspector.skew, sync.lock, Urgency.ISSUE, turn)
        return skew_warnings(await self._skews.of(sync.lock, ask))


def open_vendor(binding: Binding, ports: AdapterPorts) -> TTLock:
    """Open the adapter for one property; nothing is called yet."""
    account, property_id = read_account(binding.account), binding.property.id
    protocol = FormProtocol(account, ports.clock)
    rules = TokenRules(
        login=account.login,
        asking=protocol.token_request,
        stale=STALE_TOKEN,
        unrenewable=(BAD_REFRESH_TOKEN,),
        mendable=[(CLOCK_OFF,)],
        guard=guard_of(account),
    )
    api = open_api(binding, ports, protocol, (account.name, account.application), rules)
    turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
    notes = RelayNotes(ports.documents.tenant(binding.tenant), TTLOCK, property_id)
    relays = Relays(api, notes, HEARERS, ports.clock)
    inspector = Inspector(binding, api, relays, ports.clock, protocol)
    offered = partial(capabilities.of_adapter, binding.policy)
    locks = PropertyLocks(binding, REFUSALS, ports.clock, offered, SOURCES, CAPACITY)
    jobs = RadioJobs.at(ports.documents.tenant(binding.tenant), ports.clock, TTLOCK, property_id)
    return TTLock(locks, api, turns, relays, inspector).with_radio(jobs)
