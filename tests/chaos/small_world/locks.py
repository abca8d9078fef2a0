"""A strict little vendor: late, silent, forgetful of whom it has answered, but never of what it has done."""

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count

from shared.domain.capabilities import LockCapabilities
from shared.domain.grant_lifecycle import Placement
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.keywork.vendor_session import VendorSessions
from shared.ports.lock import AdapterDescription, KeyAtLock
from shared.ports.lock_causes import PIN_TAKEN
from shared.runtime.keys import _means
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.scene import KeyAtDoor

TINY = VendorCode("mock")
ABLE = LockCapabilities(pin=True, mobile_key=True, remote_issue=True, remote_revoke=True)
STAFF = "housekeeping"
BUSY = LockErrorCause("lock_busy", "busy")
"""An answer, and no silence: nothing was done, nor will be."""
LATEST = 45.0
"""A call that was accepted has its effect after so many seconds at the latest."""


@dataclass(frozen=True, slots=True)
class TinyKey:
    """A key in a lock's memory."""

    ref: str
    lock: str
    name: str
    secret: str
    start: datetime
    end: datetime


class Taken(Exception):
    """Another key at the lock has this secret."""


@dataclass(slots=True)
class TinyLocks:
    """The far side: locks that take any number of keys, of any name, but each secret once."""

    keys: dict[str, TinyKey] = field(default_factory=dict)
    ever: list[TinyKey] = field(default_factory=list)
    taken: set[tuple[str, str]] = field(default_factory=set)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def add(self, lock, name, secret, start, end):
        """Write a key into a lock and return its reference."""
        if (lock, secret) in self.taken or any(key.secret == secret for key in self.at(lock)):
            raise Taken
        key = TinyKey(f"tiny-ref-{next(self._numbers)}", lock, name, secret, start, end)
        self.keys[key.ref] = key
        self.ever.append(key)
        return key

    def change(self, ref, start, end):
        """Let a key open at other times; one that is gone stays gone."""
        if ref in self.keys:
            self.keys[ref] = replace(self.keys[ref], start=start, end=end)
            return self.keys[ref]
        return None

    def delete(self, ref):
        """Take a key out; one that is not there is as good as deleted."""
        self.keys.pop(ref, None)

    def at(self, lock):
        """Return the keys in a lock."""
        return [key for key in self.keys.values() if key.lock == lock]


