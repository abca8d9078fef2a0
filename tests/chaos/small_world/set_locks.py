"""A little vendor of key sets behind the product's `CarriedKeys`: a new key ends those before it at its door.

A copy bears the number of whoever it joins. A key of which nothing is heard may be made long after its caller
gave up: then it ends whatever was made meanwhile, as the one that came last. In a storm a door may be out of
reach: nobody takes a key back there but the next guest, whose new key does.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import count

from shared.domain.capabilities import LockCapabilities
from shared.domain.secret import Secret
from shared.keywork.vendor_session import VendorSessions
from shared.runtime.keys import _means
from shared.vendor_kit.carried_keys import Carried, CarriedKeys, Made
from shared.vendor_kit.door_notes import DoorNotes
from shared.vendor_kit.http import ConnectionBroken, ConnectionFailed, TimedOut
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.refusals import Refusals, VendorRefused
from shared.vendor_kit.turns import Turns
from tests.chaos.small_world.hotel import House, sample
from tests.chaos.small_world.locks import LATEST, TINY, TinyDoors
from tests.chaos.small_world.scene import KeyAtDoor

PINS = LockCapabilities(pin=True, remote_issue=True, remote_revoke=True)
NOBODY_TO_JOIN = "nobody_to_join"


@dataclass(frozen=True, slots=True)
class SetKey:
    """A key of a set."""

    ref: str
    door: str
    name: str
    secret: str
    end: object
    number: int


@dataclass(slots=True)
class KeySets:
    """The far side: every key that was made, and what each door goes by."""

    keys: dict[str, SetKey] = field(default_factory=dict)
    made: dict[tuple[str, object], SetKey] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    ever: list[SetKey] = field(default_factory=list)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def at(self, door):
        """Return the keys that open a door, the oldest first."""
        return [key for key in self.keys.values() if key.door == door]

    def add(self, new):
        """Make a key, once for its nonce while that key opens."""
        known = self.made.get((new.nonce, new.bounds.end))
        if known is not None and known.ref in self.keys:
            return known
        there = self.at(new.door)
        if not new.overrides and not there:
            raise VendorRefused(NOBODY_TO_JOIN)
        number = next(self._numbers)
        of_set = number if new.overrides else max(key.number for key in there)
        key = SetKey(f"set-ref-{number}", new.door, new.name, new.secret.reveal(), new.bounds.end, of_set)
        self.made[new.nonce, new.bounds.end] = key
        self.ever.append(key)
        if new.overrides:
            self._end_all_before(new.door, number)
        if of_set >= self.newest.get(new.door, 0):
            self.keys[key.ref] = key
        return key

    def _end_all_before(self, door, number):
        self.newest[door] = max(self.newest.get(door, 0), number)
        for key in self.at(door):
            if key.number < number:
                del self.keys[key.ref]


class SetMaker:
    """The line to this vendor, in whatever weather."""

    def __init__(self, sets: KeySets, air, spawn, mapped):
        self._sets, self._air, self._spawn, self._mapped = sets, air, spawn, mapped

    async def doors(self):
        """Return the doors."""
        return self._mapped

    async def good_at(self, door):
        """Return the guests' keys that open a door."""
        rows = await self._call(f"list {door}", lambda: self._sets.at(door))
        return [Carried(Secret(row.ref), row.name, Secret(row.secret), row.end) for row in rows]

    async def make(self, new):
        """Make a key."""
        what = f"{'new' if new.overrides else 'copy'} {new.door} {new.name}"
        made = await self._call(what, lambda: self._sets.add(new), may_be_late=True)
        return Made(Secret(made.ref))

    async def take_back(self, door, ref):
        """End a key, if its door can be told."""
        if self._air.weather.strikes("vendor-refuses"):
            return False
        await self._call(f"end {door}", lambda: self._sets.keys.pop(ref.reveal(), None), may_be_late=True)
        return True

    async def _call(self, what, effect, *, may_be_late=False):
        weather = self._air.weather
        await self._air.passes(f"vendor.{what}")
        if weather.vendor_out or weather.strikes("vendor-5xx"):
            raise ConnectionFailed("nobody was there")
        if weather.strikes("vendor-silent"):
            await asyncio.sleep(weather.seconds(10))
            raise TimedOut("nothing was heard")
        if may_be_late and weather.strikes("vendor-late"):
            self._spawn(self._landed(effect))
            await asyncio.sleep(weather.seconds(10))
            raise TimedOut("nothing was heard")
        await asyncio.sleep(weather.seconds(weather.climate.slow))
        done = effect()
        await self._air.passes("vendor answered")
        if weather.strikes("vendor-unheard"):
            raise ConnectionBroken("the line broke")
        return done

    async def _landed(self, effect):
        """Let a call have its effect at any time, whether its caller waits or not."""
        weather = self._air.weather
        await asyncio.sleep(weather.chance.uniform(0, LATEST))
        try:
            effect()
        except VendorRefused:
            weather.note("vendor", "refuses what came late")


class SetVendor(CarriedKeys):
    """The product's own way with such keys, at a vendor whose keys hold their own beginning."""

    def _refuse_before(self, begins, key):
        """Refuse nothing."""


class SetDoors(TinyDoors):
    """Doors of key sets, as a schedule sees them."""

    able = PINS

    def __init__(self, air, clock, spawn):
        self._sets, self._air, self._spawn = KeySets(), air, spawn
        devices = sample(House(TINY)).devices
        self._names = {device.vendor_device: str(device.id) for device in devices}

    def move_in(self, on):
        """Open this vendor's desks in place of the mock's own."""
        on.kept[f"desks:{TINY}"] = VendorSessions(TINY, self._open, on.hotels, on.secrets, _means(on))

    def at_doors(self):
        """Return the keys that open."""
        for key in self._sets.keys.values():
            yield KeyAtDoor(self._names[key.door], key.name, key.secret, key.end.timestamp())

    def ever_at_doors(self):
        """Return the names of all keys that were made."""
        return [key.name for key in self._sets.ever]

    def hidden(self):
        """Return what nobody may read anywhere."""
        return [text for key in self._sets.ever for text in (key.ref, key.secret)]

    def _open(self, binding, ports):
        locks = PropertyLocks(binding, Refusals(TINY, {}), ports.clock, lambda: PINS)
        turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
        maker = SetMaker(self._sets, self._air, self._spawn, [*self._names])
        return SetVendor(locks, maker, turns, DoorNotes.of(binding, ports))
