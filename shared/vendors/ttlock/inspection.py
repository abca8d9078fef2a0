"""Looking at locks: which there are, who reaches them, their batteries and their clocks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.domain.capabilities import LockCapabilities
from shared.domain.premises import LockDevice
from shared.ports.ambient import Clock
from shared.ports.lock import DeviceHealth, ListedDevice
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.binding import Binding
from shared.vendor_kit.grids import EPOCH
from shared.vendor_kit.health import battery, skew_warnings
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import VendorRefused
from shared.vendor_kit.relay_notes import Reach
from shared.vendor_kit.relays import WEAKEST, Relays
from shared.vendor_kit.turns import Turn
from shared.vendors.ttlock import inventory
from shared.vendors.ttlock.capabilities import of_lock
from shared.vendors.ttlock.errors import OUT_OF_REACH
from shared.vendors.ttlock.inventory import Lock
from shared.vendors.ttlock.protocol import FormProtocol


@dataclass(frozen=True, slots=True)
class Hearing:
    """That a gateway hears a lock: whether the vendor hears from it, and how well it does."""

    online: bool
    signal: int
    gateway: str
    heard_at: datetime | None

    def beats(self, other: "Hearing") -> bool:
        """Say whether the vendor would rather speak through this one."""
        return (self.online, self.signal) > (other.online, other.signal)


class Inspector:
    """Looks at one property's locks."""

    def __init__(
        self, binding: Binding, api: VendorApi, relays: Relays, clock: Clock, protocol: FormProtocol
    ) -> None:
        self._binding, self._api, self._relays = binding, api, relays
        self._clock, self._protocol = clock, protocol

    async def devices(self) -> tuple[ListedDevice, ...]:
        """Return those of the property's locks that are in the account, and note who reaches them."""
        locks = {lock.id: lock for lock in await self._api.whole(inventory.list_locks, Urgency.POLL)}
        hearings = await self._hearings()
        await self._relays.note({lock: self._reach(hearings.get(lock)) for lock in locks})
        listed = (each for each in self._binding.devices if each.vendor_device in locks)
        return tuple(self._listed(each, locks, hearings) for each in listed)

    async def health(self, device: LockDevice, turn: Turn) -> DeviceHealth:
        """Ask the lock for its clock and the cloud for its battery."""
        skew = await self._skew_if_reached(device.vendor_device, turn)
        detail = await self._api.ask(inventory.lock_detail(device.vendor_device), Urgency.POLL)
        return DeviceHealth(
            device_id=device.id,
            online=skew is not None,
            battery=battery(detail.battery),
            clock_skew_ms=None if skew is None else skew // timedelta(milliseconds=1),
            last_sync_at=None if skew is None else self._clock.now(),
            warnings=skew_warnings(skew),
            firmware=detail.firmware,
        )

    async def skew(self, lock: str, urgency: Urgency, turn: Turn) -> timedelta:
        """Return how far a lock's clock is ahead; the question's way there and back is halved."""
        asked = self._clock.now()
        told = await self._api.ask(inventory.query_date(lock), urgency, turn)
        # Where it is our clock that is wrong, the platform's counts.
        return told - (asked + (self._clock.now() - asked) / 2 + self._protocol.drift)

    async def _skew_if_reached(self, lock: str, turn: Turn) -> timedelta | None:
        try:
            return await self.skew(lock, Urgency.POLL, turn)
        except VendorRefused as refused:
            if refused.code not in OUT_OF_REACH:
                raise
        return None

    async def _hearings(self) -> dict[str, Hearing]:
        """Return who hears each lock best: of those that are there, the one with the strongest signal."""
        best: dict[str, Hearing] = {}
        for gateway in await self._api.whole(inventory.list_gateways, Urgency.POLL):
            for near in await self._api.ask(inventory.list_locks_of_gateway(gateway.id), Urgency.POLL):
                hearing = Hearing(gateway.online, near.signal, gateway.id, near.heard_at)
                if near.id not in best or hearing.beats(best[near.id]):
                    best[near.id] = hearing
        return best

    def _reach(self, hearing: Hearing | None) -> Reach:
        gateway, signal = (None, WEAKEST) if hearing is None else (hearing.gateway, hearing.signal)
        return Reach(gateway, signal, self._clock.now())

    def _listed(
        self, device: LockDevice, locks: dict[str, Lock], hearings: dict[str, Hearing]
    ) -> ListedDevice:
        lock, hearing = locks[device.vendor_device], hearings.get(device.vendor_device)
        online = hearing is not None and hearing.online
        able: LockCapabilities = of_lock(lock.features, self._binding.policy, online=online)
        return ListedDevice(
            device_id=device.id,
            property_id=device.property_id,
            vendor=device.vendor,
            label=lock.label or device.label,
            rooms=device.rooms,
            online=online,
            last_seen_at=self._clock.now() if online else _heard_at(hearing),
            capabilities=able,
            battery=battery(lock.battery),
            hardware=lock.hardware,
        )


def _heard_at(hearing: Hearing | None) -> datetime:
    """Return when a silent lock was heard last; where nobody remembers, long ago."""
    return EPOCH if hearing is None or hearing.heard_at is None else hearing.heard_at
