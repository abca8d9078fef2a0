"""The ladder under faults: the messages that the policy asks for, and the desk where nothing reaches."""

import asyncio
from random import Random

import pytest

from tests.support.guests import GUEST
from tests.support.told_hotel import play_told

ALERT = "a guest could be told on no way"


def ways(notice):
    return {way: notice[way]["state"] for way in ("push", "email", "sms") if way in notice}


def desk_calls(house):
    return [line for line in house.logged("ALERT") if line["message"] == ALERT]


def guest(**contact):
    return {**GUEST, "contact": contact}


async def told(house, after=1800.0):
    await asyncio.sleep(after)
    return (await house.notices())[-1]


def test_a_push_without_a_receipt_is_given_up_after_a_minute_and_the_mail_was_sent_anyway(tmp_path):
    async def scenario(house):
        await house.open(app="sim-silent")
        await house.book()
        await asyncio.sleep(5)
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:20:00Z")
        await asyncio.sleep(50)
        assert ways((await house.notices())[-1])["push"] == "sent"
        notice = await told(house, 30)
        assert ways(notice) == {"push": "undelivered", "email": "sent", "sms": "held"}
        assert (notice["outcome"], desk_calls(house)) == ("reached", [])

    play_told(tmp_path, scenario)


def test_a_mail_that_cannot_be_delivered_falls_back_to_sms(tmp_path):
    async def scenario(house):
        await house.open(app="sim-unregistered")
        await house.book()
        await asyncio.sleep(5)
        house.faults["email"].append("bad_address")
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:20:00Z")
        notice = await told(house)
        assert ways(notice) == {"push": "failed", "email": "failed", "sms": "delivered"}
        assert len(house.caught("sms")) == 2
        # The address is known to be none, and the app to be gone.
        await house.publish("evt_3", "cancelled", time="2026-03-01T09:40:00Z")
        notice = await told(house, 300)
        assert notice["email"]["reason"] == "suppressed_no_such_address"
        assert notice["push"]["reason"] == "no_app"

    play_told(tmp_path, scenario)


@pytest.mark.parametrize(
    ("contact", "tried"),
    [
        ({}, {"email": "skipped", "sms": "skipped"}),
        ({"phoneE164": "+93700550001"}, {"email": "skipped", "sms": "failed"}),
        ({"phoneE164": "+93700550002"}, {"email": "skipped", "sms": "undelivered"}),
    ],
)
def test_a_guest_who_is_reached_on_no_way_is_the_desks_to_tell_once(tmp_path, contact, tried):
    async def scenario(house):
        await house.open()
        await house.book(guest=guest(**contact))
        notice = await told(house)
        assert (ways(notice), notice["outcome"]) == (tried, "unreached")
        (call,) = desk_calls(house)
        assert (call["reservationId"], call["runbook"]) == ("rsv_1", "guests/not-reached")

    play_told(tmp_path, scenario)


def test_the_desk_is_called_though_whoever_was_to_call_it_died(tmp_path, monkeypatch):
    async def scenario(house):
        log = house.fleet.platform.log
        alert = log.alert
        deaths = [SystemExit]

        def dies_once(*said, **more):
            if deaths:
                raise deaths.pop()
            alert(*said, **more)

        monkeypatch.setattr(log, "alert", dies_once)
        await house.open()
        await house.book(guest=guest())
        notice = await told(house)
        assert (notice["outcome"], deaths, len(desk_calls(house))) == ("unreached", [], 1)
        assert "due_at" not in notice

    play_told(tmp_path, scenario)


def test_an_sms_nobody_tells_of_is_the_desks_a_day_before_the_guest_comes(tmp_path):
    async def scenario(house):
        await house.open()
        await house.book(guest=guest(phoneE164="+93700550003"), validFrom="2026-03-02T10:30:00Z")
        notice = await told(house)
        assert (ways(notice)["sms"], notice.get("outcome")) == ("unconfirmed", None)
        assert desk_calls(house) == []
        notice = await told(house, 3720)
        assert (notice["outcome"], len(desk_calls(house))) == ("unreached", 1)

    play_told(tmp_path, scenario)


