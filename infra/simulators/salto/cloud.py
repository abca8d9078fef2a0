"""Everything a Salto hotel's cloud and connector believe, beside everything that is true at the doors."""

from dataclasses import asdict, dataclass, field
from typing import Any

from infra.simulators.kit.cloud import instruments
from infra.simulators.kit.door import Door as KitDoor
from infra.simulators.kit.named_doors import NamedDoorsCloud
from infra.simulators.kit.windows import DAY_MS, Reason, Window
from infra.simulators.kit.world import SimWorld
from infra.simulators.salto.hotel import HotelPlan

OFFLINE_VALIDITY_MS = 7 * DAY_MS
"""For so long a phone or card opens doors without a line before it must be held to an updater again."""


@dataclass(slots=True)
class Key:
    """A key on a phone; those of one stay share a `guest`, and whoever has a higher one ends those before."""

    key_id: str
    name: str
    phone: str = field(repr=False)
    rooms: tuple[str, ...]
    window: Window
    guest: int
    updated_ms: int
    cancelled: bool = False
    dead: bool = False
    """Cancelled, and held to an updater since."""


@dataclass(slots=True, kw_only=True)
class Door(KitDoor):
    """One lock on its door; without a line it goes by what it is shown."""

    online: bool = True
    last_guest: int = 0

    def said(self, key: Key, now_ms: int) -> Reason:
        """Return what the lock says to a key."""
        if impaired := self.impaired():
            return impaired
        if key.dead or key.guest < self.last_guest or (self.online and key.cancelled):
            return Reason.DELETED
        if not self.online and self.lock_ms(now_ms) >= key.updated_ms + OFFLINE_VALIDITY_MS:
            return Reason.NOT_USED_IN_TIME
        return key.window.judged(self.lock_ms(now_ms))


@dataclass(slots=True, kw_only=True)
class Cloud(NamedDoorsCloud[Door]):
    """Tables by id."""

    plan: HotelPlan
    connector_up: bool = True
    keys: dict[str, Key] = field(default_factory=dict)

    def good_at(self, lock: str) -> list[Key]:
        """Return the keys that may open a door now or later, as far as the cloud knows."""
        there = [key for key in self.keys.values() if lock in key.rooms and not key.dead]
        last = max((key.guest for key in there), default=0)
        good = [key for key in there if key.guest == last and self.now_ms() < key.window.end]
        return [key for key in good if not (key.cancelled and self.doors[lock].online)]

    def shown(self, door: Door) -> dict[str, Any]:
        """Return a door, and what the vendor lists of it."""
        lock = str(door.lock_id)
        shown, keys = door.shown(self.names[lock], self.now_ms(), heard=door.online), self.good_at(lock)
        shown["ekeys"] = [{"keyId": key.key_id, "holder": key.phone, "listed": True} for key in keys]
        return {**shown, "listed": {"keys": [asdict(key) for key in keys]}}


def build_cloud(world: SimWorld, plan: HotelPlan, seed: int) -> Cloud:
    """Return a cloud in which nothing has happened yet."""
    cloud = Cloud(**instruments(world, plan, seed))
    for lock in plan.locks:
        condition: dict[str, Any] = {
            "battery": lock.battery,
            "skew_ms": lock.skew_ms,
            "in_reach": lock.in_reach,
        }
        cloud.hang(lock, Door(lock_id=lock.lock_id, online=lock.online, **condition))
    return cloud
