"""A week of a small hotel: what happens, by the clock on its wall, and what must be so at its doors then."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.stay import BOOKING, TENANT
from infra.cli.demo.week_house import FRONT, WeekHouse, hotel_time
from shared.domain.instants import instant_to_text
from shared.domain.secret import Secret

SHIFT: Final = "melmastoon.staff.shift"
DEACTIVATED: Final = "melmastoon.iam.user.deactivated.v1"
CLOSED: Final = "melmastoon.tenant.property.deactivated.v1"
CONFIG: Final = "melmastoon.tenant.config_updated.v1"
PARTY, SINGER, LATE, NEXT, LAST = "rsv_family", "rsv_singer", "rsv_late", "rsv_next", "rsv_last"
STORM, COACH = "rsv_storm", 12
GATEWAY: Final = "gateways/502"
"""It reaches 203 and 204."""
CLEANER: Final = "usr_cleaner"
LABELS: Final = {"rmu_101": "Room 101", "rmu_102": "Room 102", "rmu_203": "Room 203", "rmu_204": "Room 204"}
BY: Final = "usr_desk"
SECOND: Final = "the second guest of 101"
LOST: Final = "whoever found the key of 101"


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happens at a time of the week, and what must be so after it."""

    name: str
    when: tuple[str, str]
    claim: str
    play: Callable[[Any], Awaitable[Proof]]
    """At the house that the story is of."""


def _at(day: str, clock: str) -> str:
    return instant_to_text(hotel_time(day, clock))


async def _book(house: WeekHouse, stay: str, room: str, window: tuple[str, str], **more: Any) -> bool:
    """Book a stay; the code that its lock has after that, and had not before, is its guest's."""
    before = await house.at(LABELS[room])
    guest = {"id": f"gst_{stay.removeprefix('rsv_')}"}
    data = {"propertyId": "ppt_kabul", "guest": guest, "rooms": [room], **more}
    await house.tell("confirmed", stay, **data, validFrom=window[0], validUntil=window[1])
    return _learnt(house, stay, await house.at(LABELS[room]) - before)


def _learnt(house: WeekHouse, guest: str, codes: set[str]) -> bool:
    if len(codes) == 1:
        house.pins[guest] = Secret(*codes)
    return len(codes) == 1


async def _the_key(house: WeekHouse, stay: str) -> str:
    """Return the active key of a stay that is no copy."""
    shown = await house.ask(f"stays/{stay}?tenant={TENANT}")
    return next(str(each["id"]) for each in shown["keys"] if each["role"] != "copy")


async def booked(house: WeekHouse) -> Proof:
    """Three stays are booked, and the policy says how long one waits for guests."""
    policy = {"subject": CONFIG, "tenant": TENANT, "data": {"keyKindPolicy": {"noShowSuspendAfterHours": 4}}}
    await house.order("_cloud/publish", **policy)
    made = [
        await _book(house, PARTY, "rmu_101", (_at("Mon", "14:00"), _at("Thu", "12:00")), partySize=2),
        await _book(house, SINGER, "rmu_102", (_at("Mon", "14:00"), _at("Fri", "12:00"))),
        await _book(house, LATE, "rmu_203", (_at("Mon", "14:00"), _at("Wed", "12:00"))),
    ]
    early = [await house.shut(stay, FRONT) for stay in house.pins]
    return Proof(all(made) and all(early), {"keys_made": made, "shut": early})


async def arrived(house: WeekHouse) -> Proof:
    """Everybody opens what is theirs."""
    homes = {PARTY: "Room 101", SINGER: "Room 102", LATE: "Room 203"}
    own = {stay: await house.opens(stay, room, FRONT) for stay, room in homes.items()}
    others = {stay: await house.shut(stay, homes[PARTY]) for stay in (SINGER, LATE)}
    return Proof(all(own.values()) and all(others.values()), {"own": own, "not_the_others": others})


async def copied(house: WeekHouse) -> Proof:
    """The second guest of a room gets a key."""
    before = await house.at("Room 101")
    await house.order("copy-key", tenant=TENANT, key=await _the_key(house, PARTY), by=BY)
    await house.until("Mon", "15:20")
    learnt = _learnt(house, SECOND, await house.at("Room 101") - before)
    return Proof(learnt and await house.opens(SECOND, "Room 101", FRONT), {"another_pin": learnt})


async def missed(house: WeekHouse) -> Proof:
    """The night audit says that nobody came; policy waits."""
    await house.tell("no_show", LATE)
    await house.until("Tue", "01:55")
    return Proof(await house.opens(LATE, "Room 203"), {"open_at": "01:55"})


async def rests(house: WeekHouse) -> Proof:
    """Four hours later the key rests."""
    return Proof(await house.shut(LATE, "Room 203", FRONT), {"shut_at": "02:02"})


async def came(house: WeekHouse) -> Proof:
    """The guest comes in the middle of the night."""
    await house.tell("checked_in", LATE)
    return Proof(await house.opens(LATE, "Room 203", FRONT), {"same_pin": True})


