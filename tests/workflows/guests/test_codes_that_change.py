"""Whose code changes is told the new one first, wherever the old one is still right to open."""

import asyncio

import pytest

from infra.simulators.kit.door import Written
from infra.simulators.kit.windows import Window
from tests.support.guests import Browser, issued, link_to
from tests.support.ordered_keys import order
from tests.support.sample_hotel import DOORS
from tests.support.told_hotel import play_told
from tests.workflows.guests.test_guests_are_told import IN_HOUSE, LONGER, bare

DELIVERED, CHANGED = "pin_code.delivered", "pin_code.changed"
NEW_CODE = "کود جدید شما"
LATER = "2026-03-01T09:10:00Z"


async def booked(house, **settings):
    """Have a guest in house who was told a code; return the key and that code."""
    await house.open(**settings)
    await house.book(version=1, **IN_HOUSE)
    await asyncio.sleep(20)
    return (await issued(house))[0], (await house.keys_at("101"))[0]["code"]


def opens(house, door, code):
    """Say whether a lock itself would open to a code."""
    return code in house.sim.cloud.doors[int(DOORS[door])].codes


async def told_the_next(house, pin, door="101"):
    """Wait for the second mail and SMS; return the new code, and what the lock had as each went out."""
    seen = {}
    for _ in range(3000):
        for way in ("email", "sms"):
            if len(house.caught(way)) == 2 and way not in seen:
                seen[way] = opens(house, door, pin)
        if len(seen) == 2:
            break
        await asyncio.sleep(0.1)
    mail, sms = house.caught("email")[-1], house.caught("sms")[-1]
    (new,) = {row["code"] for row in await house.keys_at("front")} - {pin}
    shown = f"{new[:3]} {new[3:]}"
    assert NEW_CODE in bare(mail.text)
    assert (shown in bare(mail.text), shown in bare(sms.text), pin in mail.text) == (True, True, False)
    return new, seen


async def kinds(house):
    return [each["kind"] for each in await house.notices()]


def test_a_changed_stay_that_needs_another_code_is_told_it_as_a_change(tmp_path):
    async def scenario(house):
        _, pin = await booked(house)
        await house.book("evt_2", version=2, time=LATER, **LONGER)
        assert (await told_the_next(house, pin))[1] == {"email": True, "sms": True}
        assert await kinds(house) == [DELIVERED, CHANGED]

    play_told(tmp_path, scenario)


def test_a_code_renewed_on_the_key_page_is_told_while_the_old_one_opens(tmp_path):
    async def scenario(house):
        key, pin = await booked(house, renews_codes=True)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await browser.post(token, "en", proof="5121")
        await browser.post(token, "en", do="renew", key=key)
        new, seen = await told_the_next(house, pin)
        assert seen == {"email": True, "sms": True}
        assert await kinds(house) == [DELIVERED, CHANGED]
        await asyncio.sleep(120)
        assert (opens(house, "101", pin), opens(house, "101", new)) == (False, True)
        old, _ = await house.keys()
        assert (old["state"]["type"], old["state"]["reason"]) == ("revoked", "replaced")

    play_told(tmp_path, scenario)


def test_a_code_that_a_lock_refuses_at_a_move_is_told_anew_while_the_front_door_knows_the_old_one(tmp_path):
    async def scenario(house):
        _, pin = await booked(house)
        house.sim.cloud.doors[int(DOORS["102"])].codes[pin] = Written(Window(0, 0))  # somebody else's
        await house.publish("evt_2", "dates_changed", time=LATER, rooms=["rmu_102"])
        new, seen = await told_the_next(house, pin, "front")  # the room before is others' by now
        assert seen == {"email": True, "sms": True}
        assert await kinds(house) == [DELIVERED, CHANGED]
        await asyncio.sleep(120)
        assert [opens(house, door, pin) for door in ("101", "front")] == [False, False]
        assert opens(house, "102", new)

    play_told(tmp_path, scenario)


def test_a_lost_key_s_code_dies_before_the_new_one_is_told(tmp_path):
    async def scenario(house):
        key, pin = await booked(house)
        await order(house, "replace-key", key)
        assert (await told_the_next(house, pin))[1] == {"email": False, "sms": False}
        assert await kinds(house) == [DELIVERED, CHANGED]

    play_told(tmp_path, scenario)


@pytest.mark.parametrize("ended", ["cancelled", "checked_out"])
def test_an_old_code_waits_for_no_message_of_a_stay_that_is_over(tmp_path, ended):
    async def scenario(house):
        key, pin = await booked(house, renews_codes=True)
        await house.fault("http_500", "keyboardPwd/add")
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await browser.post(token, "en", proof="5121")
        await browser.post(token, "en", do="renew", key=key)
        await asyncio.sleep(30)
        assert opens(house, "101", pin)
        await house.publish("evt_2", ended, time=LATER)
        await asyncio.sleep(90)
        assert not opens(house, "101", pin)

    play_told(tmp_path, scenario)


def test_an_old_code_waits_minutes_and_no_longer_for_a_new_one_that_does_not_come(tmp_path):
    async def scenario(house):
        key, pin = await booked(house, renews_codes=True)
        await house.fault("http_500", "keyboardPwd/add")
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await browser.post(token, "en", proof="5121")
        await browser.post(token, "en", do="renew", key=key)
        await asyncio.sleep(240)
        assert opens(house, "101", pin)
        await asyncio.sleep(150)
        assert not opens(house, "101", pin)

    play_told(tmp_path, scenario)
