"""Guests are told of their keys, in their language, over every wire; the mail's link shows the PIN."""

import asyncio
import json
import re

from tests.support.guests import Browser
from tests.support.told_hotel import play_told

IN_HOUSE = {"validFrom": "2026-02-28T09:30:00Z", "validUntil": "2026-03-02T07:30:00Z"}
LONGER = {**IN_HOUSE, "validUntil": "2026-03-03T07:30:00Z"}
RTL = re.compile("[\u2066-\u2069\u200e\u200f]")


def bare(text):
    return RTL.sub("", text).replace("\u00a0", " ")


def test_a_booking_becomes_a_mail_and_an_sms_and_the_link_of_the_mail_shows_the_pin(tmp_path):
    async def scenario(house):
        await house.open(colour="#8a1538")
        await house.book()
        await asyncio.sleep(20)
        (mail,), (sms,) = house.caught("email"), house.caught("sms")
        (row,) = await house.keys_at("101")
        pin = row["code"]
        shown = f"{pin[:3]} {pin[3:]}"
        assert mail.to == "canary@guest.test"
        assert "Silk Road Kabul" in mail.sender
        assert mail.language == "fa-AF"
        assert "background-color:#8a1538" in mail.html
        assert shown in bare(mail.text)
        assert f'<bdi dir="ltr">{shown}</bdi>' in mail.html
        assert shown in bare(sms.text)
        assert mail.square.startswith(b"\x89PNG")
        assert pin not in mail.subject
        (link,) = set(re.findall(r"/guest-page/fa-AF/([0-9A-Za-z]{22})", mail.text))
        status, _, page = await Browser(house).post(link, proof="5121")
        assert (status, " ".join(pin) in page) == (200, True)
        (notice,) = await house.notices()
        assert (notice["outcome"], notice["email"]["state"], notice["sms"]["state"]) == (
            "reached",
            "sent",
            "delivered",
        )
        assert "push" not in notice or notice["push"]["state"] == "skipped"

    play_told(tmp_path, scenario)


def test_a_change_a_rest_and_an_end_are_told_and_a_second_key_takes_over_by_name(tmp_path):
    async def scenario(house):
        await house.open()
        await house.book()
        await asyncio.sleep(20)
        later = "2026-03-06T07:30:00Z"
        await house.publish("evt_2", "dates_changed", time="2026-03-01T09:10:00Z", validUntil=later)
        await asyncio.sleep(60)
        await house.publish("evt_3", "fraud_flagged", time="2026-03-01T09:20:00Z")
        await asyncio.sleep(60)
        await house.publish("evt_4", "cancelled", time="2026-03-01T09:30:00Z")
        await asyncio.sleep(60)
        kinds = [notice["kind"] for notice in await house.notices()]
        assert kinds == ["pin_code.delivered", "key.times_changed", "key.rests", "key.ended"]
        assert [notice["outcome"] for notice in await house.notices()] == ["reached"] * 4
        # A mail each; telephones ring for the code, and else only where a mail fails.
        assert len(house.caught("email")) == 4
        assert len(house.caught("sms")) == 1
        pins = {row["code"] for row in await house.keys_at("101")}
        assert not any(pin in mail.text for pin in pins for mail in house.caught("email")[1:])

    play_told(tmp_path, scenario)


def test_the_guests_app_is_told_first_and_says_so(tmp_path):
    async def scenario(house):
        await house.open(app="fid-1")
        await house.book()
        await asyncio.sleep(5)
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:20:00Z")
        await asyncio.sleep(30)
        (push,) = house.caught("push")
        assert (push.subject, "pin" in push.data) == ("کلید شما موقتاً غیرفعال است", False)
        *_, notice = await house.notices()
        assert (notice["push"]["state"], notice["email"]["state"], notice["sms"]["state"]) == (
            "delivered",
            "sent",
            "held",
        )

    play_told(tmp_path, scenario)


def test_another_pin_is_told_of_while_the_former_still_opens(tmp_path):
    async def scenario(house):
        await house.open()
        await house.book(version=1, **IN_HOUSE)
        await asyncio.sleep(20)
        former = (await house.keys_at("101"))[0]["code"]
        await house.book("evt_2", version=2, time="2026-03-01T09:10:00Z", **LONGER)
        while len(house.caught("email")) < 2:  # noqa: ASYNC110 - each look is a moment of virtual time
            await asyncio.sleep(0.1)
        told = bare(house.caught("email")[-1].text)
        (new,) = {row["code"] for row in await house.keys_at("101")} - {former}
        assert f"{new[:3]} {new[3:]}" in told
        assert former in {row["code"] for row in await house.keys_at("101")}

    play_told(tmp_path, scenario)


def test_an_issued_key_says_where_the_tenants_app_shows_it(tmp_path):
    async def scenario(house):
        await house.book()
        await asyncio.sleep(5)
        rows = (await house.documents("outbox")).values()
        (event,) = [json.loads(row["body"]) for row in rows if row["subject"].endswith("issued.v1")]
        key = event["data"]["keyCredentialId"]
        assert event["data"]["delivery"]["deepLink"] == f"melmastoon://tenant/silk/keys/{key}"

    play_told(tmp_path, scenario)


def test_a_hotel_without_settings_and_staff_without_ways_are_told_nothing(tmp_path):
    async def scenario(house):
        await house.book()
        await asyncio.sleep(20)
        assert await house.notices() == []
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play_told(tmp_path, scenario)
