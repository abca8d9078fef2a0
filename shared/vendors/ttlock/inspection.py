"""Looking at locks: which there are, who reaches them, their batteries and their clocks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import CLOCK_SKEW, KeyWarning
from shared.domain.premises import LockDevice
from shared.ports.ambient import Clock
from shared.ports.lock import Battery, DeviceHealth, ListedDevice
from shared.vendor_kit.binding import Binding
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import VendorRefused
from shared.vendor_kit.turns import Turn
from shared.vendors.ttlock import estate
from shared.vendors.ttlock.capabilities import of_lock
from shared.vendors.ttlock.errors import OUT_OF_REACH
from shared.vendors.ttlock.estate import WEAKEST, Lock
from shared.vendors.ttlock.gateway_notes import Reach
from shared.vendors.ttlock.gateways import Gateways
from shared.vendors.ttlock.platform import OpenPlatform
from shared.vendors.ttlock.windows import EPOCH

CLOCK_SKEW_ALERT: Final = "CLOCK_SKEW_ALERT"
WARN_AT, ALERT_AT = timedelta(seconds=300), timedelta(seconds=600)
LOW_BATTERY: Final = 20


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

    def __init__(self, binding: Binding, platform: OpenPlatform, gateways: Gateways, clock: Clock) -> None:
        self._binding, self._platform, self._gateways, self._clock = binding, platform, gateways, clock

    async def devices(self) -> tuple[ListedDevice, ...]:
        """Return those of the property's locks that are in the account, and note who reaches them."""
        locks = {lock.id: lock for lock in await self._platform.whole(estate.list_locks, Urgency.POLL)}
        hearings = await self._hearings()
        await self._gateways.note({lock: self._reach(hearings.get(lock)) for lock in locks})
        listed = (each for each in self._binding.devices if each.vendor_device in locks)
        return tuple(self._listed(each, locks, hearings) for each in listed)

    async def health(self, device: LockDevice, turn: Turn) -> DeviceHealth:
        """Ask the lock for its clock and the cloud for its battery."""
        skew = await self._skew_if_reached(device.vendor_device, turn)
        detail = await self._platform.ask(estate.lock_detail(device.vendor_device), Urgency.POLL)
        return DeviceHealth(
            device_id=device.id,
            online=skew is not None,
            battery=_battery(detail.battery),
            clock_skew_ms=None if skew is None else skew // timedelta(milliseconds=1),
            last_sync_at=None if skew is None else self._clock.now(),
            warnings=skew_warnings(skew),
        )

    async def skew(self, lock: str, urgency: Urgency, turn: Turn) -> timedelta:
        """Return how far a lock's clock is ahead; the question's way there and back is halved."""
        asked = self._clock.now()
        told = await self._platform.ask(estate.query_date(lock), urgency, turn)
        # Where it is our clock that is wrong, the platform's counts.
        return told - (asked + (self._clock.now() - asked) / 2 + self._platform.drift)

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
        for gateway in await self._platform.whole(estate.list_gateways, Urgency.POLL):
            for near in await self._platform.ask(estate.list_locks_of_gateway(gateway.id), Urgency.POLL):
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
            battery=_battery(lock.battery),
        )


def skew_warnings(skew: timedelta | None) -> tuple[KeyWarning, ...]:
    """Say so when a lock's clock is wrong: windows open and close by it."""
    off = abs(skew or timedelta(0))
    if off <= WARN_AT:
        return ()
    detail = f"the lock's clock is {off.total_seconds() / 60:.0f} minutes off"
    codes = (CLOCK_SKEW, CLOCK_SKEW_ALERT) if off > ALERT_AT else (CLOCK_SKEW,)
    return tuple(KeyWarning(code, detail) for code in codes)


def _heard_at(hearing: Hearing | None) -> datetime:
    """Return when a silent lock was heard last; where nobody remembers, long ago."""
    return EPOCH if hearing is None or hearing.heard_at is None else hearing.heard_at


def _battery(percent: int | None) -> Battery | None:
    return None if percent is None else Battery(percent, LOW_BATTERY)
