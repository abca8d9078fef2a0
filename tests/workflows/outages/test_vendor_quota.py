"""A vendor's month of calls: forecast, kept for removals, and told of days before it ends."""

import asyncio

import orjson

from shared.domain.secret import Secret
from tests.support.sample_hotel import play
from tests.support.shifts import begun

ACCOUNT = "lock-ttlock-tnt_silk-ppt_kabul-api"


async def with_month(house, calls):
    """Let the hotel's account say how many calls its application has."""
    secrets = house.fleet.platform.secrets
    fields = orjson.loads((await secrets.latest(ACCOUNT)).value.reveal())
    await secrets.add(ACCOUNT, Secret(orjson.dumps({**fields, "callsPerMonth": calls})))


async def planned(house):
    status, answer = await house.on.send("plan-quota", {}, caller="operator")
    assert status == 200, answer
    (plan,) = answer["planned"]
    return plan


async def taken(house):
    kept = "SELECT unpacked(body) FROM packed WHERE collection = 'rates'"
    (rates,) = house.fleet.means.engine.read(kept, ())
    return orjson.loads(rates[0])


def test_month_that_lasts_is_shown_and_nobody_is_woken(tmp_path):
    async def scenario(house):
        await with_month(house, 100_000)
        await begun(house)
        plan = await planned(house)
        assert (plan["monthly"], plan["missing"], plan["calls_end"]) == (100_000, 0, None)
        assert plan["spent"] > 6
        assert plan["due"]["removals"] == 9  # three locks of the floor's key
        assert plan["due"]["comparisons"] > 0
        assert plan["month_ends"] == "2026-03-31T16:00:00Z"  # midnight in Beijing
        assert (await taken(house))["reserved"] == 9
        assert not house.logged("ALERT")

    play(tmp_path, scenario)


def test_month_that_ends_early_is_told_days_before_with_what_would_be_dropped_and_once_a_day(tmp_path):
    async def scenario(house):
        await with_month(house, 150)
        await begun(house)
        plan = await planned(house)
        await planned(house)
        (alert,) = [line for line in house.logged("ALERT") if line["message"].endswith("VENDOR_QUOTA")]
        assert (alert["missing"], alert["runbook"]) == (plan["missing"], "lock/quota")
        _, shown = await house.on.send("_cloud/alerts", caller="operator", method="GET")
        (kept,) = [each["because"] for each in shown["alerts"] if each["message"] == alert["message"]]
        assert kept == f"ttlock: {plan['missing']} of the {alert['needed']} calls still due are missing"
        assert plan["missing"] > 0
        assert plan["dropped"][0] == "comparisons"
        assert "removals" not in plan["dropped"]
        assert "2026-03-01T09" < plan["calls_end"] < plan["month_ends"]
        await asyncio.sleep(25 * 3600)
        assert len([line for line in house.logged("ALERT") if line["message"].endswith("VENDOR_QUOTA")]) == 2

    play(tmp_path, scenario)
