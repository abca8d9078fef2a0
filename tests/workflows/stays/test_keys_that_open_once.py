"""A key that opens once: it ends when its room has opened to it, and goes past the front door before."""

import asyncio

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId, credential_id
from shared.runtime.keys import services_of
from shared.usecases.upkeep.fork_work import ForkWork, fork_difference
from tests.support import sample_hotel
from tests.support.heard_hotel import play
from tests.support.ordered_keys import order

ARRIVED = {"validFrom": "2026-03-01T08:00:00Z", "validUntil": "2026-03-05T07:30:00Z"}


async def made_once(house):
    """Return the guest's own PIN, the key that opens once, and its PIN."""
    await house.listen()
    await house.publish("evt_1", **ARRIVED)
    await house.settled()
    (own,) = await house.keys()
    (pin,) = [row["code"] for row in await house.keys_at("101")]
    status, told = await order(house, "copy-key", own["core"]["id"], once=True)
    assert status == 200, told
    (once,) = told["copies"]
    (code,) = [row["code"] for row in await house.keys_at("101") if row["code"] != pin]
    return own["core"]["id"], pin, once, code


async def tried(house, door, pin):
    await house.try_door(door, pin=pin)
    await house.heard(120)
    await house.settled()


async def core(house, name):
    return (await house.documents("credentials"))[name]["credential"]


def test_key_that_opens_once_passes_the_front_door_and_ends_at_its_room(tmp_path):
    async def scenario(house):
        own, pin, once, code = await made_once(house)
        made = (await core(house, once))["core"]
        assert (made["role"], made["window"]["end"][:10]) == ("one_shot", "2026-03-02")
        _, again = await order(house, "copy-key", own, once=True)
        assert again["copies"] == [once]  # one at a time
        await tried(house, "front", code)
        assert (await core(house, once))["state"]["type"] == "active"
        await tried(house, "101", code)
        assert (await core(house, once))["state"]["type"] == "revoked"
        assert [row["code"] for row in await house.keys_at("101")] == [pin]
        assert [row["code"] for row in await house.keys_at("front")] == [pin]
        assert (await core(house, own))["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_key_that_opens_once_keeps_its_own_time_when_the_stay_is_longer_and_ends_with_it(tmp_path):
    async def scenario(house):
        _, _, once, _ = await made_once(house)
        longer = {"validUntil": "2026-03-07T07:30:00Z", "version": 2, "time": "2026-03-01T09:30:00Z"}
        await house.publish("evt_2", "dates_changed", **longer)
        await house.settled()
        assert (await core(house, once))["core"]["window"]["end"][:10] == "2026-03-02"
        assert (await core(house, once))["state"]["type"] == "active"
        await house.publish("evt_3", "checked_out", version=3, time="2026-03-01T09:40:00Z")
        await asyncio.sleep(60)
        assert (await core(house, once))["state"]["type"] == "revoked"
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


def test_key_that_opens_once_never_opens_before_its_stay_for_another_may_have_the_room(tmp_path):
    async def scenario(house):
        await house.listen()
        await house.publish("evt_1", validFrom="2026-03-03T08:00:00Z", validUntil="2026-03-05T07:30:00Z")
        await house.settled()
        (own,) = await house.keys()
        status, told = await order(house, "copy-key", own["core"]["id"], once=True)
        assert status == 200, told
        window = (await core(house, told["copies"][0]))["core"]["window"]
        assert (window["start"][:16], window["end"][:16]) == ("2026-03-03T08:00", "2026-03-04T08:00")

    play(tmp_path, scenario)


def test_key_that_opens_once_is_not_taken_for_one_of_another_kind(tmp_path):
    async def scenario(house):
        own, _, once, _ = await made_once(house)
        status, refused = await order(house, "copy-key", own, once=True, kind="rfid_card")
        assert (status, "kind" in str(refused)) == (400, True), refused
        _, again = await order(house, "copy-key", own, once=True, kind="pin_code")
        assert again["copies"] == [once]

    play(tmp_path, scenario)


def test_key_that_opens_once_does_not_open_before_its_stay_begins(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        (own,) = await house.keys()
        _, told = await order(house, "copy-key", own["core"]["id"], once=True)
        window = (await core(house, told["copies"][0]))["core"]["window"]
        assert window["start"] == sample_hotel.ARRIVES
        assert window["end"] == "2026-03-03T09:30:00Z"

    sample_hotel.play(tmp_path, scenario)


def test_key_that_opens_once_and_cannot_be_made_is_not_made_anew_for_the_whole_stay(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", **ARRIVED)
        await house.settled()
        (own,) = await house.keys()
        await house.fault("http_500", "keyboardPwd/add", times=1000)
        await order(house, "copy-key", own["core"]["id"], once=True)
        await asyncio.sleep(3600)
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert [key["core"]["role"] for key in await house.keys()] == ["first", "one_shot"]
        assert len(await house.keys_at("101")) == 1

    sample_hotel.play(tmp_path, scenario)


def test_key_that_opens_once_is_neither_copied_nor_replaced_by_one_that_opens_for_longer(tmp_path):
    async def scenario(house):
        _, _, once, _ = await made_once(house)
        for function in ("copy-key", "replace-key"):
            status, told = await order(house, function, once)
            assert (status, "opens once" in str(told)) == (400, True)
        services = services_of(house.fleet.platform)
        with pytest.raises(InvalidInput, match="opens once"):
            await fork_difference(
                ForkWork(sample_hotel.SILK, credential_id(once), UserId("usr_7"), 0), services
            )

    play(tmp_path, scenario)