async def extended(house: WeekHouse) -> Proof:
    """Two nights more."""
    before = await house.at("Room 101")
    await house.tell("dates_changed", PARTY, validUntil=_at("Sat", "12:00"))
    return Proof(await house.at("Room 101") == before, {"pins_unchanged": True})


async def moved(house: WeekHouse) -> Proof:
    """A broken shower in 102: the guest moves to 204."""
    await house.tell("dates_changed", SINGER, rooms=["rmu_204"])
    opens, shut = await house.opens(SINGER, "Room 204", FRONT), await house.shut(SINGER, "Room 102")
    return Proof(opens and shut, {"new_room": opens, "old_room_shut": shut})


async def lost(house: WeekHouse) -> Proof:
    """A PIN on a note was lost at the bazaar."""
    before, house.pins[LOST] = await house.at("Room 101"), house.pins[PARTY]
    key = await _the_key(house, PARTY)
    await house.order("replace-key", tenant=TENANT, key=key, by=BY, reason="lost")
    await house.until("Wed", "09:03")
    learnt = _learnt(house, PARTY, await house.at("Room 101") - before)
    seen = {
        "another_pin": learnt,
        "finder_shut_out": await house.shut(LOST, "Room 101", FRONT),
        "guest": await house.opens(PARTY, "Room 101", FRONT),
        "second_guest": await house.opens(SECOND, "Room 101"),
    }
    return Proof(all(seen.values()), seen)


async def forgotten(house: WeekHouse) -> Proof:
    """Nobody tells that the late guest left."""
    return Proof(await house.shut(LATE, "Room 203", FRONT), {"shut": True})


async def followed(house: WeekHouse) -> Proof:
    """Another guest comes into 102."""
    made = await _book(house, NEXT, "rmu_102", (_at("Wed", "14:00"), _at("Fri", "12:00")))
    await house.until("Wed", "14:30")
    opens, shut = await house.opens(NEXT, "Room 102", FRONT), await house.shut(SINGER, "Room 102")
    return Proof(made and opens and shut, {"new_guest": opens, "former_guest_shut_out": shut})


async def overdue(house: WeekHouse) -> Proof:
    """A payment is overdue; then it is made."""
    hold = {"tenant": TENANT, "reservation": SINGER, "reason": "overdue_payment", "by": BY}
    await house.order("hold-stay", **hold)
    await house.until("Thu", "18:05")
    shut = await house.shut(SINGER, "Room 204", FRONT)
    await house.order("release-stay", **hold)
    await house.until("Thu", "18:10")
    return Proof(shut and await house.opens(SINGER, "Room 204", FRONT), {"rested": shut})


async def trouble(house: WeekHouse) -> Proof:
    """A battery fades, and a gateway loses its line."""
    await house.listen()
    await house.steer("PATCH", f"locks/{await house.number_of('Room 102')}", {"battery": 18})
    await house.steer("PATCH", GATEWAY, {"online": False})
    opens = await house.opens(NEXT, "Room 102")  # a lock tells of its battery with its records
    await house.until("Thu", "07:20")
    seen = {"battery": await _told_of(house, "battery_low"), "away": await _told_of(house, "offline")}
    return Proof(opens and all(seen.values()), seen)


async def well(house: WeekHouse) -> Proof:
    """The line is back."""
    await house.steer("PATCH", GATEWAY, {"online": True})
    await house.until("Thu", "13:20")
    back = await _told_of(house, "online")
    return Proof(back and await house.opens(SINGER, "Room 204"), {"back": back})


async def _told_of(house: WeekHouse, word: str) -> bool:
    return any(subject.endswith(f".device.{word}.v1") for subject in await house.subjects())


async def stormy(house: WeekHouse) -> Proof:
    """The vendor's cloud breaks down, just when a coach party books for spring, and somebody for tomorrow."""
    await house.steer("POST", "faults", {"fault": "http_500", "operation": "*"})
    for seat in range(COACH):
        when = hotel_time("Sat", "14:00") + timedelta(days=30 + 2 * seat)
        window = {"validFrom": instant_to_text(when), "validUntil": instant_to_text(when + timedelta(days=1))}
        guest = {"propertyId": "ppt_kabul", "guest": {"id": f"gst_coach_{seat}"}, "rooms": ["rmu_204"]}
        data = {"reservationId": f"rsv_coach_{seat}", **guest, **window}
        await house.put_out(f"{BOOKING}.confirmed.v1", **data)
    made = await _book(house, STORM, "rmu_203", (_at("Fri", "14:00"), _at("Sat", "10:00")))
    await house.until("Thu", "13:50")
    failed = [each["state"] for each in (await house.ask(f"stays/{STORM}?tenant={TENANT}"))["keys"]]
    await house.steer("DELETE", "faults")
    await house.until("Thu", "14:40")
    for seat in range(COACH):
        await house.put_out(f"{BOOKING}.cancelled.v1", reservationId=f"rsv_coach_{seat}")
    learnt = _learnt(house, STORM, await house.at("Room 203"))
    return Proof(learnt and not made, {"first": failed, "made_anew": learnt})


