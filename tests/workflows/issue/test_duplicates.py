"""Whatever comes twice, late, out of order or at a bad moment: one key or none, and nothing left over."""

import asyncio
from random import Random

import orjson
import pytest

from infra.local.ambient import SeededEntropy
from infra.local.bus.chaos import Storm
from tests.support.sample_hotel import BOOKING, message, play
from tests.support.verdict import ISSUED, Books, assert_nothing_left, assert_one_active_key, assert_taken_back

SEEDS = (1, 2, 3)
A_WHILE, HALF_AN_HOUR = 60, 1800
EARLIER, LATER = "2026-03-01T09:30:00Z", "2026-03-01T10:30:00Z"


def _storm(seed):
    return Storm(SeededEntropy(seed), duplicated=0.3, longest_delay=3.0)


def _overheard(house):
    """Note every event that the fleet publishes from now on."""
    heard, publish = [], house.fleet.bus.publish

    async def overheard(topic, messages):
        heard.extend((topic, orjson.loads(each.data)["id"]) for each in messages)
        return await publish(topic, messages)

    house.fleet.bus.publish = overheard
    return heard


async def _executed(house, operation):
    counters = await house.steer("GET", "counters")
    return counters.get(operation, {}).get("executed", 0)


async def _state(house):
    return await house.steer("GET", "state")


async def _publish_all(house, messages, subject="confirmed"):
    topic = f"{BOOKING}.{subject}.v1"
    await asyncio.gather(*(house.fleet.bus.publish(topic, [each]) for each in messages))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("event", ["evt_same", "evt_{}"])
