"""A vendor that stays away: no execution sleeps through it, and whoever tries again at once still does."""

import asyncio
from datetime import datetime

import pytest

from shared.keywork import trouble_line
from shared.ledger.delays import SHORT_TROUBLE
from shared.vendor_kit.breaker import DEFAULT_BREAKER
from tests.support.sample_hotel import DOORS, play

ROOMS = [door for door in DOORS if door != "front"]
FAR = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
OFF = "2026-03-01T11:00:00Z"
GUESTS = 24
REMOVE = "keyboardPwd/delete"
AN_ATTEMPT = 15
A_SWEEP = 60
MOST_PARKED, TICK = 4, 0.5
REST = DEFAULT_BREAKER.rest.total_seconds()


async def guests(house, many=GUESTS):
    """Let so many have a key, one room each."""
    await house.unmap("front")
    for number in range(many):
        stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
        await house.publish(f"evt_{number}", **stay, rooms=[f"rmu_{ROOMS[number % len(ROOMS)]}"], **FAR)
    await house.keys_active(many)
    await house.settled()


async def leave(house, many=GUESTS):
    for number in range(many):
        await house.publish(f"off_{number}", "cancelled", time=OFF, reservationId=f"rsv_{number}")


async def codes(house):
    return [code for door in ROOMS for code in await house.keys_at(door)]


async def seconds_until_left(house, many):
    """Return how long it takes until no more codes than these stand at doors."""
    began = asyncio.get_running_loop().time()
    while len(await codes(house)) > many:  # noqa: ASYNC110 - virtual time, and nobody to tell us
        await asyncio.sleep(TICK)
    return asyncio.get_running_loop().time() - began


async def seconds_until_all_are_gone(house):
    return await seconds_until_left(house, 0)


def executions(house):
    """Return of each execution that works on a key its state, and how long it lived."""
    rows = house.fleet.means.engine.read(
        "SELECT state, started_at, ended_at FROM executions WHERE workflow = 'work_on_key'", ()
    )
    return [(state, _seconds(began, ended)) for state, began, ended in rows]


def _seconds(began, ended):
    if ended is None:
        return None
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def days(minutes, seeds):
    return [pytest.param(minutes, seed, marks=[pytest.mark.soak] if seed else []) for seed in seeds]


@pytest.mark.parametrize(("minutes", "seed"), [*days(3, [0, 4, 12, 13]), *days(8, [0, 1, 2, 3])])
def test_doors_are_shut_within_two_rests_of_a_circuit_and_the_last_within_three_sweeps(
    tmp_path, minutes, seed
):
    """Who found the circuit open rests once more; a key at its fourth try is parked, and comes by a sweep."""

    async def scenario(house):
        await guests(house)
        await house.fault("http_500", REMOVE)
        await leave(house)
        await asyncio.sleep(minutes * 60)
        await house.mend()
        soon = await seconds_until_left(house, MOST_PARKED)
        return soon, soon + await seconds_until_left(house, 0), len(executions(house))

    soon, last, begun = play(tmp_path, scenario, seed)
    assert soon <= REST * 2 + TICK
    assert last <= A_SWEEP * 3
    assert begun <= 2 * GUESTS + GUESTS * 3


@pytest.mark.parametrize(("minutes", "seed"), days(8, [0, 3, 6, 11]))
def test_where_nobody_may_watch_no_execution_sleeps_through_an_outage(tmp_path, monkeypatch, minutes, seed):
    """As beyond the five hundred of a vendor's that may; a sweep at an open circuit leaves it to the next."""
    monkeypatch.setattr(trouble_line, "WATCHERS", 0)

    async def scenario(house):
        await guests(house)
        await house.fault("http_500", REMOVE)
        await leave(house)
        await asyncio.sleep(minutes * 60)
        waiting = sum(state == "ACTIVE" for state, _ in executions(house))
        await house.mend()
        gone = await seconds_until_all_are_gone(house)
        await house.settled()  # the last execution ends a moment after its door is shut
        return waiting, gone, [lived for _, lived in executions(house)]

    waiting, seconds, lived = play(tmp_path, scenario, seed)
    assert waiting == 0
    assert max(lived) <= SHORT_TROUBLE.total_seconds() + AN_ATTEMPT
    assert seconds <= 3 * A_SWEEP


@pytest.mark.parametrize("seconds", [5, 20, 45])
def test_a_short_trouble_costs_no_other_execution_and_no_wait_for_a_sweep(tmp_path, seconds):
    async def scenario(house):
        await guests(house, 1)
        await house.fault("http_500", REMOVE)
        await leave(house, 1)
        await asyncio.sleep(seconds)
        await house.mend()
        return await seconds_until_all_are_gone(house), len(executions(house))

    gone, begun = play(tmp_path, scenario)
    assert begun == 2
    assert gone <= 45
