"""Somebody at the desk will not wait until a saga asks its vendor again by itself."""

import asyncio

import pytest

from tests.support.left_at_locks import settlements, stuck_at_its_locks
from tests.support.ordered_keys import ask_again
from tests.support.sample_hotel import play


async def waiting(house):
    """Return the id of a key whose gateway was away so long that its saga rests for minutes."""
    await house.fault("http_500", "keyboardPwd/add")
    await house.publish("evt_1")
    await asyncio.sleep(60)
    (key,) = await house.keys()
    assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("pending", 4)
    return key["core"]["id"]


def test_a_key_that_waits_for_its_next_attempt_is_made_at_once(tmp_path):
    async def scenario(house):
        key = await waiting(house)
        await house.mend()
        answer = await ask_again(house, key)
        assert answer == (200, {"key": key, "work": "issue", "vendor": "ttlock"})
        await asyncio.sleep(3)
        (made,) = await house.keys()
        assert made["state"]["type"] == "active"
        await asyncio.sleep(600)
        assert await house.told() == ["requested", "pending", "issued"]
        assert [len(await house.keys_at(door)) for door in ("101", "front")] == [1, 1]

    play(tmp_path, scenario)


def test_2_2_who_presses_at_the_desk_spends_no_attempt(tmp_path):
    async def scenario(house):
        key = await waiting(house)
        for _ in range(8):
            assert (await ask_again(house, key))[0] == 200
            await asyncio.sleep(3)
        (known,) = await house.keys()
        assert (known["state"]["type"], len(known["core"]["plan"]["made"])) == ("pending", 4)
        await house.mend()
        await ask_again(house, key)
        await asyncio.sleep(3)
        (made,) = await house.keys()
        assert (made["state"]["type"], len(made["core"]["plan"]["made"])) == ("active", 4)

    play(tmp_path, scenario)


def test_a_residue_is_asked_for_at_once(tmp_path):
    async def scenario(house):
        await stuck_at_its_locks(house)
        await asyncio.sleep(30 * 60)
        await house.mend()
        (key,) = await house.keys()
        assert (await ask_again(house, key["core"]["id"]))[1]["work"] == "settle"
        await asyncio.sleep(3)
        assert [ok for ok, _ in await settlements(house)] == [False, True]
        assert await house.keys_at("101") == await house.keys_at("front") == []

    play(tmp_path, scenario)


def test_asking_often_makes_one_key_and_no_more_attempts_than_there_are(tmp_path):
    async def scenario(house):
        key = await waiting(house)
        await asyncio.gather(*(ask_again(house, key) for _ in range(5)))
        await asyncio.sleep(900)
        (made,) = await house.keys()
        assert (made["state"]["type"], len(made["core"]["plan"]["made"])) == ("failed", 6)
        assert await house.keys_at("101") == await house.keys_at("front") == []

    play(tmp_path, scenario)


def test_a_key_with_nothing_left_to_do_is_left_alone(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (key,) = await house.keys()
        status, answer = await ask_again(house, key["core"]["id"])
        assert (status, answer["error"]["field"]) == (400, "key")
        assert "keyfleet timeline" in answer["error"]["remedy"]
        assert await house.keys() == [key]

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("key", {"key": "key_01KSAMP1E00000000000000999"}),
        ("key", {"key": "rsv_1"}),
        ("tenant", {"tenant": "x"}),
    ],
)
def test_what_is_no_key_is_refused_by_field(tmp_path, field, change):
    async def scenario(house):
        status, answer = await ask_again(house, **{"key": "key_01KSAMP1E00000000000000998", **change})
        assert (status, answer["error"]["field"]) == (400, field)
        assert answer["error"]["remedy"]

    play(tmp_path, scenario)


def test_nobody_but_an_operator_may_ask_again(tmp_path):
    async def scenario(house):
        assert (await ask_again(house, "key_1", caller=None))[0] == 401
        assert (await ask_again(house, "key_1", caller="workflow-work-on-key"))[0] == 403

    play(tmp_path, scenario)


@pytest.mark.parametrize("presses", [0, 6])
def test_who_is_impatient_does_not_fail_a_key_for_next_month(tmp_path, presses):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", validFrom="2026-04-02T09:30:00Z", validUntil="2026-04-05T07:30:00Z")
        await asyncio.sleep(2)
        (key,) = await house.keys()
        for _ in range(presses):
            await ask_again(house, key["core"]["id"])
            await asyncio.sleep(6)
        await asyncio.sleep(60)
        await house.mend()
        await asyncio.sleep(900)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)
