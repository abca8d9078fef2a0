"""Looking at locks: skew is told from the question's way, and the best gateway counts."""

from datetime import timedelta

import pytest

from shared.vendor_kit.health import skew_warnings
from tests.contract.lock.setting import DOOR_101, KABUL

MINUTES = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("skew", "codes"),
    [
        (None, []),
        (timedelta(0), []),
        (5 * MINUTES, []),
        (-5 * MINUTES, []),
        (5 * MINUTES + timedelta(milliseconds=1), ["CLOCK_SKEW"]),
        (-10 * MINUTES, ["CLOCK_SKEW"]),
        (10 * MINUTES + timedelta(milliseconds=1), ["CLOCK_SKEW", "CLOCK_SKEW_ALERT"]),
        (-30 * MINUTES, ["CLOCK_SKEW", "CLOCK_SKEW_ALERT"]),
    ],
)
def test_skew_is_warned_of_by_its_size(skew, codes):
    assert [warning.code for warning in skew_warnings(skew)] == codes


async def test_skew_halves_the_way_there_and_back(scripted):
    send = scripted.script.send
    told = int((scripted.clock.now() + timedelta(seconds=103)).timestamp() * 1000)

    async def slowly(call):
        if "queryDate" in call.url:
            scripted.clock.advance(seconds=6)
        return await send(call)

    scripted.script.send = slowly
    scripted.say({"date": told}, {"electricQuantity": 85})
    health = await scripted.vendor.health_check(DOOR_101)
    assert health.clock_skew_ms == 100_000


def listing(*reaches):
    """Return answers for room 101's lock and these gateways, each online or not."""
    gateways = [{"gatewayId": number, "isOnline": int(online)} for number, online in enumerate(reaches)]
    locks = {"list": [{"lockId": 1000101, "lockAlias": "Room 101", "featureValue": "F4354CD5F7"}], "pages": 1}
    return locks, {"list": gateways, "pages": 1}, *[{"list": [{"lockId": 1000101}]}] * len(reaches)


@pytest.mark.parametrize(
    ("reaches", "online"),
    [((), False), ((False,), False), ((False, True), True), ((True, False), True), ((False, False), False)],
)
async def test_lock_is_online_if_any_of_its_gateways_is(scripted, reaches, online):
    scripted.say(*listing(*reaches))
    (lock,) = await scripted.vendor.list_devices(KABUL.id)
    assert (lock.online, lock.capabilities.remote_revoke, lock.battery) == (online, online, None)


async def test_features_of_a_lock_are_read_as_hexadecimal(scripted):
    scripted.say(*listing(True))
    (lock,) = await scripted.vendor.list_devices(KABUL.id)
    assert (lock.capabilities.pin, lock.capabilities.card_encoding) == (True, True)


async def test_locks_are_read_to_the_last_page(scripted):
    (first, *_), pages = listing(), {"pages": 2}
    scripted.say({"list": [{"lockId": 7}], **pages}, {**first, **pages}, {"list": [], "pages": 1})
    assert [lock.device_id for lock in await scripted.vendor.list_devices(KABUL.id)] == [DOOR_101]


@pytest.mark.parametrize("odd", ["n/a", "", None, [], True, -1, 101, "9" * 5000])
async def test_what_is_odd_about_a_lock_hides_neither_it_nor_others(scripted, odd):
    (locks, *gateways) = listing()
    (lock,) = locks["list"]
    strange = {"lockId": 1000102, "featureValue": odd, "electricQuantity": odd}
    scripted.say({"list": [{**lock, "electricQuantity": "85"}, strange], "pages": 1}, *gateways)
    first, second = await scripted.vendor.list_devices(KABUL.id)
    assert (first.battery.percent, second.battery) == (85, None)


@pytest.mark.parametrize("odd", ["n/a", 10**18, None])
async def test_signal_or_time_of_a_lock_that_is_odd_hides_no_gateway(scripted, odd):
    locks, gateways, _ = listing(True)
    heard = {"list": [{"lockId": 1000101, "rssi": "weak", "updateDate": odd}]}
    scripted.say(locks, gateways, heard)
    (lock,) = await scripted.vendor.list_devices(KABUL.id)
    assert lock.online
