"""Somebody has mended a lock and will not wait: keyfleet retry, over the function that it calls."""

import asyncio

import pytest

from tests.support.sample_hotel import SILK, play
from tests.workflows.issue.test_keys_requested_anew import (
    ADD,
    IN_FIVE_DAYS,
    MINUTE,
    failed,
    keys_of,
    states,
    tasks,
)


async def retry(house, caller="operator", **body):
    return await house.on.send("retry-keys", {"tenant": str(SILK), **body}, caller=caller)


async def several(house):
    """Let three keys fail, whose guests come in another order than they booked."""
    await house.fault("errcode:-2025", ADD)
    for number, day in enumerate((8, 6, 7)):
        stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
        dates = {"validFrom": f"2026-03-0{day}T09:30:00Z", "validUntil": f"2026-03-0{day + 1}T07:30:00Z"}
        await house.publish(f"evt_{number}", **stay, **dates)
    await asyncio.sleep(2 * MINUTE)
    await house.mend()


def test_a_key_that_failed_is_requested_anew_at_once(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        await house.mend()
        (old,) = await keys_of(house, "rsv_1")
        status, answer = await retry(house, key=old["core"]["id"])
        await asyncio.sleep(5)
        _, new = await keys_of(house, "rsv_1")
        retried = {"key": old["core"]["id"], "work": "issue", "vendor": "ttlock", "anew": [new["core"]["id"]]}
        assert (status, answer) == (200, {"retried": [retried], "refused": []})
        assert new["state"]["type"] == "active"
        assert await tasks(house) == []

    play(tmp_path, scenario)


def test_pressed_twice_at_one_moment_it_makes_one_key(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        await house.mend()
        (old,) = await keys_of(house, "rsv_1")
        answers = await asyncio.gather(*(retry(house, key=old["core"]["id"]) for _ in range(3)))
        assert sorted(status for status, _ in answers) == [200, 400, 400]
        await asyncio.sleep(20 * MINUTE)
        assert await states(house) == ["failed", "active"]

    play(tmp_path, scenario)


@pytest.mark.parametrize("vendor", [None, "ttlock"])
def test_all_that_failed_are_requested_anew_who_arrives_first_first(tmp_path, vendor):
    async def scenario(house):
        await several(house)
        shown = (await house.on.send("_cloud/failed", caller="operator", method="GET"))[1]["failed"]
        assert [each["reservation"] for each in shown] == ["rsv_1", "rsv_2", "rsv_0"]
        _, answer = await retry(house, vendor=vendor)
        assert [each["key"] for each in answer["retried"]] == [each["key"] for each in shown]
        await asyncio.sleep(30)
        for reservation in ("rsv_0", "rsv_1", "rsv_2"):
            assert await states(house, reservation) == ["failed", "active"]
        assert (await house.on.send("_cloud/failed", caller="operator", method="GET"))[1] == {"failed": []}

    play(tmp_path, scenario)


def test_other_vendors_keys_are_left_alone(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        assert await retry(house, vendor="mock") == (200, {"retried": [], "refused": [], "left": 0})
        assert await states(house) == ["failed"]

    play(tmp_path, scenario)


def test_a_key_whose_stay_is_over_is_refused_with_what_to_do(tmp_path):
    async def scenario(house):
        await failed(house, **IN_FIVE_DAYS)
        await house.publish("evt_2", "cancelled", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(5)
        (old,) = await keys_of(house, "rsv_1")
        status, answer = await retry(house, key=old["core"]["id"])
        assert (status, answer["error"]["field"]) == (400, "key")
        assert "keyfleet timeline rsv_1" in answer["error"]["remedy"]
        assert await retry(house) == (200, {"retried": [], "refused": [], "left": 0})

    play(tmp_path, scenario)


def test_nobody_but_an_operator_may(tmp_path):
    async def scenario(house):
        assert (await retry(house, caller=None))[0] == 401
        assert (await retry(house, caller="workflow-work-on-key"))[0] == 403

    play(tmp_path, scenario)
