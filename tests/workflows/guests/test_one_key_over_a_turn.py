"""What a guest is told of two stays that follow one another in the same room, and of their key or keys."""

import asyncio
import re
from html import unescape

import pytest

from shared.messages.locales import Locale
from shared.messages.texts import our_texts
from tests.support.guests import GUEST, Browser, link_to
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
        (each["kind"], each["reservation"])
        for each in await house.notices()
        if each.get("outcome") == "reached"
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


WORDS = our_texts().tongues[Locale.EN].page
ROWS = re.compile(r"<dt>Works (?:from|until)</dt><dd><bdi[^>]*>(.*?)</bdi></dd>")
BEGUN = {"validFrom": "2026-03-01T08:30:00Z", "validUntil": TONIGHT}


async def shown(house, stay):
    """Return which times a stay's page shows, and what it says of the turn."""
    (key,) = [each["core"]["id"] for each in await house.keys()]
    token = await link_to(house, key, stay)
    _, _, page = await Browser(house).post(token.reveal(), "en", proof="5121")
    turn = [name for name in ("goes_on", "went_on") if WORDS[name].partition("{")[0] in unescape(page)]
    assert ("Saturday 7 March 2026, 12:00" in page.partition("<dl>")[2]) is True
    return [each.rpartition(", ")[2] for each in ROWS.findall(page)], turn


def test_page_of_each_stay_shows_its_own_times_and_that_the_code_opens_over_the_turn(tmp_path):
    async def scenario(house):
        await both(house, **BEGUN)
        first, following = (["13:00", "21:00"], ["goes_on"]), (["21:00", "12:00"], ["went_on"])
        assert (await shown(house, "rsv_a"), await shown(house, "rsv_b")) == (first, following)
        await asyncio.sleep(9 * 3600)
        await happens(house, "early_checkout", "rsv_a")
        (key,) = await house.keys()
        assert key["core"]["holder"]["reservation_id"] == "rsv_b"
        assert (await shown(house, "rsv_a"), await shown(house, "rsv_b")) == (first, following)

    play_told(tmp_path, scenario)


def test_page_of_a_key_that_is_the_next_stays_alone_says_nothing_of_a_turn(tmp_path):
    async def scenario(house):
        await both(house)
        await happens(house, "early_checkout", "rsv_a")
        assert (await shown(house, "rsv_b"))[1] == []

    play_told(tmp_path, scenario)


NOW_UNTIL = re.compile("همین اکنون کار می‌کند و تا (.+) به وقت محلی")


def test_guest_who_is_in_is_told_until_when_the_key_works_and_no_start_that_is_past(tmp_path):
    async def scenario(house):
        await both(house, **BEGUN)
        text = bare(house.caught("email")[-1].text)
        assert (len(NOW_UNTIL.findall(text)), FROM_UNTIL.findall(text)) == (1, [])
        assert SAME_CODE in text

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
