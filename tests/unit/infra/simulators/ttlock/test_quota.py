"""Call limits: per minute, and per month of Beijing."""

from datetime import UTC, datetime

import pytest


async def count(sim):
    """Ask how much of the month is used."""
    answer = await sim.post(
        "/app/getMonthRequestCount", clientSecret="sim-secret", accessToken=None, date=None
    )
    return answer["monthRequestCount"]


@pytest.fixture
async def limited(at_a_hotel, hotel):
    """Make a simulator whose application is limited; logging in was its first call."""

    async def make(**limits):
        return await at_a_hotel(applications=[{**hotel["applications"][0], **limits}])

    return make


async def call(sim):
    """Make one call; return its errcode."""
    return (await sim.get("/v3/lock/list", pageNo=1, pageSize=1)).get("errcode", 0)


async def test_calls_of_a_minute_are_limited(limited):
    sim = await limited(callsPerMinute=3)
    assert [await call(sim) for _ in range(3)] == [0, 0, 30006]
    sim.wait(seconds=59)
    assert await call(sim) == 30006
    sim.wait(seconds=1)
    assert await call(sim) == 0


async def test_a_refused_call_is_not_counted(limited):
    sim = await limited(callsPerMinute=1)
    assert await call(sim) == 30006
    assert await count(sim) == 1


async def test_the_month_ends_in_beijing(limited):
    sim = await limited(callsPerMonth=2)
    assert [await call(sim), await call(sim)] == [0, 30007]
    sim.present = datetime(2026, 3, 31, 15, 59, tzinfo=UTC)
    assert await call(sim) == 30007
    sim.present = datetime(2026, 3, 31, 16, 0, tzinfo=UTC)
    assert await count(sim) == 0
    assert await call(sim) == 0


async def test_asking_for_the_count_is_free_and_possible_when_nothing_else_is(limited):
    sim = await limited(callsPerMonth=1)
    assert [await count(sim), await count(sim)] == [1, 1]


async def test_limits_can_be_changed(sim):
    change = {"clientId": "sim-client", "callsPerMonth": 100, "usedThisMonth": 100}
    status, shown = await sim.control("PATCH", "/quota", change)
    assert (status, shown["callsPerMonth"], shown["months"]) == (200, 100, {"2026-03": 100})
    assert await call(sim) == 30007
    await sim.control("PATCH", "/quota", {"clientId": "sim-client", "callsPerMonth": None})
    assert await call(sim) == 0
    await sim.control("PATCH", "/quota", {"clientId": "sim-client", "callsPerMinute": 0})
    assert await call(sim) == 30006
    assert (await sim.control("PATCH", "/quota", {"clientId": "nobody"}))[0] == 404
    assert (await sim.control("GET", "/quota"))[1]["sim-client"]["callsPerMonth"] is None
