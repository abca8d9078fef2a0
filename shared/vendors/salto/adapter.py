"""Salto for one property of one tenant: keys on phones, some doors on a line and some not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.ports.lock import (
    AdapterDescription,
    DeviceHealth,
    InHand,
    KeyAtLock,
    ListedDevice,
    LockKey,
    Placing,
    Removing,
)
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import Ask
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.carried_keys import Carried, CarriedKeys, Made, NewCarried
from shared.vendor_kit.desk_keys import CARDS as DESK_KINDS
from shared.vendor_kit.desk_keys import DeskVendor, desk_refusals, open_desk
from shared.vendor_kit.door_notes import DoorNotes
from shared.vendor_kit.guard import GuardPolicy
from shared.vendor_kit.json_protocol import code_in_error
from shared.vendor_kit.listing import LockRow
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.opening import KeyRules, open_keyed_api
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Operation, Unreadable, VendorRefused
from shared.vendor_kit.turns import Turns
from shared.vendors.salto import connector
from shared.vendors.salto.account import read_account
from shared.vendors.salto.capabilities import CARDS, OFFERED, PHONES, VENDOR
from shared.vendors.salto.errors import CONNECTOR_DOWN, REFUSALS, STALE_KEY

T = TypeVar("T")
GUARD: Final = GuardPolicy(limit=Limit(calls=300, spare=20))
"""Five calls a second for an installation; the vendor publishes no limit."""
SPACE: Final = "space"
"""The dialect in which a desk has a card written by the hotel's own Space."""
CARDS_REFUSED: Final = desk_refusals(VENDOR)
Around = tuple[Turns, DoorNotes]
MOST_REPLAYS: Final = 24
"""How often in a day a key may be cancelled and made again: each time it follows the one before."""


class PhoneKeys:
    """Makes keys on phones: through the connector, or for doors with a line around it while it is down."""

    def __init__(self, api: VendorApi) -> None:
        self._api = api

    async def rooms(self) -> dict[str, LockRow]:
        """Return the installation's doors, by name."""
        return {room.name: room for room in await self._api.whole(connector.list_rooms, Urgency.POLL)}

    async def doors(self) -> Sequence[str]:
        """Return the doors that it knows."""
        return [*await self.rooms()]

    async def good_at(self, door: str) -> Sequence[Carried]:
        """Return the guests' keys that may open a door."""
        return await self._api.whole(partial(connector.list_keys, door), Urgency.ISSUE)

    async def make(self, new: NewCarried) -> Made:
        """Put a key on a phone."""
        after: Secret[str] | None = None
        for _ in range(MOST_REPLAYS):
            added = await self._around(partial(connector.add_key, new, after), Urgency.ISSUE)
            if not added.cancelled:
                return added.made
            after = added.made.ref
        raise Unreadable("every key that is made is cancelled")

    async def take_back(self, door: str, ref: Secret[str]) -> bool:  # noqa: ARG002 - a key's number says it all
        """Cancel a key, and say whether its doors know."""
        return await self._around(partial(connector.cancel_key, ref), Urgency.REVOKE)

    async def _around(self, asking: Callable[..., Ask[T]], urgency: Urgency) -> T:
        """Ask the connector; while it is down, what the cloud can do without it."""
        try:
            return await self._api.ask(asking(by_cloud=False), urgency)
        except VendorRefused as refused:
            if refused.code != CONNECTOR_DOWN:
                raise
        return await self._api.ask(asking(by_cloud=True), urgency)


class Salto(CarriedKeys):
    """One property's locks: phones by way of the connector, cards by way of the desk."""

    def __init__(self, locks: PropertyLocks, keys: PhoneKeys, around: Around, desk: DeskVendor) -> None:
        super().__init__(locks, keys, *around)
        self._keys, self._desk = keys, desk

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do: a card is one thing for all its doors."""
        return AdapterDescription(self._binding.vendor, OFFERED, self._desk.describe_adapter().at_once)

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the key of this name that is good at the door, or None."""
        return await (self._desk.find(key) if key.kind in DESK_KINDS else super().find(key))

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the guest carries the key, once the stay has begun."""
        return await (self._desk.place(key) if key.kind in DESK_KINDS else super().place(key))

    async def place_all(self, keys: Sequence[LockKey]) -> Sequence[Placing]:
        """See to it that one card is written for all doors; a phone has a key for each."""
        at_desk = keys[0].kind in DESK_KINDS
        return await (self._desk.place_all(keys) if at_desk else super().place_all(keys))

    async def remove(self, key: LockKey) -> InHand | None:
        """Say that a key is gone once it is, or its doors know."""
        return await (self._desk.remove(key) if key.kind in DESK_KINDS else super().remove(key))

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Say what became of a card at the desk; nothing else is in anybody's hand."""
        return await self._desk.status(job, keys)

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return those of the property's locks that are in the installation."""
        if property_id != self._binding.property.id:
            return ()
        with REFUSALS.spoken(Operation.LOOK):
            rooms = await self._keys.rooms()
        ours = (device for device in self._binding.devices if device.vendor_device in rooms)
        return tuple(self._listed(device, rooms[device.vendor_device]) for device in ours)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask how a lock is; of one without a line nobody hears."""
        device = self._locks.device(device_id)
        with REFUSALS.spoken(Operation.LOOK, device_id):
            room = (await self._keys.rooms()).get(device.vendor_device)
        if room is None:
            raise REFUSALS.not_paired(device_id)
        return room.health(device_id, self._clock.now())

    def _listed(self, device: LockDevice, room: LockRow) -> ListedDevice:
        able = OFFERED if room.online else replace(OFFERED, remote_revoke=False)
        return room.listed(device, able, self._clock.now())


def open_vendor(binding: Binding, ports: AdapterPorts) -> Salto:
    """Open the adapter for one property; nothing is called yet."""
    account = read_account(binding.account)
    protocol = connector.ConnectorProtocol(account.base_url, code_in_error)
    names = (account.name, account.application)
    rules = KeyRules(keys=account.keys, stale=STALE_KEY, guard=GUARD)
    api = open_keyed_api(binding, ports, protocol, names, rules)
    turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
    desk = open_desk(binding, ports, PropertyLocks(binding, CARDS_REFUSED, ports.clock, lambda: CARDS), SPACE)
    locks = PropertyLocks(binding, REFUSALS, ports.clock, lambda: PHONES)
    return Salto(locks, PhoneKeys(api), (turns, DoorNotes.of(binding, ports)), desk)
