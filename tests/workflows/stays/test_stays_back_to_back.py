"""A guest who stays on by another booking of the same room keeps the PIN, and no hour is without one."""

import asyncio

import orjson
import pytest

from infra.cli.two_stays import of_both
from shared.queries.found import keys_of_stay_paged
from shared.queries.pages import Place
from tests.support.sample_hotel import SILK, play

STAY = {"reservationId": "rsv_a", "guest": {"id": "gst_a"}}
NEXT = {
    "reservationId": "rsv_b",
    "guest": {"id": "gst_a"},
    "validFrom": "2026-03-05T07:30:00Z",
    "validUntil": "2026-03-07T07:30:00Z",
}
ARRIVES, TURN, END = "2026-03-02T09:30:00Z", "2026-03-05T07:30:00Z", "2026-03-07T07:30:00Z"
LATER, LATEST = "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z"
AT_THE_DESK = {"tenant": str(SILK), "by": "usr_clerk"}


async def first(house):
    await house.publish("evt_1", **STAY)
    await house.keys_active(1)
    (pin,) = await pins(house)
    return pin


async def both(house, **data):
    """Confirm a stay, and its guest's next; return the PIN of the first."""
    pin = await first(house)
    await house.publish("evt_2", **{**NEXT, **data}, time=LATER)
    await asyncio.sleep(60)
    return pin


async def happens(house, word, reservation, **data):
    await house.publish("evt_3", word, time=LATEST, reservationId=reservation, **data)
    await asyncio.sleep(90)


async def living(house):
    """Return whose keys live, and when they open."""
    keys = [key for key in await house.keys() if key["state"]["type"] in ("active", "suspended")]
    return sorted(
        (
            key["core"]["holder"]["reservation_id"],
            key["core"]["window"]["start"],
            key["core"]["window"]["end"],
        )
        for key in keys
    )


async def pins(house, door="101"):
    return [row["code"] for row in await house.keys_at(door)]


async def changes(house):
    rows = sorted((await house.documents("outbox")).values(), key=lambda row: row["sequence"])
    return [orjson.loads(row["body"])["data"]["changes"] for row in rows if ".updated." in row["subject"]]


async def named(house):
    records = await house.documents("reservations")
    return records["rsv_a"]["credentials"], records["rsv_b"]["credentials"]


@pytest.mark.parametrize("vendor", ["ttlock", "mock"])
def test_next_stay_of_a_guest_in_the_same_room_goes_on_with_the_same_pin(tmp_path, vendor):
    async def scenario(house):
        for door in ("101", "front"):
            await house.refit(door, vendor)
        if vendor == "mock":
            await house.open_account("mock", b"mock://")
        await house.publish("evt_1", **STAY)
        await house.keys_active(1)
        before = await pins(house) if vendor == "ttlock" else []
        for event in ("evt_2", "evt_2", "evt_4"):  # and another word for the same
            await house.publish(event, **NEXT, time=LATER)
            await asyncio.sleep(60)
        (key,) = await house.keys()
        assert await living(house) == [("rsv_a", ARRIVES, END)]
        assert await named(house) == ([key["core"]["id"]], [key["core"]["id"]])
        assert await changes(house) == [{"validUntil": {"from": TURN, "to": END}}]
        assert await house.told(key["core"]["id"]) == ["requested", "pending", "issued", "updated"]
        assert (await pins(house) if vendor == "ttlock" else []) == before

    play(tmp_path, scenario)


@pytest.mark.parametrize("word", ["early_checkout", "cancelled"])
def test_next_stay_has_the_key_when_the_first_is_over_and_both_name_it(tmp_path, word):
    async def scenario(house):
        pin = await both(house)
        await happens(house, word, "rsv_a")
        (key,) = await house.keys()
        assert key["core"]["holder"] == {"type": "guest", "guest_id": "gst_a", "reservation_id": "rsv_b"}
        assert await living(house) == [("rsv_b", TURN, END)]
        assert await named(house) == ([key["core"]["id"]], [key["core"]["id"]])
        assert {"reservationId": {"from": "rsv_a", "to": "rsv_b"}} in await changes(house)
        assert await pins(house) == [pin]
        await house.publish("evt_4", "cancelled", time="2026-03-01T13:00:00Z", reservationId="rsv_b")
        await asyncio.sleep(90)
        assert (await living(house), await pins(house)) == ([], [])

    play(tmp_path, scenario)


