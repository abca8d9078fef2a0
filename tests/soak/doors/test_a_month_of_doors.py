"""A month at a small hotel: batteries fade, gateways drop, clocks drift, lists lie, and guests use doors.

What is told of each lock is held against what was done to it, the readiness board against the locks at each
arrival, and every key at a lock against the ledger's word for that very lock.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random

import orjson
import pytest

from shared.domain.grant import name_at_vendor
from tests.support.heard_hotel import play
from tests.support.sample_hotel import DOORS, device_at
from tests.workflows.doors.test_quarantined_locks import prove, swap

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]
START = datetime(2026, 3, 1, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
DAYS = 30
ROOMS = ("101", "102", "203", "204")
BEHIND_A_GATEWAY = ("203", "204")
NOBODYS = "73519264"
ALERT, CRITICAL = "health_alert {} warning", "health_alert {} critical"
SEEDS = (0, 7)


@dataclass(frozen=True)
class Plan:
    """What a month does to a hotel: the first by hand, the others drawn."""

    fading: str = "101"
    """Whose battery fades, by three in a hundred a day, until it is changed on the twentieth."""
    drifting: str = "102"
    outages: dict[int, int] = field(default_factory=lambda: {3: 10, 10: 10, 21: 10})
    """On which days the gateway of 203 and 204 is away, until which hour."""
    clocks: dict[int, int] = field(default_factory=lambda: {5: 400, 8: 0, 15: 700, 18: 0})
    """How many seconds the clock of `drifting` is wrong, from which day on."""
    lies: dict[int, str] = field(default_factory=lambda: {7: "cut", 13: "emptied", 16: "doubled"})
    """What the vendor's list of locks is on which days."""
    swapped: int = 23
    pair: tuple[str, str] = BEHIND_A_GATEWAY
    """Which locks are exchanged on that day, until the next."""
    rooms: tuple[str, ...] = ROOMS

    def told(self):
        """Return what is told of each door, and how often: a changed battery and a set clock are no news."""
        told = {door: Counter(registered=1) for door in DOORS}
        warned, alarmed = ALERT.format("battery_low"), CRITICAL.format("battery_low")
        told[self.fading].update(["battery_low", warned, alarmed])
        told[self.drifting].update([ALERT.format("clock_skew"), CRITICAL.format("clock_skew")])
        for door in BEHIND_A_GATEWAY:
            told[door].update(["offline", "online", ALERT.format("offline")] * len(self.outages))
        return {door: dict(each) for door, each in told.items()}

    def braked(self):
        """Return how many of the five locks were gone, each time that nobody believed it."""
        gone = {"cut": "2", "emptied": "5"}
        return [gone[lie] for _, lie in sorted(self.lies.items()) if lie in gone]


def plan_of(seed):
    """Return the month of a seed; what would hide something else on a day lies on days of its own."""
    if seed == 0:
        return Plan()
    chance = Random(seed)
    near = list(chance.sample(("101", "102"), 2))
    swapped = chance.randrange(20, DAYS - 3)
    # One day for each trouble, and none after it: 19 days hold eight or nine such pairs.
    free = list(range(2 + chance.randrange(2), 19, 2))
    chance.shuffle(free)
    slow, fast, *free = [*sorted(free[:2]), *free[2:]]
    lies = dict(zip(free[:4], chance.choices(("cut", "emptied", "doubled"), k=4), strict=True))
    return Plan(
        fading=near[0],
        drifting=near[1],
        outages={day: chance.randrange(10, 17) for day in free[4:]},
        clocks={
            slow: chance.randrange(310, 590),
            slow + 1: 0,
            fast: chance.choice((1, -1)) * chance.randrange(610, 3000),
            fast + 1: 0,
        },
        lies=lies,
        swapped=swapped,
        pair=chance.choice((BEHIND_A_GATEWAY, ("101", "102"))),
        rooms=tuple(chance.sample(ROOMS, len(ROOMS))),
    )


