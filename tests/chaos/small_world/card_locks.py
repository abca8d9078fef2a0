"""The strict little vendor of cards: one card for all doors of a key, written later by somebody.

Nobody tells it a secret, and it tells none. What it tells of an order may come twice, late, or never; an
order may be forgotten. The doors have a line: they are told of a card that is to open them no more.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from shared.domain.capabilities import LockCapabilities
from shared.domain.grant_lifecycle import Placement
from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import KeyIssueFailed, LockError, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock import AdapterDescription, InHand, KeyAtLock, LockKey
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.lock_in_turn import said
from tests.chaos.small_world.locks import TINY, TinyDoors, TinyKey, TinyVendor

CARDS = LockCapabilities(card_encoding=True, remote_issue=True, remote_revoke=True)
LONGEST_WAIT = 90.0
UNTIL = (20.0, 200.0)
MOST_TELLINGS = 40
SPOILT = 0.1


@dataclass(slots=True)
class Order:
    """A card to be written, and how far that is."""

    name: str
    keys: tuple[LockKey, ...]
    until: datetime
    called_off: bool = False
    written: bool = False
    error: LockError | None = None

    @property
    def waits(self):
        """Whether somebody may still come and write it."""
        return not (self.called_off or self.written or self.error)

    def is_for(self, keys):
        """Say whether it is of these doors, at these times."""
        return _wish(self.keys) == _wish(keys)


class CardVendor(TinyVendor):
    """The adapter of such a vendor, and the desk behind it."""

    def __init__(self, locks, air, spawn, clock, tell):
        super().__init__(locks, air, spawn)
        self._clock, self._tell, self._numbers = clock, tell, count(1)
        self.orders: dict[str, Order] = {}
        self._resting: dict[tuple[str, str], tuple[str, TinyKey]] = {}
        self.last: dict[str, Order] = {}
        self.doubled: list[str] = []

    def describe_adapter(self):
        """Say that a card is one for all its doors."""
        return AdapterDescription(TINY, CARDS, frozenset({KeyCredentialKind.RFID_CARD}))

    async def find(self, key):
        """Return the card that opens this door under this name, or None."""
        found = await self._call(key, "list", lambda: self._named(key))
        return _card_at_lock(found[0]) if found else None

    async def place(self, key):
        """Have a card written for this door alone."""
        (placed,) = await self.place_all([key])
        return placed

    async def place_all(self, keys):
        """Have one card written for all these doors, unless the guest has it or it is ordered."""
        return await self._call(keys[0], "order a card", lambda: self._ordered(tuple(keys)))

    async def remove(self, key):
        """Call the card's order off, and tell the door that no card of this name is to open it."""
        await self._call(key, "void a card", lambda: self._voided(key), late=True)

    async def remove_all(self, keys):
        """Tell each door."""
        return [await said(self.remove, key) for key in keys]

    async def suspend(self, key):
        """Tell the door to keep the card out for now, or call its order off."""
        await self._call(key, "rest a card", lambda: self._rested(key), late=True)

    async def unsuspend(self, key):
        """Tell the door to let the card in again; one that was never written is written now."""
        woken = await self._call(key, "wake a card", lambda: self._woken(key))
        return await self.place(key) if woken is None else _card_at_lock(woken)

    async def status(self, job, keys):
        """Say what became of an order at each of its doors."""
        return await self._call(keys[0], "status", lambda: [self._standing(job, key) for key in keys])

    def _ordered(self, keys):
        standing = [self._stands(key) for key in keys]
        if all(standing) and len({each.ref for each in standing}) == 1:
            return [_card_at_lock(each) for each in standing]
        known = self._known(keys)
        if known is None:
            self._call_off(keys[0].set_name)
            known = self._begun(keys)
        return [InHand(known.name, known.until)] * len(keys)

    def _known(self, keys):
        """Return what is ordered already, and waits for somebody."""
        last = self.last.get(keys[0].set_name)
        good = last is not None and last.waits and last.is_for(keys) and self._clock.now() < last.until
        return last if good else None

    def _begun(self, keys):
        chance, name = self._air.weather.chance, f"{keys[0].set_name}.{next(self._numbers)}"
        until = self._clock.now() + timedelta(seconds=chance.uniform(*UNTIL))
        order = self.orders[name] = self.last[keys[0].set_name] = Order(name, keys, until)
        if not self._air.weather.strikes("vendor-silent"):
            self._spawn(self._work(order))
        return order

    def _call_off(self, set_name, door=None):
        last = self.last.get(set_name)
        if last is not None and (door is None or any(key.device_id == door for key in last.keys)):
            last.called_off = True

    async def _work(self, order):
        """Be somebody who comes to the encoder sooner or later, and writes whatever is still ordered."""
        weather = self._air.weather
        await asyncio.sleep(weather.chance.uniform(0, LONGEST_WAIT))
        if order.called_off:
            return
        if weather.storming and weather.chance.random() < SPOILT:
            about = {"vendor": TINY, "device_id": order.keys[0].device_id}
            order.error = KeyIssueFailed(**about, cause=LockErrorCause(LockCause.CARD_FAULTY))
        else:
            self._write(order)
        weather.note("desk", f"ends {order.name}")
        for _ in range(weather.chance.choice((0, 1, 1, 1, 2))):
            self._spawn(self._told(order, weather.chance.uniform(0, 30)))

    async def _told(self, order, wait):
        await asyncio.sleep(wait)
        body = {"tenant": "tnt_silk", "vendor": str(TINY), "job": order.name}
        body |= {} if order.error is None else {"error": order.error.to_dict()}
        for pause in range(MOST_TELLINGS):
            if await self._tell("hear-of-job", body):
                return
            await asyncio.sleep(pause)

    def _write(self, order):
        """Write the guest's card, which opens what it is written for and nothing that it opened before."""
        if all(self._stands(key) for key in order.keys):
            self.doubled.append(f"{order.name} is a second card for the same doors and times")
        names = {(key.device_id, key.name) for key in order.keys}
        for ref, row in [*self._locks.keys.items()]:
            if (row.lock, row.name) in names:
                del self._locks.keys[ref]
        for number, key in enumerate(order.keys):
            start = max(key.valid_from, key.not_before or key.valid_from)
            row = TinyKey(order.name, key.device_id, key.name, order.name, start, key.valid_until)
            self._locks.keys[f"{order.name}-{number}"] = row
            self._locks.ever.append(row)
        order.written = True

    def _rested(self, key):
        self._call_off(key.set_name, key.device_id)
        for ref, row in [*self._locks.keys.items()]:
            if (row.lock, row.name) == (key.device_id, key.name):
                self._resting[row.lock, row.name] = ref, self._locks.keys.pop(ref)

    def _woken(self, key):
        ref, row = self._resting.pop((key.device_id, key.name), (None, None))
        if row is not None and row.end == key.valid_until:
            self._locks.keys[ref] = row
        return self._stands(key)

    def _voided(self, key):
        self._call_off(key.set_name, key.device_id)
        self._resting.pop((key.device_id, key.name), None)
        for ref, row in [*self._locks.keys.items()]:
            if (row.lock, row.name) == (key.device_id, key.name):
                del self._locks.keys[ref]

    def _stands(self, key):
        start = max(key.valid_from, key.not_before or key.valid_from)
        alike = (each for each in self._named(key) if (each.start, each.end) == (start, key.valid_until))
        return next(alike, None)

    def _standing(self, job, key):
        order = self.orders.get(job)
        if order is None or order.called_off:
            cause = LockErrorCause(LockCause.NO_SUCH_JOB)
            return VendorUnreachable(vendor=TINY, device_id=key.device_id, cause=cause)
        if order.waits:
            return InHand(job, order.until)
        return order.error or next(map(_card_at_lock, self._named(key)), None)


class CardDoors(TinyDoors):
    """Doors with card readers only, as a schedule sees them."""

    able = CARDS

    def __init__(self, air, clock, spawn):
        super().__init__(air, clock, spawn)
        self._vendor = CardVendor(self._locks, air, spawn, clock, self._tell)
        self.prompt = None

    @property
    def protests(self):
        """What whoever writes the cards complains of."""
        return self._vendor.doubled

    def hidden(self):
        """Hide nothing: an order's name is no secret."""
        return []

    async def _tell(self, function, body):
        return await self.prompt(function, body)


def _wish(keys):
    """Return which doors a card is for, and when."""
    return {(key.device_id, key.name, key.valid_from, key.not_before, key.valid_until) for key in keys}


def _card_at_lock(row):
    return KeyAtLock(
        vendor_ref=Secret(row.ref),
        valid_from=row.start,
        valid_until=row.end,
        exposure_until=row.end,
        placement=Placement.ON_LOCK,
    )