def test_next_stay_that_is_off_leaves_the_first_as_it_was(tmp_path):
    async def scenario(house):
        pin = await both(house)
        await happens(house, "cancelled", "rsv_b")
        assert await living(house) == [("rsv_a", ARRIVES, TURN)]
        assert await pins(house) == [pin]
        assert (await changes(house))[-1] == {"validUntil": {"from": END, "to": TURN}}

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("word", "reservation", "data", "expected"),
    [
        ("dates_changed", "rsv_b", {"rooms": ["rmu_102"]}, [("rsv_a", ARRIVES, TURN), ("rsv_b", TURN, END)]),
        (
            "dates_changed",
            "rsv_a",
            {"validUntil": "2026-03-04T07:30:00Z"},
            [("rsv_a", ARRIVES, "2026-03-04T07:30:00Z"), ("rsv_b", TURN, END)],
        ),
        ("fraud_flagged", "rsv_b", {}, [("rsv_a", ARRIVES, TURN), ("rsv_b", TURN, END)]),
        # What rests is told its other times when it wakes.
        ("fraud_flagged", "rsv_a", {}, [("rsv_a", ARRIVES, END), ("rsv_b", TURN, END)]),
    ],
    ids=["next moves", "first is shorter", "next is held", "first is held"],
)
def test_what_happens_to_one_of_them_gives_each_a_key_of_its_own(tmp_path, word, reservation, data, expected):
    async def scenario(house):
        pin = await both(house)
        await happens(house, word, reservation, **data)
        assert await living(house) == expected
        states = {key["core"]["holder"]["reservation_id"]: key["state"]["type"] for key in await house.keys()}
        held = reservation if word == "fraud_flagged" else None
        assert states == {stay: "suspended" if stay == held else "active" for stay in ("rsv_a", "rsv_b")}
        assert (pin in await pins(house)) == (held != "rsv_a")

    play(tmp_path, scenario)


def test_lost_pin_is_replaced_for_the_stay_that_it_is_of_and_the_next_has_its_own(tmp_path):
    async def scenario(house):
        pin = await both(house)
        (key,) = await house.keys()
        order = {**AT_THE_DESK, "key": key["core"]["id"], "reason": "lost"}
        status, _ = await house.on.send("replace-key", order, caller="operator")
        assert status == 200
        await asyncio.sleep(90)
        assert await living(house) == [("rsv_a", ARRIVES, TURN), ("rsv_b", TURN, END)]
        assert pin not in await pins(house)
        assert len(set(await pins(house))) == 2

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "data",
    [
        {"guest": {"id": "gst_b"}},
        {"rooms": ["rmu_101", "rmu_102"]},
        {"rooms": ["rmu_102"]},
        {"validFrom": "2026-03-05T14:00:00Z"},
    ],
    ids=["another guest", "a room more", "another room", "later that day"],
)
def test_stay_that_is_no_such_next_one_has_a_key_of_its_own(tmp_path, data):
    async def scenario(house):
        pin = await both(house, **data)
        assert ("rsv_a", ARRIVES, TURN) in await living(house)
        (own,), others = await named(house)
        assert own not in others
        assert pin in await pins(house)

    play(tmp_path, scenario)