class Month:
    """What was done to the hotel, and what was heard of it."""

    def __init__(self, house, plan):
        self.house, self.plan, self.lie, self.told, self.boards = house, plan, None, {}, 0
        house.vendor.send, self.answer = self.listed, house.vendor.send
        house.fleet.bus.publish, self.publish = self.heard, house.fleet.bus.publish

    async def listed(self, call):
        """Be the vendor, whose list of locks is not always true."""
        answer = await self.answer(call)
        if self.lie is None or "/lock/list" not in call.url:
            return answer
        told = orjson.loads(answer.body)
        rows = {"cut": told["list"][:3], "emptied": [], "doubled": told["list"] * 2}[self.lie]
        return replace(answer, body=orjson.dumps({**told, "list": rows}))

    async def heard(self, topic, messages):
        """Note what is told of locks, by its event's id."""
        if ".device." in topic:
            for message in messages:
                event = orjson.loads(message.data)
                self.told[event["id"]] = (topic.split(".")[-2], event["data"])
        return await self.publish(topic, messages)

    async def until(self, at):
        now = self.house.fleet.platform.clock.now()
        if at > now:
            await asyncio.sleep((at - now).total_seconds())

    def crossings(self):
        """Return how often what was told of each door."""
        doors = {device_at(door): door for door in DOORS}
        found = {door: Counter() for door in DOORS}
        for word, data in self.told.values():
            more = f" {data['alert']} {data['severity']}" if word == "health_alert" else ""
            found[doors[data["deviceId"]]][word + more] += 1
        return {door: dict(each) for door, each in found.items()}


def stay_of(month, day):
    """Return who arrives on a day, where, and from when until when."""
    begins = START + day * DAY + timedelta(hours=9, minutes=30)
    return f"rsv_{day}", month.plan.rooms[day % 4], begins, begins + 2 * DAY - 2 * HOUR


async def book(month, day):
    stay, room, begins, ends = stay_of(month, day)
    await month.house.publish(
        f"evt_book_{day}",
        reservationId=stay,
        guest={"id": f"gst_{day}"},
        rooms=[f"rmu_{room}"],
        validFrom=f"{begins:%Y-%m-%dT%H:%M:%SZ}",
        validUntil=f"{ends:%Y-%m-%dT%H:%M:%SZ}",
        time=f"{month.house.fleet.platform.clock.now():%Y-%m-%dT%H:%M:%SZ}",
    )


async def weather(month, day):
    """Do to the hotel what a day brings."""
    house, plan = month.house, month.plan
    left = 100 if day >= 20 else max(3, 60 - 3 * day)
    await house.steer("PATCH", f"locks/{DOORS[plan.fading]}", battery=left)
    await house.try_door(plan.fading, pin=NOBODYS)  # a lock tells of its battery with its records
    if day in plan.outages:
        await house.steer("PATCH", "gateways/502", online=False)
    if day in plan.clocks:
        await house.steer("PATCH", f"locks/{DOORS[plan.drifting]}", skew_seconds=plan.clocks[day])
    month.lie = plan.lies.get(day)
    if day == plan.swapped:
        swap(house, *plan.pair)


async def noon(month, day):
    """Mend what was broken in the morning."""
    house, plan = month.house, month.plan
    if day in plan.outages:
        await month.until(START + day * DAY + plan.outages[day] * HOUR)
        await house.steer("PATCH", "gateways/502", online=True)
    if day == plan.swapped + 1:
        swap(house, *plan.pair)
        for door in plan.pair:
            await prove(house, door)


async def codes(month, stay):
    """Return the code of a stay's key at each door, as the locks themselves have it now."""
    house, found = month.house, set()
    keys = {
        name: each
        for name, each in (await house.documents("credentials")).items()
        if each["credential"]["core"]["holder"].get("reservation_id") == stay
    }
    for grant in await house.kept("grants"):
        if grant["grant"]["credential_id"] not in keys:
            continue
        door = next(each for each in DOORS if device_at(each) == grant["grant"]["device_id"])
        name = name_at_vendor(grant["grant"]["vendor_key"])
        found |= {(door, row["code"]) for row in await house.keys_at(door) if row["name"] == name}
    return dict(found)