def test_a_status_that_comes_twice_late_or_before_the_answer_changes_nothing(tmp_path):
    async def scenario(house):
        await house.open()
        house.faults["sms"].append("status_first")
        await house.book("evt_1")
        assert ways(await told(house, 60))["sms"] == "delivered"
        house.faults["sms"].append("twice")
        await house.book("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
        assert [ways(each)["sms"] for each in await house.notices()] == ["delivered"]
        await asyncio.sleep(60)
        assert [ways(each)["sms"] for each in await house.notices()] == ["delivered", "delivered"]
        assert len(house.caught("sms")) == 2

    play_told(tmp_path, scenario)


def test_an_sms_whose_answer_was_lost_is_found_at_the_provider_and_not_sent_again(tmp_path):
    async def scenario(house):
        await house.open()
        house.faults["sms"].append("broken")
        await house.book()
        notice = await told(house, 120)
        assert len(house.caught("sms")) == 1
        assert (notice["sms"]["state"], notice["sms"]["tries"]) == ("sent", 2)

    play_told(tmp_path, scenario)


def test_a_mail_server_that_is_away_is_asked_again_and_then_given_up(tmp_path):
    async def scenario(house):
        await house.open()
        house.faults["email"].extend(["down", "busy"])
        await house.book("evt_1")
        notice = await told(house)
        assert (notice["email"]["state"], notice["email"]["tries"]) == ("sent", 3)
        house.faults["email"].extend(["away"] * 4)
        await house.book("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
        notice = await told(house)
        assert (notice["email"]["state"], notice["outcome"]) == ("failed", "reached")
        assert len(house.caught("email")) == 1

    play_told(tmp_path, scenario)


def test_by_night_no_telephone_rings_unless_the_guest_comes_soon(tmp_path):
    async def scenario(house):
        # It is half past one in the afternoon at the hotel.
        await house.open(quiet_from=13, quiet_until=18)
        await house.book("evt_1")
        await house.book("evt_2", reservationId="rsv_2", rooms=["rmu_102"], validFrom="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        assert len(house.caught("email")) == 2
        assert len(house.caught("sms")) == 1
        await asyncio.sleep(5 * 3600)
        assert len(house.caught("sms")) == 2
        assert [each["outcome"] for each in await house.notices()] == ["reached", "reached"]

    play_told(tmp_path, scenario)


def test_what_is_true_no_more_is_told_to_nobody(tmp_path):
    async def scenario(house):
        await house.open(quiet_from=13, quiet_until=18)
        house.faults["email"].extend(["busy"] * 2)
        await house.book()
        await asyncio.sleep(5)
        await house.publish("evt_2", "cancelled", time="2026-03-01T09:20:00Z")
        await asyncio.sleep(6 * 3600)
        first, last = await house.notices()
        assert (first["outcome"], last["kind"]) == ("superseded", "key.ended")
        assert house.caught("sms") == []
        assert len(house.caught("email")) == 1

    play_told(tmp_path, scenario)


async def _seeded(house, seed):
    chance = Random(seed)
    for way, faults in {
        "email": ["down", "busy", "bad_address", "breaks", "away"],
        "sms": ["undelivered", "silent", "status_first", "twice", "broken", "busy", "opted_out"],
        "push": ["silent"],
    }.items():
        house.faults[way].extend(chance.choices([*faults, "", ""], k=chance.randint(0, 5)))
    phone = chance.choice(["+93700555121", "+93700550002", None])
    mail = chance.choice(["canary@guest.test", None])
    contact = {name: value for name, value in (("email", mail), ("phoneE164", phone)) if value}
    await house.open(app=chance.choice([None, "fid-1", "sim-silent", "sim-unregistered"]))
    await house.book(guest=guest(**contact))
    await asyncio.sleep(2 * 3600)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.soak) for n in range(4, 40))]
)
def test_under_any_faults_a_guest_is_reached_or_the_desk_is_called_and_no_sms_comes_twice(tmp_path, seed):
    async def scenario(house):
        await _seeded(house, seed)
        (notice,) = await house.notices()
        arrived = {way for way in ways(notice) if notice[way]["state"] in ("delivered", "sent")}
        if notice.get("outcome") == "unreached":
            assert len(desk_calls(house)) == 1
            assert "delivered" not in ways(notice).values()
        else:
            assert desk_calls(house) == []
            assert arrived or ways(notice)["sms"] == "unconfirmed"
        # A line that broke after a mail was taken is the one way to two of it, and both say the same.
        assert len(house.caught("sms")) <= 1
        assert len({mail.data["message-id"] for mail in house.caught("email")}) <= 1

    play_told(tmp_path, scenario, seed)


@pytest.mark.parametrize(("ended", "calls"), [("checked_out", 0), ("cancelled", 1)])
def test_nobody_is_called_to_tell_a_guest_who_has_left_that_the_key_ended(tmp_path, ended, calls):
    async def scenario(house):
        await house.open()
        await house.book(guest=guest(phoneE164="+93700555555"))
        await asyncio.sleep(60)
        assert (await house.notices())[-1]["outcome"] == "reached"
        await house.publish("evt_2", ended, time="2026-03-01T09:20:00Z")
        notice = await told(house, 300)
        assert (notice["kind"], notice["outcome"]) == ("key.ended", "unreached")
        assert len(desk_calls(house)) == calls

    play_told(tmp_path, scenario)