def test_a_hundred_confirmations_of_a_booking_make_one_key(tmp_path, event, seed):
    async def scenario(house):
        heard = _overheard(house)
        messages = [message(event.format(number)) for number in range(100)]
        Random(seed).shuffle(messages)
        await _publish_all(house, messages)
        await asyncio.sleep(HALF_AN_HOUR)
        assert_one_active_key(Books(tmp_path), await _state(house))
        assert await _executed(house, "keyboardPwd/add") == 2
        assert len({identity for topic, identity in heard if topic == ISSUED}) == 1
        assert house.quarantined() == []

    play(tmp_path, scenario, seed, chaos=_storm(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hundred_checkouts_take_a_key_back_once(tmp_path, seed):
    async def scenario(house):
        await house.publish("evt_in")
        await asyncio.sleep(A_WHILE)
        left = {"subject": "checked_out", "time": LATER}
        await _publish_all(house, [message(f"evt_{number}", **left) for number in range(100)], "checked_out")
        await asyncio.sleep(HALF_AN_HOUR)
        assert_taken_back(Books(tmp_path), await _state(house))
        assert (await house.told()).count("revoked") == 1

    play(tmp_path, scenario, seed, chaos=_storm(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_sagas_of_one_key_make_one_set_of_grants(tmp_path, seed):
    async def scenario(house):
        await house.publish("evt_in")
        await asyncio.sleep(A_WHILE)
        books = Books(tmp_path)
        assert_one_active_key(books, await _state(house))
        assert len(books.of("grants")) == await _executed(house, "keyboardPwd/add") == 2
        await house.publish("evt_out", "checked_out", time=LATER)
        await asyncio.sleep(HALF_AN_HOUR)
        assert_taken_back(books, await _state(house))

    play(tmp_path, scenario, seed, saga_starts=lambda: 2)


@pytest.mark.parametrize("end", ["cancelled", "checked_out"])
def test_a_stay_that_ended_before_it_was_confirmed_gets_no_key(tmp_path, end):
    async def scenario(house):
        await house.publish("evt_out", end, time=LATER)
        await asyncio.sleep(A_WHILE)
        await house.publish("evt_in", time=EARLIER)
        await asyncio.sleep(HALF_AN_HOUR)
        assert await house.keys() == await house.told() == house.vendor.asked == []
        (stay,) = Books(tmp_path).of("reservations").values()
        assert stay["status"] == end
        assert [heard["outcome"] for heard in stay["heard"]] == ["applied", "ignored"]

    play(tmp_path, scenario)


def test_a_stay_confirmed_anew_after_its_end_gets_a_key_of_its_own(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(A_WHILE)
        await house.publish("evt_2", "cancelled", time=LATER)
        await asyncio.sleep(A_WHILE)
        await house.publish("evt_3", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(HALF_AN_HOUR)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "active"]
        assert len(await house.keys_at("101")) == len(await house.keys_at("front")) == 1

    play(tmp_path, scenario)


@pytest.mark.parametrize("moment", [0.5, 2.5, 3.5, 5.0, 6.5, 9.5])
def test_a_booking_cancelled_while_its_vendor_is_at_work_leaves_nothing(tmp_path, moment):
    async def scenario(house):
        await house.steer("PUT", "latency", cloudMs=[500, 500], gatewayMs=[2000, 2000])
        await house.publish("evt_in")
        await asyncio.sleep(moment)
        await house.publish("evt_out", "cancelled", time=LATER)
        await asyncio.sleep(HALF_AN_HOUR)
        assert_nothing_left(Books(tmp_path), await _state(house))

    play(tmp_path, scenario)


@pytest.mark.parametrize("fault", ["slow", "timeout_after_success", "drop", "http_500"])
@pytest.mark.parametrize("operation", ["keyboardPwd/add", "keyboardPwd/delete", "*"])
def test_a_booking_cancelled_while_its_vendor_says_nothing_leaves_nothing(tmp_path, fault, operation):
    async def scenario(house):
        await house.fault(fault, operation, seconds=70, times=2)
        await house.publish("evt_in")
        await asyncio.sleep(2)
        await house.publish("evt_out", "cancelled", time=LATER)
        await asyncio.sleep(HALF_AN_HOUR)
        assert_nothing_left(Books(tmp_path), await _state(house))

    play(tmp_path, scenario)


@pytest.mark.parametrize("fault", ["http_500", "http_502", "drop", "timeout_after_success", "errcode:90000"])
def test_a_vendor_broken_for_five_minutes_makes_the_key_in_the_end(tmp_path, fault):
    async def scenario(house):
        await house.fault(fault, "*")
        await house.publish("evt_in")
        await asyncio.sleep(300)
        assert await house.active_keys() == []
        await house.mend()
        await asyncio.sleep(HALF_AN_HOUR)
        assert_one_active_key(Books(tmp_path), await _state(house))
        assert await _executed(house, "keyboardPwd/add") == 2

    play(tmp_path, scenario)


@pytest.mark.parametrize("seconds", [1, 70])
def test_a_key_whose_making_nobody_heard_of_is_found_and_not_made_again(tmp_path, seconds):
    async def scenario(house):
        await house.fault("timeout_after_success", "keyboardPwd/add", times=1, seconds=seconds)
        await house.publish("evt_in")
        await asyncio.sleep(HALF_AN_HOUR)
        assert_one_active_key(Books(tmp_path), await _state(house))
        assert await _executed(house, "keyboardPwd/add") == 2

    play(tmp_path, scenario)


def test_a_gateway_that_comes_back_within_five_minutes_makes_the_key_in_the_end(tmp_path):
    async def scenario(house):
        await _gateways(house, online=False)
        await house.publish("evt_in")
        await asyncio.sleep(300)
        assert await house.keys_at("101") == []
        await _gateways(house, online=True)
        await asyncio.sleep(HALF_AN_HOUR)
        assert_one_active_key(Books(tmp_path), await _state(house))

    play(tmp_path, scenario)


def test_a_gateway_that_stays_away_makes_a_task_for_the_desk_and_no_key(tmp_path):
    async def scenario(house):
        await _gateways(house, online=False)
        await house.publish("evt_in")
        await asyncio.sleep(HALF_AN_HOUR / 2)
        (key,) = await house.keys()
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("failed", 6)
        assert list(await house.documents("manual_tasks")) == [key["core"]["id"]]
        assert_nothing_left(Books(tmp_path), await _state(house))
        await _gateways(house, online=True)
        await asyncio.sleep(HALF_AN_HOUR)
        assert [key["state"]["type"] for key in await house.keys()] == ["failed", "active"]
        assert await house.documents("manual_tasks") == {}

    play(tmp_path, scenario)


async def _gateways(house, *, online):
    for gateway in (await _state(house))["gateways"]:
        await house.steer("PATCH", f"gateways/{gateway['gatewayId']}", online=online)