async def sheltered(house: WeekHouse) -> Proof:
    """Its guest arrives."""
    opened = await house.opens(STORM, "Room 203", FRONT)
    return Proof(opened, {"opens": opened})


async def still(house: WeekHouse) -> Proof:
    """The longer stay goes on."""
    return Proof(await house.opens(PARTY, "Room 101", FRONT), {"open_on": "Friday"})


async def on_duty(house: WeekHouse) -> Proof:
    """A cleaner's shift begins on the first floor."""
    before = await house.at("Room 101")
    duty = {"staffUserId": CLEANER, "propertyId": "ppt_kabul", "scopes": ["floor:1"]}
    window = {"validFrom": _at("Wed", "06:00"), "validUntil": _at("Wed", "14:00")}
    await house.publish(f"{SHIFT}.started.v1", shiftId="shift_week", **duty, **window)
    await house.until("Wed", "06:10")
    learnt = _learnt(house, CLEANER, await house.at("Room 101") - before)
    floor = learnt and await house.opens(CLEANER, "Room 101", "Room 102")
    return Proof(floor and await house.shut(CLEANER, "Room 204"), {"own_pin": learnt, "floor": floor})


async def fired(house: WeekHouse) -> Proof:
    """The cleaner is dismissed in the middle of the shift."""
    await house.publish(DEACTIVATED, userId=CLEANER)
    await house.until("Wed", "10:10")
    shut = await house.shut(CLEANER, "Room 101", "Room 102")
    return Proof(shut and await house.opens(PARTY, "Room 101"), {"cleaner_shut_out": shut})


async def closed(house: WeekHouse) -> Proof:
    """The hotel closes with a guest in it."""
    made = await _book(house, LAST, "rmu_203", (_at("Sat", "13:30"), _at("Sat", "23:00")))
    await house.until("Sat", "13:40")
    opened = made and await house.opens(LAST, "Room 203", FRONT)
    await house.publish(CLOSED, propertyId="ppt_kabul")
    await house.until("Sat", "13:55")
    codes = await house.anywhere()
    return Proof(opened and not codes, {"opened_before": opened, "doors_with_a_code": codes})


async def left(house: WeekHouse) -> Proof:
    """Everybody has left."""
    for stay in (PARTY, SINGER, NEXT, STORM):
        await house.tell("checked_out", stay)
    await house.until("Sat", "12:30")
    codes, owed = await house.anywhere(), (await house.ask("residues"))["residues"]
    return Proof(not codes and not owed, {"doors_with_a_code": codes, "residues": len(owed)})


MOMENTS: Final = (
    Moment(
        "booked",
        ("Sun", "13:40"),
        "Three stays are booked; their PINs are made, and open nothing yet.",
        booked,
    ),
    Moment(
        "arrived", ("Mon", "14:05"), "Each guest opens their room and the front door, no other's.", arrived
    ),
    Moment("copied", ("Mon", "15:15"), "The second guest of 101 has a PIN of their own.", copied),
    Moment("missed", ("Mon", "22:00"), "One guest did not come; policy waits four hours.", missed),
    Moment("rests", ("Tue", "02:02"), "Four hours later that key rests.", rests),
    Moment("came", ("Tue", "03:10"), "The guest comes after all: the same PIN opens.", came),
    Moment("extended", ("Tue", "11:00"), "101 stays two nights more, with the same PINs.", extended),
    Moment("moved", ("Tue", "12:00"), "102 moves to 204 with the same PIN; 102 is shut to them.", moved),
    Moment("on_duty", ("Wed", "05:50"), "A cleaner's shift opens the first floor, and no other.", on_duty),
    Moment(
        "lost", ("Wed", "09:00"), "A key is lost: its finder stands outside, the guest has another.", lost
    ),
    Moment("fired", ("Wed", "10:00"), "A dismissed cleaner's PIN is dead, the guests' are not.", fired),
    Moment("forgotten", ("Wed", "12:02"), "A stay that nobody ended is over at the door.", forgotten),
    Moment("followed", ("Wed", "13:00"), "The next guest of 102 is in, the former is not.", followed),
    Moment(
        "trouble", ("Thu", "06:30"), "A fading battery and a lost gateway are told at the next look.", trouble
    ),
    Moment("well", ("Thu", "07:30"), "The gateway is back: its doors are told of, and open.", well),
    Moment("stormy", ("Thu", "13:30"), "The vendor is down: a key fails, and is made anew.", stormy),
    Moment("overdue", ("Thu", "18:00"), "An unpaid stay rests; once paid, the same PIN opens.", overdue),
    Moment("still", ("Fri", "10:00"), "The longer stay opens on its longer days.", still),
    Moment("sheltered", ("Fri", "14:10"), "Its guest is in by the key that was made anew.", sheltered),
    Moment("left", ("Sat", "12:05"), "Everybody left: no code is in any lock, and nothing is owed.", left),
    Moment("closed", ("Sat", "13:00"), "The hotel closes: its last guest's key is dead too.", closed),
)
"""The week, in order: each moment stands on those before it."""
