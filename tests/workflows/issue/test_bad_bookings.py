"""A message that can never become a key is set aside with field and remedy, and leaves no half state."""

import pytest

from shared.ports.bus import Message
from tests.support.sample_hotel import BOOKING, device_at, message, play

KEPT = ("credentials", "grants", "outbox", "manual_tasks")
PAST = {"validFrom": "2026-02-01T12:00:00Z", "validUntil": "2026-02-03T08:00:00Z"}
EVER = "9999-12-31T23:59:59Z"
UNDERSTOOD = ("set up the property", "map a lock", "correct the")
"""What can be read, and is refused for what it says, is noted on its stay (trial ES1)."""
BAD = {
    "another tenant": (message("evt_1", tenant="tnt_other"), "tenantId", "onboard the tenant"),
    "no tenant's id": (message("evt_1", tenant="silk"), "tenantId", "form"),
    "unknown property": (message("evt_1", propertyId="ppt_other"), "data.propertyId", "set up the property"),
    "unmapped room": (message("evt_1", rooms=["rmu_101", "rmu_999"]), "data.rooms[1]", "map a lock"),
    "no rooms": (message("evt_1", rooms=[]), "data.rooms", "at least one"),
    "stay that is over": (message("evt_1", **PAST), "data.validUntil", "correct the dates"),
    "stay without an end": (message("evt_1", validUntil=EVER), "data.validUntil", "correct the year"),
    "stay that ends first": (message("evt_1", validFrom="2026-04-01T00:00:00Z"), "data.validUntil", "after"),
    "rooms that are no list": (message("evt_1", rooms="rmu_101"), "data.rooms", "JSON array"),
    "version that is no number": (message("evt_1", version="7"), "data.version", "whole number"),
    "room of another form": (message("evt_1", rooms=["room 101"]), "data.rooms[0]", "form"),
    "no guest": (message("evt_1", guest={}), "data.guest.id", "Add the field"),
    "no reservation": (message("evt_1", reservationId=""), "data.reservationId", "form"),
    "unknown subject": (message("evt_1", "teleported"), "subject", "Did you mean"),
    "another subscription's": (message("evt_1", "cancelled"), "subject", "publish it to"),
    "no envelope": (Message(b'{"a": 1}'), "subject", "catalogue"),
    "no JSON": (Message(b"\xff\x00"), "(document)", "JSON object"),
}


@pytest.mark.parametrize(("bad", "field", "remedy"), BAD.values(), ids=BAD)
def test_a_bad_booking_is_set_aside_with_field_and_remedy_and_makes_no_half_key(tmp_path, bad, field, remedy):
    async def scenario(house):
        await house.fleet.bus.publish(f"{BOOKING}.confirmed.v1", [bad])
        await house.settled()
        (notes,) = house.quarantined()
        assert notes["field"] == field
        assert remedy in notes["remedy"]
        assert notes["remedy"] in notes["reason"]
        assert notes["subscription"].endswith("on-booking-confirmed")
        assert {name: await house.documents(name) for name in KEPT} == {name: {} for name in KEPT}
        heard = [
            event for stay in (await house.documents("reservations")).values() for event in stay["heard"]
        ]
        assert [event["outcome"] for event in heard] == ["refused"] * remedy.startswith(UNDERSTOOD)
        assert house.logged("ERROR") == []

    play(tmp_path, scenario)


def test_a_bad_booking_does_not_keep_the_good_one_behind_it_waiting(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", propertyId="ppt_other")
        await house.publish("evt_2", reservationId="rsv_2")
        await house.settled()
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert len(house.quarantined()) == 1

    play(tmp_path, scenario)


def test_a_booking_that_was_set_aside_becomes_a_key_once_its_lock_is_mapped_and_it_is_replayed(tmp_path):
    async def scenario(house):
        lock = (await house.documents("devices"))[device_at("203")]
        await house.unmap("front")
        await house.unmap("203")
        await house.publish("evt_1", rooms=["rmu_203"])
        await house.settled()
        (letter,) = house.fleet.bus.dead_letters.page()
        assert letter.notes["field"] == "data.rooms[0]"
        await house.map_again("203", lock)
        await house.fleet.bus.dead_letters.replay([letter.id])
        await house.settled()
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert len(await house.keys_at("203")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize("subject", ["cancelled", "checked_out", "early_checkout"])
def test_an_end_of_a_stay_that_cannot_be_read_is_set_aside_too(tmp_path, subject):
    async def scenario(house):
        await house.publish("evt_1", subject, reservationId=5)
        await house.publish("evt_2", subject, tenant="tnt_other")
        await house.settled()
        # The backoffice hears of check-outs too, and sets aside what it cannot read like anybody.
        fields = {notes["field"].removeprefix("data.") for notes in house.quarantined()}
        assert fields == {"reservationId", "tenantId"}
        assert await house.documents("reservations") == {}

    play(tmp_path, scenario)
