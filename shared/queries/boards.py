"""What a hotel's desk looks at: who comes, who is there, who leaves, and what stands in the way."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

from shared.domain.ids import PropertyId, ReservationId
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.grant_record import grant_from
from shared.ledger.indexes import ARRIVED_AT, LEAVING, LIVE_AT, TASKS_ON
from shared.ledger.key_record import KeyRecord, PastStay, key_record_from
from shared.ports.documents import TenantDocuments
from shared.queries.attention import is_left
from shared.queries.coming import READINESS, Span, coming
from shared.queries.coming import READY as ARE_READY
from shared.queries.hotels import every, zones

Item = dict[str, Any]
OVER: Final = frozenset({"done", "completed", "closed", "cancelled", "inspected", "resolved"})
"""What tasks say that nobody need look at any more."""
READY: Final[Mapping[str, str]] = {
    "active": "ready",
    "requested": "waiting",
    "pending": "waiting",
    "suspended": "resting",
    "failed": "failed",
}
ON_BOARD: Final[Mapping[str, str]] = {"none": "keyless", **dict.fromkeys(ARE_READY, "ready")}
"""What a desk is told of who comes, where it is told less than the API is."""
_WORST: Final = ("failed", "waiting", "resting", "ready")
MOST_SHOWN: Final = 500
T = TypeVar("T")


@dataclass(slots=True)
class _Stay:
    """What a stay's keys say of it, together."""

    reservation: str
    start: datetime
    end: datetime
    rooms: dict[str, None] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    before: PastStay | None = None
    """The same guest's stay from which a key of both opens on."""
    turn: Item | None = None

    @property
    def readiness(self) -> str:
        """The worst of its keys."""
        found = {READY.get(state, "waiting") for state in self.keys.values()}
        return next(each for each in _WORST if each in found)


@dataclass(frozen=True, slots=True)
class House:
    """A hotel as it is now: its stays, who has come, and what day it is on its wall."""

    stays: tuple[_Stay, ...]
    arrived: frozenset[str]
    zone: str
    now: datetime

    @property
    def today(self) -> date:
        """The day on the hotel's wall."""
        return self._day(self.now)

    def _day(self, at: datetime) -> date:
        return at.astimezone(ZoneInfo(self.zone)).date()

    def is_here(self, stay: _Stay) -> bool:
        """Say whether a guest has come: reception said so, or their day was before today, or they stay on."""
        before = stay.before
        stays_on = before is not None and self._has_come(before.reservation, before.window.start)
        return stays_on or self._has_come(stay.reservation, stay.start)

    def _has_come(self, reservation: str, start: datetime) -> bool:
        return reservation in self.arrived or self._day(start) < self.today

    def departures(self) -> list[Item]:
        """Return who leaves today, the first to leave first."""
        leaving = [each for each in self.stays if self._day(each.end) == self.today and self.is_here(each)]
        return _items(sorted(leaving, key=lambda each: each.end))

    def in_house(self) -> list[Item]:
        """Return who is here, by room."""
        here = [each for each in self.stays if each.start <= self.now < each.end and self.is_here(each)]
        return _items(sorted(here, key=lambda each: sorted(each.rooms)))


def _items(stays: list[_Stay]) -> list[Item]:
    return [
        {
            "reservation": stay.reservation,
            "rooms": list(stay.rooms),
            "from": instant_to_text(stay.start),
            "until": instant_to_text(stay.end),
            "readiness": stay.readiness,
            "keys": [{"id": key, "state": state} for key, state in stay.keys.items()],
            **({} if stay.turn is None else {"turn": stay.turn}),
        }
        for stay in stays[:MOST_SHOWN]
    ]