def test_next_stay_is_confirmed_before_the_first_has_its_key_and_has_its_own(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add", times=1)
        await house.publish("evt_1", **STAY)
        await house.publish("evt_2", **NEXT, time=LATER)
        await asyncio.sleep(120)
        assert await living(house) == [("rsv_a", ARRIVES, TURN), ("rsv_b", TURN, END)]

    play(tmp_path, scenario)


def test_a_lock_that_cannot_follow_before_the_next_stay_begins_has_a_key_of_its_own_for_it(tmp_path):
    async def scenario(house):
        tonight = "2026-03-01T19:30:00Z"
        await house.unmap("front")
        await house.publish("evt_1", **STAY, validFrom="2026-03-01T10:30:00Z", validUntil=tonight)
        await house.keys_active(1)
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_2", **{**NEXT, "validFrom": tonight}, time=LATER)
        await asyncio.sleep(2 * 3600)
        told = await living(house)
        assert [each[:2] for each in told] == [("rsv_a", "2026-03-01T10:30:00Z"), ("rsv_b", tonight)]
        assert len(set(await pins(house))) == 2

    play(tmp_path, scenario)


async def read(house, path):
    status, told = await house.on.send(f"_cloud/{path}", method="GET", caller="operator")
    assert status == 200, told
    return told


async def told_of(house, asked):
    """Return what is said of whose key it is, for each way to ask for a stay's keys."""
    (shown,) = (await read(house, f"credentials?reservation={asked}"))["credentials"]
    (stay,) = (await read(house, f"stays/{asked}"))["keys"]
    line = await read(house, f"timeline/{asked}")
    event = "evt_1" if asked == "rsv_a" else "evt_2"
    query = f"event={event}&tenant={SILK}&reservation={asked}"
    (outcome,) = (await read(house, f"outcomes/1?{query}"))["keys"]
    page = await keys_of_stay_paged(house.fleet.platform.documents.tenant(SILK), asked, Place())
    assert any(each["source"] == "lock" for each in line["timeline"])
    told = [shown, stay, *line["standing"], outcome, *page.keys]
    assert len({each["id"] for each in told}) == 1
    assert len(told) == 5
    return told


def said(told, asked):
    (text,) = {"".join(part.plain for part in of_both(each, asked, "")) for each in told}
    return text.replace(told[0]["id"], "key_1")


async def why(house, what):
    found = (await read(house, f"why/{what}"))["refusals"]
    return {each["reservation"]: [cause["cause"] for cause in each["causes"]] for each in found}


ONE_NIGHT = {"validFrom": "2026-03-01T10:30:00Z", "validUntil": "2026-03-02T02:00:00Z"}
UNTIL = "with the same PIN, until 2026-03-07 07:30:00 UTC, 12:00 at the hotel"


async def one_night_before(house):
    await house.publish("evt_1", **STAY, **ONE_NIGHT)
    await house.keys_active(1)
    await house.publish("evt_2", **{**NEXT, "validFrom": ONE_NIGHT["validUntil"]}, time=LATER)


def test_next_stay_with_the_key_of_the_first_is_read_as_one_that_has_it_before_and_after(tmp_path):
    async def scenario(house):
        await one_night_before(house)
        await asyncio.sleep(11 * 3600)  # the wall shows the day of the turn
        (shown,) = (await read(house, "readiness"))["arrivals"]
        assert (shown["reservation"], shown["ready"], shown["risks"]) == ("rsv_b", "on_lock", [])
        assert said(await told_of(house, "rsv_a"), "rsv_a") == f"then rsv_b's: it opens on {UNTIL}"
        told = said(await told_of(house, "rsv_b"), "rsv_b")
        assert told == f"key_1 of rsv_a opens for this stay too, {UNTIL}"
        assert await why(house, "101") == {"rsv_a": ["nothing_found"]}
        assert await why(house, "rsv_b") == {"rsv_b": ["nothing_found"]}
        await asyncio.sleep(5 * 3600)
        lines = house.logged("ALERT") + house.logged("WARNING")
        assert [line for line in lines if line["message"].startswith("a guest may not get in")] == []
        assert "checked" in (await house.documents("reservations"))["rsv_b"]
        await happens(house, "early_checkout", "rsv_a")
        (entry,) = (await house.documents("credentials")).values()
        assert entry["credential"]["core"]["holder"]["reservation_id"] == "rsv_b"
        assert entry["amends"] is None  # it opens as it is to: no lock is to follow
        assert said(await told_of(house, "rsv_a"), "rsv_a") == f"now rsv_b's: it opens on {UNTIL}"
        assert said(await told_of(house, "rsv_b"), "rsv_b") == ""
        assert await why(house, "101") == {"rsv_b": ["nothing_found"]}

    play(tmp_path, scenario)


def test_door_opens_to_the_next_stay_though_nobody_told_that_the_first_is_over(tmp_path):
    async def scenario(house):
        await one_night_before(house)
        await asyncio.sleep(18 * 3600)
        assert await why(house, "101") == {"rsv_b": ["nothing_found"]}
        assert await why(house, "rsv_a") == {"rsv_a": ["nothing_found"]}

    play(tmp_path, scenario)
