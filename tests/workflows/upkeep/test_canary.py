"""A vendor's next build on trial (A §15.5): a good one is promoted, a bad one goes back by itself."""

import asyncio
from datetime import timedelta

import pytest

from shared.vendors.ttlock.adapter import open_vendor
from tests.support.canary import ask, begin, book, crashing, handed, plant, refusing, shown, trials
from tests.support.sample_hotel import play

LONG = 30 * 60 + 30
ROLLED_BACK = "a vendor's next build was rolled back"


async def on_trial(house, build, before):
    """Put a build on trial after some keys of the present one."""
    await book(house, 0, before)
    plant(house, build)
    await begin(house)
    await asyncio.sleep(30)


def alerts(house):
    return [line for line in house.logged("ALERT") if line["message"] == ROLLED_BACK]


def good():
    return open_vendor


async def pass_days(house, days):
    house.fleet.world.clock._beginning += timedelta(days=days)
    await asyncio.sleep(LONG)


def test_a_good_build_takes_a_share_then_all_keys_and_is_promoted(tmp_path):
    async def scenario(house):
        await on_trial(house, good, 8)
        assert await handed(house) == [["ttlock", 25, 1]]
        await book(house, 8, 16)
        assert 0 < len(await trials(house)) < 10, "a quarter of the keys, and by chance"
        await pass_days(house, 1)
        assert await handed(house) == [["ttlock", 25, 1]], "so few keys say nothing"
        await book(house, 24, 24)
        await asyncio.sleep(LONG)
        assert await handed(house) == [["ttlock", 100, 1]]
        before = len(await trials(house))
        await book(house, 48, 6)
        await house.keys_active(54)
        done = await trials(house)
        assert (len(done), all(done)) == (before + 6, True)
        for days in (6, 1, 1):
            await pass_days(house, days)
        it = await shown(house)
        assert (it["stage"], it["step"], it["build"], it.get("reason")) == ("promoted", 3, "next-1", None)
        assert (it["figures"]["issueSuccessRate"], it["before"]["issueSuccessRate"]) == (1.0, 1.0)
        assert it["before"]["calls"] == 16
        assert await handed(house) == [], "the present build goes on until this one is released"
        assert not alerts(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize("bad", [crashing, pytest.param(refusing, marks=pytest.mark.soak)])
def test_a_bad_build_goes_back_by_itself_and_no_key_is_lost(tmp_path, bad):
    async def scenario(house):
        await on_trial(house, bad, 4)
        await book(house, 4, 20)
        assert len(await trials(house)) >= 3
        await asyncio.sleep(1800)
        it = await shown(house)
        assert (it["stage"], it["reason"]) == ("rolled_back", "issue.success.rate")
        assert len(alerts(house)) == 1
        assert await handed(house) == []
        await house.keys_active(24)
        await house.settled()
        count = len(await trials(house))
        await book(house, 24, 4)
        await house.keys_active(28)
        assert len(await trials(house)) == count, "nobody asks it any more"
        assert sum([len(await house.keys_at(door)) for door in ("101", "102", "203", "204")]) == 28

    play(tmp_path, scenario)


def test_a_build_that_is_not_there_or_is_replaced_meanwhile_goes_back(tmp_path):
    async def scenario(house):
        gone = house.fleet._functions.pop("adapter-ttlock-next")
        await begin(house)
        await asyncio.sleep(60)
        assert (await shown(house))["reason"] == "silent"
        house.fleet._functions["adapter-ttlock-next"] = gone
        plant(house, good)
        await begin(house)
        await asyncio.sleep(60)
        assert (await shown(house))["build"] == "next-1"
        plant(house, good, build="next-2")
        await asyncio.sleep(360)
        it = await shown(house)
        assert (it["stage"], it["reason"], it["turn"]) == ("rolled_back", "another_build", 2)
        assert len(alerts(house)) == 2

    play(tmp_path, scenario)


def test_a_person_ends_a_trial_and_an_execution_that_died_is_taken_up(tmp_path):
    async def scenario(house):
        plant(house, good)
        await begin(house)
        await asyncio.sleep(30)
        (execution,) = running(house)
        await house.fleet.sagas.cancel(execution)
        await asyncio.sleep(75 * 60)
        assert running(house) not in ([], [execution])
        assert (await ask(house, "/stop", {"vendor": "ttlock"}))["stage"] == "stopped"
        assert await handed(house) == []
        await asyncio.sleep(LONG)
        assert running(house) == []
        assert not alerts(house)

    play(tmp_path, scenario)


def running(house):
    found = house.fleet.means.engine.read(
        "SELECT id FROM executions WHERE workflow = 'promote_canary' AND state = 'ACTIVE'", ()
    )
    return [each for (each,) in found]
