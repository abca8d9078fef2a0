"""What a guest is told of two stays that follow one another in the same room, and of their key or keys."""

import asyncio
import re

import pytest

from tests.support.guests import GUEST
from tests.support.told_hotel import play_told
from tests.workflows.guests.test_guests_are_told import bare
from tests.workflows.stays.test_stays_back_to_back import LATER, NEXT, TURN, happens

CODE, TIMES, ENDED = "pin_code.delivered", "key.times_changed", "key.ended"
TONIGHT = "2026-03-01T16:30:00Z"
FROM_UNTIL = re.compile("از (.+) تا (.+) به وقت محلی")
SAME_CODE = "همان کود باقی می‌ماند"
BEFORE = [(CODE, "rsv_a"), (TIMES, "rsv_a")]


async def both(house, **first):
    """Have a guest of two such stays, who was told the code that opens until the second ends."""
    await house.open()
    await house.publish("evt_1", reservationId="rsv_a", guest=GUEST, **first)
    await asyncio.sleep(30)
    await house.publish(
        "evt_2", **{**NEXT, "guest": GUEST, "validFrom": first.get("validUntil", TURN)}, time=LATER
    )
    await asyncio.sleep(60)
    assert await told(house) == BEFORE


async def told(house):
    """Return of what the guest was told, and for which stay."""
    return [
        (each["kind"], each["reservation"]) for each in await house.notices() if each["outcome"] == "reached"
    ]


@pytest.mark.parametrize(
    ("hours", "news"), [(1, [(TIMES, "rsv_b")]), (4, [])], ids=["long before", "at the turn"]
)
def test_key_that_becomes_the_next_stays_is_news_only_if_it_opens_at_other_times(tmp_path, hours, news):
    async def scenario(house):
        await both(house, validFrom="2026-03-01T10:30:00Z", validUntil=TONIGHT)
        await asyncio.sleep(hours * 3600)
        await happens(house, "early_checkout", "rsv_a")
        (key,) = await house.keys()
        assert key["core"]["holder"]["reservation_id"] == "rsv_b"
        assert await told(house) == [*BEFORE, *news]

    play_told(tmp_path, scenario)


def test_next_stay_that_is_longer_is_told_its_own_code_and_not_that_the_first_key_is_as_it_was(tmp_path):
    async def scenario(house):
        await both(house)
        await happens(house, "dates_changed", "rsv_b", validUntil="2026-03-08T07:30:00Z")
        assert await told(house) == [*BEFORE, (CODE, "rsv_b")]

    play_told(tmp_path, scenario)


def test_first_stay_that_becomes_shorter_is_told_so_beside_the_next_stays_code(tmp_path):
    async def scenario(house):
        await both(house)
        await happens(house, "dates_changed", "rsv_a", validUntil="2026-03-04T07:30:00Z")
        assert sorted((await told(house))[2:]) == [(TIMES, "rsv_a"), (CODE, "rsv_b")]

    play_told(tmp_path, scenario)


@pytest.mark.parametrize("word", ["cancelled", "fraud_flagged"])
def test_first_key_that_ends_sooner_with_no_code_in_its_place_is_told_so_and_no_more(tmp_path, word):
    async def scenario(house):
        await both(house)
        await happens(house, word, "rsv_b")
        await house.publish("evt_6", "cancelled", time="2026-03-01T12:20:00Z", reservationId="rsv_b")
        await asyncio.sleep(90)
        assert await told(house) == [*BEFORE, (TIMES, "rsv_a")]

    play_told(tmp_path, scenario)


def test_end_of_a_key_whose_code_was_told_says_which_times_it_was_for(tmp_path):
    async def scenario(house):
        await both(house)
        assert SAME_CODE in bare(house.caught("email")[-1].text)
        await happens(house, "dates_changed", "rsv_b", validUntil="2026-03-08T07:30:00Z")
        await house.publish("evt_6", "cancelled", time="2026-03-01T12:20:00Z", reservationId="rsv_b")
        await asyncio.sleep(90)
        assert (await told(house))[-1] == (ENDED, "rsv_b")
        times = [FROM_UNTIL.findall(bare(mail.text)) for mail in house.caught("email")]
        assert [len(each) for each in times] == [1, 1, 1, 1]
        assert times[-1] == times[-2]
        assert times[-1] not in times[:2]

    play_told(tmp_path, scenario)
