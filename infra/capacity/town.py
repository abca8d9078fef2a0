"""A few properties of one day's trade: who books, comes and leaves when, and the locks at their doors."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from random import Random
from typing import Any, Final

from infra.local.sample.load import sample_vendor
from infra.local.simulation.loop import BEGINNING
from infra.local.transport import InProcess
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.instants import instant_to_text
from shared.vendor_kit.http import Answer, Call, TimedOut

MIDNIGHT: Final = (BEGINNING + timedelta(days=1)).replace(hour=0)
"""Of the day on which the first is booked; until then houses are set up."""
STAYS: Final = 50
"""Of a property, each day: as many are booked, begin, and end."""
DOORS_TO_A_GATEWAY: Final = 10
VENDOR_SECONDS: Final = (0.3, 1.6)
"""A call through a cloud, a gateway and a radio."""
BOOKED: Final = (1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 6, 6, 5, 5, 5, 5, 6, 7, 8, 9, 8, 4, 1)
ARRIVED: Final = (1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 4, 8, 14, 18, 16, 12, 9, 6, 4, 2, 1, 1)
LEFT: Final = (0, 0, 0, 1, 3, 6, 10, 14, 16, 18, 20, 9, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
"""Hundredths of a day's bookings, arrivals and check-outs by its hours. Check-outs cluster hardest."""
WORDS: Final = ("confirmed", "checked_in", "checked_out")
SHARES: Final = (BOOKED, ARRIVED, LEFT)
BOOKING: Final = "melmastoon.reservation.booking"
_CLIENT: Final = re.compile(r"clientId=house-(\d+)")
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Told:
    """One event of a stay, and when it is told, in seconds since that midnight."""

    at: float
    word: str
    house: int
    stay: int


def second_of_day(shares: Sequence[int], chance: Random) -> float:
    """Draw a moment of the day as its hours have shares in it."""
    (hour,) = chance.choices(range(24), cum_weights=list(accumulate(shares)))
    return (hour + chance.random()) * 3600


def stays_of(houses: int, chance: Random) -> Iterator[Told]:
    """Yield all that is told of one day's guests: booked that day, in the house the next, gone the third."""
    for house in range(houses):
        for stay in range(STAYS):
            for day, (word, shares) in enumerate(zip(WORDS, SHARES, strict=True)):
                yield Told(day * 86_400 + second_of_day(shares, chance), word, house, stay)


def number_of(house: int, room: int) -> int:
    """Return what the vendor calls a room's lock; the front door's is room 0."""
    return 1_000_000 + house * 1000 + room


def doors_of(houses: int) -> Any:
    """Return every lock at the sample's vendor: each house has an application of its own, as hotels have."""
    plan: Any = simulated_vendor(sample_vendor()).sample()
    application, lock, gateway = plan.applications[0], plan.locks[0], plan.gateways[0]
    locks, gateways = [], []
    for house in range(houses):
        ids = [number_of(house, room) for room in range(STAYS + 1)]
        locks += [lock.model_copy(update={"lock_id": each, "alias": f"Door {each}"}) for each in ids]
        for first in range(0, len(ids), DOORS_TO_A_GATEWAY):
            reach = tuple(ids[first : first + DOORS_TO_A_GATEWAY])
            named = {"gateway_id": reach[0], "name": f"Gateway {reach[0]}", "locks": reach}
            gateways.append(gateway.model_copy(update=named))
    clients = [application.model_copy(update={"client_id": client_of(house)}) for house in range(houses)]
    more = {"locks": tuple(locks), "gateways": tuple(gateways), "applications": tuple(clients)}
    return plan.model_copy(update=more)


def client_of(house: int) -> str:
    """Return the name of a house's application at the vendor."""
    return f"house-{house}"


def house_of(call: Call) -> int:
    """Return whose application a call is made by."""
    found = _CLIENT.search(call.url) or _CLIENT.search(call.body.decode())
    return -1 if found is None else int(found[1])


def described(house: int) -> Json:
    """Return a house as `keyfleet hotel import` reads it."""
    rooms = range(1, STAYS + 1)
    front = [f"rmu_{house}_{room}" for room in rooms]
    own = [
        {"vendor_device": str(number_of(house, room)), "label": str(room), "rooms": [f"rmu_{house}_{room}"]}
        for room in rooms
    ]
    door = {"vendor_device": str(number_of(house, 0)), "label": "Front", "rooms": front}
    able = {"pin": True, "remote_issue": True, "remote_revoke": True}
    return {
        "tenant": {"id": f"tnt_{house}"},
        "property": {"id": f"ppt_{house}", "name": f"House {house}", "zone": "Etc/UTC"},
        "rooms": [{"id": f"rmu_{house}_{room}", "label": str(room), "floor": "1"} for room in rooms],
        "devices": [door, *own],
        "device_defaults": {"vendor": sample_vendor(), "capabilities": able},
        "policy": {"preferredKinds": ["pin_code"]},
    }


def event_of(told: Told, now: datetime) -> Json:
    """Return what the reservation system says."""
    arrives, leaves = MIDNIGHT + timedelta(days=1, hours=14), MIDNIGHT + timedelta(days=2, hours=11)
    window = {"validFrom": instant_to_text(arrives), "validUntil": instant_to_text(leaves)}
    place = {"propertyId": f"ppt_{told.house}", "rooms": [f"rmu_{told.house}_{told.stay + 1}"]}
    guest = {"guest": {"id": f"gst_{told.house}_{told.stay}", "displayName": "A guest", "locale": "en"}}
    booked = {**guest, **place, **window} if told.word == WORDS[0] else {}
    return {
        "specVersion": "1.0",
        "id": f"evt_{told.word}_{told.house}_{told.stay}",
        "subject": f"{BOOKING}.{told.word}.v1",
        "time": instant_to_text(now),
        "tenantId": f"tnt_{told.house}",
        "data": {"reservationId": f"rsv_{told.house}_{told.stay}", **booked},
    }


class Locks:
    """The world outside: one vendor's cloud, the time that its calls take, and whether it answers any."""

    def __init__(
        self, houses: int, now: Any, chance: Random, called: Any, down: Callable[[], bool] = lambda: False
    ) -> None:
        vendor = simulated_vendor(sample_vendor())
        world = SimWorld(now=now, chance=chance, sleep=asyncio.sleep, hotel=doors_of(houses))
        self._cloud, self._chance = InProcess(Simulator(vendor, world)), chance
        self._called, self._down = called, down

    async def send(self, call: Call) -> Answer:
        """Be the vendor, some way off."""
        self._called(call)
        if self._down():
            await asyncio.sleep(call.timeout)
            raise TimedOut(f"no answer within {call.timeout:g} s")
        await asyncio.sleep(self._chance.uniform(*VENDOR_SECONDS))
        return await self._cloud.send(call)

    async def close(self) -> None:
        """Stop what the doors are about."""
        await self._cloud.close()