async def arrive(month, day):
    """Hold the board against the locks, and have the guest try both doors."""
    house, (stay, room, begins, _) = month.house, stay_of(month, day)
    await month.until(begins + 5 * MINUTE)
    truth = await codes(month, stay)
    _, shown = await house.on.send("_cloud/readiness", method="GET", caller="operator")
    (board,) = [each for each in shown["arrivals"] if each["reservation"] == stay]
    there = {each["device"] for each in board["doors"] if each["placement"] in ("on_lock", "used")}
    assert there == {device_at(door) for door in truth}, (day, board, truth.keys())
    assert (board["ready"] in ("on_lock", "used")) is (truth.keys() == {room, "front"}), (day, board)
    assert board["risks"] or truth.keys() == {room, "front"}, (day, board)
    await month.until(begins + 15 * MINUTE)
    for door, code in truth.items():
        assert await house.try_door(door, pin=code) == "open", (day, door)
    await asyncio.sleep(60)
    assert {door for door, used in (await placements(month, stay)).items() if used} == truth.keys(), day
    month.boards += len(truth) == 2


async def placements(month, stay):
    """Return at which doors the board has a stay's key as used."""
    _, shown = await month.house.on.send("_cloud/readiness", method="GET", caller="operator")
    (board,) = [each for each in shown["arrivals"] if each["reservation"] == stay]
    doors = {device_at(door): door for door in DOORS}
    return {doors[each["device"]]: each["placement"] == "used" for each in board["doors"]}


async def assert_nothing_strange(month, day):
    """Check that no lock has a key that the ledger has for another lock, or for none."""
    house = month.house
    ours = {}
    for kept in await house.kept("grants"):
        ours.setdefault(kept["grant"]["device_id"], set()).add(name_at_vendor(kept["grant"]["vendor_key"]))
    for door in DOORS:
        at_lock = {row["name"] for row in await house.keys_at(door)}
        assert at_lock <= ours.get(device_at(door), set()), (day, door)


async def leave(month, day):
    """Have whoever arrived two days ago check out; the last of them leave without a word."""
    if 1 <= day - 2 < 20:
        await month.until(START + day * DAY + timedelta(hours=7))
        now = f"{month.house.fleet.platform.clock.now():%Y-%m-%dT%H:%M:%SZ}"
        stay = stay_of(month, day - 2)[0]
        await month.house.publish(f"evt_out_{day}", "checked_out", reservationId=stay, time=now)


async def play_month(month):
    """Let a month pass, and hold each arrival and each night against what is so."""
    house, plan = month.house, month.plan
    mapped = await house.documents("devices")
    for day in range(1, DAYS):
        await month.until(START + day * DAY)
        await weather(month, day)
        if day + 4 < DAYS:
            await book(month, day + 4)
        await leave(month, day)
        if day in plan.outages or day <= 4:
            await noon(month, day)
        if day > 4:
            await arrive(month, day)
            await noon(month, day)
        await assert_nothing_strange(month, day)
        assert await house.documents("devices") == mapped
    await asyncio.sleep(2 * 86_400)
    return mapped


@pytest.mark.parametrize("seed", SEEDS)
def test_a_month_of_fading_batteries_lost_gateways_lying_lists_and_guests(tmp_path, seed):
    async def scenario(house):
        await house.listen()
        month = Month(house, plan_of(seed))
        mapped = await play_month(month)
        assert month.crossings() == month.plan.told()
        assert month.boards >= 20
        records = await house.documents("device_health")
        assert records.keys() == mapped.keys()
        assert not [name for name, each in records.items() if "missing_since" in each or "swapped_at" in each]
        braked = [each for each in house.logged("ALERT") if each["message"].startswith("so many locks")]
        assert [each["because"].split()[0] for each in braked] == month.plan.braked()
        assert len([a for a in house.logged("ALERT") if a["message"].startswith("another lock answers")]) == 2

    play(tmp_path, scenario, seed)