@dataclass(slots=True)
class Lobby:
    """One look at a hotel: what several views need of it is read once."""

    store: TenantDocuments
    house: PropertyId
    now: datetime
    _read: dict[str, "asyncio.Task[Any]"] = field(default_factory=dict)

    async def now_here(self) -> House:
        """Return the hotel's stays by their keys that are not over."""
        return await self._once("house", partial(house_now, self.store, self.house, self.now))

    async def arrivals(self) -> list[Item]:
        """Return who comes today and has not come yet, those without their key first."""
        return await self._once("arrivals", partial(_arrivals, self.store, self.house, self.now))

    async def departures(self) -> list[Item]:
        """Return who leaves today, the first to leave first."""
        return (await self.now_here()).departures()

    async def in_house(self) -> list[Item]:
        """Return who is here, by room."""
        return (await self.now_here()).in_house()

    async def today(self) -> list[Item]:
        """Return who comes and who leaves today."""
        return [
            *({**each, "movement": "arrival"} for each in await self.arrivals()),
            *({**each, "movement": "departure"} for each in await self.departures()),
        ]

    async def _once(self, name: str, read: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if name not in self._read:
            self._read[name] = asyncio.ensure_future(read())
        # Whoever stops waiting does not stop the others.
        found: T = await asyncio.shield(self._read[name])
        return found


async def _arrivals(store: TenantDocuments, house: PropertyId, now: datetime) -> list[Item]:
    zone, here = await _zone(store, house), await _arrived(store, house)
    found = await coming(store, house, Span.today(now, zone))
    expected = [each for each in found if each.record.id not in here]
    return [
        {
            "reservation": each.record.id,
            "rooms": list(map(str, each.stay.rooms)),
            "from": instant_to_text(each.stay.start),
            "until": instant_to_text(each.stay.end),
            "readiness": ON_BOARD.get(each.readiness, each.readiness),
            "keys": [{"id": key.id, "state": name_of(type(key.credential.state))} for key in each.keys],
            **next(({"turn": told} for key in each.keys if (told := _turn(key, each.record.id))), {}),
        }
        for each in sorted(expected, key=lambda each: READINESS.index(each.readiness))[:MOST_SHOWN]
    ]


async def house_now(store: TenantDocuments, house: PropertyId, now: datetime) -> House:
    """Read a hotel's stays by their keys that are not over."""
    stays: dict[str, _Stay] = {}
    async for found in every(store, LIVE_AT, {"property_id": house}):
        _add(key_record_from(found), stays)
    arrived, zone = await _arrived(store, house), await _zone(store, house)
    return House(tuple(stays.values()), arrived, zone, now)


async def _arrived(store: TenantDocuments, house: PropertyId) -> frozenset[str]:
    return frozenset([each.ref.id async for each in every(store, ARRIVED_AT, {"property_id": house})])


async def _zone(store: TenantDocuments, house: PropertyId) -> str:
    return (await zones(store)).get(house, "Etc/UTC")


def _add(record: KeyRecord, stays: dict[str, _Stay]) -> None:
    for name in record.stays:
        window = record.times_of(name)
        stay = stays.setdefault(name, _Stay(name, window.start, window.end))
        stay.start, stay.end = min(stay.start, window.start), max(stay.end, window.end)
        stay.rooms |= dict.fromkeys(map(str, record.credential.core.rooms))
        stay.keys[record.id] = name_of(type(record.credential.state))
        stay.before, stay.turn = record.before(name) or stay.before, _turn(record, name) or stay.turn


def _turn(record: KeyRecord, stay: ReservationId) -> Item | None:
    """Return the guest's other stay with which a stay has a key, and when that opens; None if it has none."""
    past, then, window = record.before(stay), record.then, record.credential.core.window
    other = past.reservation if past is not None else None if then is None else then.reservation
    opens = {"from": instant_to_text(window.start), "until": instant_to_text(window.end)}
    return None if other is None else {"reservation": other, **opens}


async def tasks_on(store: TenantDocuments, house: PropertyId, board: str) -> list[Item]:
    """Return what is to be done at a hotel: housekeeping's, or maintenance's."""
    found = [each async for each in every(store, TASKS_ON, {"board_at": f"{board}@{house}"})]
    open_tasks = [each for each in found if each.data.get("status") not in OVER]
    return [
        {
            "task": each.ref.id.partition(".")[2],
            "room": each.data.get("room"),
            "status": each.data.get("status"),
            "at": each.data["at"],
        }
        for each in open_tasks[-MOST_SHOWN:]
    ]


async def residues_at(store: TenantDocuments, house: PropertyId, now: datetime) -> list[Item]:
    """Return the locks of a hotel that may still open to what should be gone."""
    found = [grant_from(each) async for each in every(store, LEAVING, {})]
    here = [each for each in found if each.grant.property_id == house and is_left(each, now)]
    return [
        {"lock": each.grant.device_id, "key": each.grant.credential_id, "since": instant_to_text(each.since)}
        for each in here[:MOST_SHOWN]
    ]


View = Callable[[Lobby], Awaitable[list[Item]]]


def _of_tasks(board: str) -> View:
    async def read(lobby: Lobby) -> list[Item]:
        return await tasks_on(lobby.store, lobby.house, board)

    return read


async def _residues(lobby: Lobby) -> list[Item]:
    return await residues_at(lobby.store, lobby.house, lobby.now)


VIEWS: Final[Mapping[str, View]] = {
    "arrivals": Lobby.arrivals,
    "departures": Lobby.departures,
    "in_house": Lobby.in_house,
    "today": Lobby.today,
    "housekeeping_board": _of_tasks("housekeeping_board"),
    "maintenance_board": _of_tasks("maintenance_board"),
}
"""The views of the workbench (C §7)."""
WIDGETS: Final[Mapping[str, View]] = {**VIEWS, "residues": _residues}
"""What the dashboard holds besides its inboxes."""
