"""SMS by an operator's own centre: what a guest gets, what its receipts change, and what trouble leaves."""

import asyncio
import re

import pytest

from tests.support.guests import GUEST, Browser
from tests.support.told_hotel import play_told


async def told(house, after=20.0, **contact):
    """Book a stay for a guest of a number, and return what became of the SMS after a while."""
    await house.book(guest={**GUEST, "contact": {"phoneE164": "+93700555121", **contact}})
    return await state_after(house, after)


async def state_after(house, seconds):
    await asyncio.sleep(seconds)
    (notice,) = await house.notices()
    return notice["sms"]["state"], notice.get("outcome")


def test_a_guest_gets_one_sms_of_several_parts_and_its_receipt_is_fetched(tmp_path):
    async def scenario(house):
        await house.open()
        await house.use_centre()
        assert await told(house) == ("sent", None)
        (sms,) = house.caught("sms")
        (row,) = await house.keys_at("101")
        assert row["code"][:3] in sms.text
        assert (sms.to, sms.sender, house.caught("email")) == ("+93700555121", "SilkRoad", [])
        assert len(house.centre.receipts) == 1
        assert await state_after(house, 310) == ("delivered", "reached")
        assert not house.centre.receipts

    play_told(tmp_path, scenario)


def test_a_guest_whose_number_does_not_answer_is_told_at_the_desk(tmp_path):
    async def scenario(house):
        await house.open()
        await house.use_centre()
        await told(house, phoneE164="+93700550002")
        assert await state_after(house, 310) == ("undelivered", "unreached")
        assert any(line["message"] == "a guest could be told on no way" for line in house.logged("ALERT"))

    play_told(tmp_path, scenario)


def test_a_number_that_is_none_takes_no_message_more(tmp_path):
    async def scenario(house):
        await house.open()
        await house.use_centre()
        assert await told(house, phoneE164="+93700550001") == ("failed", "unreached")
        assert len(await house.documents("suppressions")) == 1

    play_told(tmp_path, scenario)


TROUBLES = {"out of reach": ["down"], "too many": ["throttled"], "asked whether we live": ["alive"]}


@pytest.mark.parametrize("faults", TROUBLES.values(), ids=TROUBLES)
def test_a_centre_in_trouble_is_asked_again_and_the_guest_gets_one_sms(tmp_path, faults):
    async def scenario(house):
        await house.open()
        await house.use_centre()
        house.centre.faults.extend(faults)
        await told(house, after=400)
        assert await state_after(house, 310) == ("delivered", "reached")
        assert len(house.caught("sms")) == 1

    play_told(tmp_path, scenario)


def test_an_sms_whose_answer_is_lost_is_sent_again_and_not_mixed_with_the_first(tmp_path):
    async def scenario(house):
        await house.open()
        await house.use_centre()
        house.centre.faults.append("breaks")
        await told(house, after=400)
        assert await state_after(house, 310) == ("delivered", "reached")
        (sms,) = house.caught("sms")
        (half,) = house.centre.parts.values()
        assert sms.text[:20] in half[1]
        (link,) = re.findall(r"/guest-page/fa-AF/([0-9A-Za-z]{22})", sms.text)
        assert (await Browser(house).post(link, proof="5121"))[0] == 200

    play_told(tmp_path, scenario)


def test_a_visit_that_meets_nobody_keeps_no_other_from_being_read(tmp_path):
    async def scenario(house):
        await house.open()
        await house.use_centre(password="another")
        assert await told(house) == ("waiting", None)
        assert await house.on.send("read-bounces", {}, caller="operator") == (200, {"read": 0, "receipts": 0})
        assert house.caught("sms") == []

    play_told(tmp_path, scenario)
