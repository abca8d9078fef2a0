"""Published keys: one flight for all, a bounded number of questions, and grace through outages."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from shared.kernel.published import GRACE, IssuerOutOfReach, Published, PublishedKeys

MINUTE = timedelta(minutes=1)


class Address:
    """An address that publishes keys, slowly, when it can."""

    def __init__(self):
        self.now, self.asked, self.keys = datetime(2026, 5, 1, tzinfo=UTC), 0, {"a": 1}
        self.down, self.gate, self.max_age = False, None, timedelta(minutes=10)
        self.published = PublishedKeys(self.fetch, lambda: self.now)

    async def fetch(self):
        self.asked += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.down:
            raise IssuerOutOfReach("away")
        return Published(dict(self.keys), self.max_age)

    async def find(self, key="a"):
        try:
            return await self.published.find(key)
        except IssuerOutOfReach:
            return "out of reach"


@pytest.fixture
def address():
    return Address()


async def test_a_known_key_in_date_is_used_without_asking(address):
    assert [await address.find() for _ in range(5)] == [1] * 5
    assert address.asked == 1


async def test_two_hundred_tokens_with_invented_keys_at_once_are_one_question(address):
    address.gate = asyncio.Event()
    asking = [asyncio.ensure_future(address.find(f"invented-{number}")) for number in range(200)]
    await asyncio.sleep(0)
    address.gate.set()
    assert await asyncio.gather(*asking) == [None] * 200
    assert address.asked == 1


async def test_invented_keys_are_one_question_a_minute(address):
    for second in range(180):
        address.now += timedelta(seconds=1)
        await address.find(f"invented-{second}")
    assert address.asked == 3


async def test_a_key_that_is_new_is_found_within_the_minute(address):
    await address.find()
    address.keys["b"] = 2
    assert await address.find("b") is None
    address.now += MINUTE
    assert await address.find("b") == 2


async def test_a_key_that_was_withdrawn_is_gone_when_the_set_is_out_of_date(address):
    await address.find()
    address.keys = {"b": 2}
    address.now += timedelta(minutes=10)
    assert await address.find() is None


async def test_known_keys_outlive_an_outage_for_a_day_and_no_longer(address):
    await address.find()
    address.down = True
    address.now += timedelta(minutes=10)
    assert await address.find() == 1
    address.now += GRACE - timedelta(seconds=1)
    assert await address.find() == 1
    address.now += timedelta(seconds=1)
    assert await address.find() == "out of reach"


async def test_an_outage_is_asked_after_once_a_minute_however_many_call(address):
    await address.find()
    address.down = True
    address.now += timedelta(minutes=10)
    for _ in range(120):
        address.now += timedelta(seconds=1)
        await address.find()
        await address.find("unknown")
    assert address.asked == 1 + 2


async def test_in_an_outage_nothing_is_said_of_an_unknown_key(address):
    await address.find()
    address.down = True
    address.now += timedelta(minutes=10)
    assert await address.find("b") == "out of reach"


async def test_a_first_question_that_failed_is_put_again_after_seconds(address):
    address.down = True
    assert [await address.find() for _ in range(3)] == ["out of reach"] * 3
    address.down = False
    assert await address.find() == "out of reach"
    address.now += timedelta(seconds=5)
    assert await address.find() == 1
    assert address.asked == 2


async def test_who_stops_waiting_does_not_stop_the_others(address):
    address.gate = asyncio.Event()
    first, second = (asyncio.ensure_future(address.find()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    address.gate.set()
    assert await second == 1
    assert address.asked == 1


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        (None, MINUTE),
        (timedelta(0), MINUTE),
        (timedelta(hours=1), timedelta(hours=1)),
        (timedelta(days=100), timedelta(days=1)),
    ],
)
async def test_a_set_is_believed_for_as_long_as_it_says_within_a_minute_and_a_day(address, said, believed):
    address.max_age = said
    await address.find()
    address.now += believed - timedelta(seconds=1)
    await address.find()
    assert address.asked == 1
    address.now += timedelta(seconds=1)
    await address.find()
    assert address.asked == 2