class TinyVendor:
    """The adapter: says only what its far side makes safe to say."""

    def __init__(self, locks: TinyLocks, air: Air, spawn):
        self._locks, self._air, self._spawn = locks, air, spawn

    def visit(self):
        """Hold nothing."""
        return nullcontext()

    async def find(self, key):
        """Return the key of this name, or None."""
        found = await self._call(key, "list", lambda: self._named(key))
        return _at_lock(found[0]) if found else None

    async def place(self, key):
        """Find the key if it may be there, else add it."""
        if key.intent_predates and (standing := await self._call(key, "list", lambda: self._named(key))):
            changed = await self._changed(key, standing[0])
            if changed is not None:
                return changed
        start = max(key.valid_from, key.not_before or key.valid_from)
        if self._air.weather.strikes("pin-taken"):
            self._locks.taken.add((key.device_id, key.secret.reveal()))
        try:
            added = await self._call(
                key,
                "add",
                lambda: self._locks.add(key.device_id, key.name, key.secret.reveal(), start, key.valid_until),
                late=True,
            )
        except Taken:
            if standing := await self._call(key, "list", lambda: self._named(key)):
                # It is our own, of a call that was never heard of again.
                changed = await self._changed(key, standing[0])
                if changed is not None:
                    return changed
            raise KeyIssueFailed(
                vendor=TINY, device_id=key.device_id, cause=LockErrorCause(PIN_TAKEN)
            ) from None
        return _at_lock(added)

    async def _changed(self, key, standing):
        """Return a key as it is to be, or None if it is gone meanwhile."""
        start = max(key.valid_from, key.not_before or key.valid_from)
        if (standing.start, standing.end) == (start, key.valid_until):
            return _at_lock(standing)
        changed = await self._call(
            key, "change", lambda: self._locks.change(standing.ref, start, key.valid_until), late=True
        )
        return None if changed is None else _at_lock(changed)

    async def remove(self, key):
        """Delete the key by its reference, and whatever has its name."""
        if key.vendor_ref is not None:
            await self._call(key, "delete", lambda: self._locks.delete(key.vendor_ref.reveal()), late=True)
        for found in await self._call(key, "list", lambda: self._named(key)):
            await self._call(key, "delete", lambda ref=found.ref: self._locks.delete(ref), late=True)

    async def suspend(self, key):
        """Nothing rests here."""
        await self.remove(key)

    async def unsuspend(self, key):
        """Add it anew."""
        return await self.place(key)

    def describe_adapter(self):
        """Say what these locks can do."""
        return AdapterDescription(TINY, ABLE)

    def wait_after(self, error):
        """Ask for no peace."""

    def _named(self, key):
        return [found for found in self._locks.at(key.device_id) if found.name == key.name]

    async def _call(self, key, what, effect, *, late=False):
        """Send one request over bad lines to a vendor with bad days."""
        weather = self._air.weather
        await self._air.passes(f"vendor.{what} {key.device_id[-3:]} {key.name}")
        if weather.vendor_out or weather.strikes("vendor-5xx"):
            raise _silence(key, "server_error")
        if weather.strikes("vendor-refuses"):
            raise VendorUnreachable(vendor=TINY, device_id=key.device_id, cause=BUSY)
        if weather.strikes("vendor-silent"):
            await asyncio.sleep(weather.seconds(10))
            raise _silence(key, "timeout")
        if late and weather.strikes("vendor-late"):
            self._spawn(self._later(effect, weather))
            await asyncio.sleep(weather.seconds(10))
            raise _silence(key, "timeout")
        await asyncio.sleep(weather.seconds(weather.climate.slow))
        done = effect()
        await self._air.passes(f"vendor.{what} done")
        if weather.strikes("vendor-unheard"):
            raise _silence(key, "connection_broken")
        return done

    async def _later(self, effect, weather):
        await asyncio.sleep(weather.chance.uniform(0, LATEST))
        try:
            effect()
        except Taken:
            weather.note("vendor", "refuses what came late")
        else:
            weather.note("vendor", "does what was asked late")


class TinyDoors:
    """The little vendor as a schedule sees it: an opener for the adapter, and eyes at the doors."""

    vendor = TINY
    account = Secret(b"mock://")
    policy, able, workers, protests = None, None, 1, ()

    def __init__(self, air, clock, spawn):
        self._locks = TinyLocks()
        self._vendor = TinyVendor(self._locks, air, spawn)

    def move_in(self, on):
        """Open this vendor's desks in place of the mock's own."""
        on.kept[f"desks:{TINY}"] = VendorSessions(
            TINY, lambda *_: self._vendor, on.hotels, on.secrets, _means(on)
        )

    def at_doors(self):
        """Return the keys in the locks."""
        for key in self._locks.keys.values():
            yield KeyAtDoor(key.lock, key.name, key.secret, key.end.timestamp())

    def ever_at_doors(self):
        """Return the names of all keys that ever were in a lock."""
        return [key.name for key in self._locks.ever]

    def hidden(self):
        """Return what nobody may read anywhere."""
        return [text for key in self._locks.ever for text in (key.ref, key.secret)]


def _silence(key, why):
    return VendorUnreachable(vendor=TINY, device_id=key.device_id, cause=LockErrorCause(why))


def _at_lock(key):
    return KeyAtLock(
        vendor_ref=Secret(key.ref),
        valid_from=key.start,
        valid_until=key.end,
        exposure_until=key.end,
        placement=Placement.ON_LOCK,
        secret=Secret(key.secret),
    )
