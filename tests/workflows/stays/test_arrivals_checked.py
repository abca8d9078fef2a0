"""Each arrival is checked 72, 24 and 2 hours before: who may not get in is told of while there is time."""

import asyncio
from datetime import timedelta

from tests.support.heard_hotel import play
from tests.support.looks import lock, look
from tests.support.sample_hotel import device_at
from tests.workflows.issue.test_lead_time import NOW, stay

NOT_IN = "a guest may not get in"
WRONG = f"{device_at('101')}: the clock is wrong"


async def booked(house, name, hours, **more):
    await house.publish(f"evt_{name}", **{**stay(name, NOW + timedelta(hours=hours), hours=1), **more})


async def checked(house, name):
    return (await house.documents("reservations"))[f"rsv_{name}"]["checked"]


def told(house, severity):
    lines = [line for line in house.logged(severity) if line["message"].startswith(NOT_IN)]
    return {line["reservationId"]: line["risks"] for line in lines}


def test_arrivals_are_checked_at_72_24_and_2_hours_and_told_of_by_what_is_known_of_their_doors(tmp_path):
    async def scenario(house):
        await lock(house, "101", skew_seconds=400)
        await look(house)
        for name, hours in (("soon", 2.5), ("tomorrow", 24.5), ("later", 72.5)):
            await booked(house, name, hours)
        await booked(house, "well", 2.5, rooms=["rmu_102"])
        await house.settled()
        assert told(house, "ALERT") == {}
        before = [await checked(house, name) for name in ("soon", "well")]
        await asyncio.sleep(3600)
        assert told(house, "ALERT") == {"rsv_soon": [WRONG], "rsv_tomorrow": [WRONG]}
        assert told(house, "WARNING") == {"rsv_later": [WRONG]}
        after = [await checked(house, name) for name in ("soon", "well")]
        assert all(late > early for early, late in zip(before, after, strict=True))
        _, shown = await house.on.send("_cloud/stays/rsv_tomorrow", method="GET", caller="operator")
        assert shown["next_check"].startswith("2026-03-02T07:30")  # two hours before

    play(tmp_path, scenario)


def test_key_that_is_not_made_a_day_before_is_told_of_and_one_that_was_cancelled_is_not(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await booked(house, "late", 2.05)
        await booked(house, "off", 2.05)
        await house.publish("evt_over", "cancelled", time="2026-03-01T09:00:10Z", reservationId="rsv_off")
        await asyncio.sleep(240)
        (risk,) = told(house, "ALERT")["rsv_late"]
        assert risk.endswith("yet to be made")
        _, kept = await house.on.send("_cloud/alerts", method="GET", caller="operator")
        assert risk in [each["because"] for each in kept["alerts"] if each["message"] == NOT_IN]
        assert "rsv_off" not in told(house, "ALERT")

    play(tmp_path, scenario)


def test_key_that_waits_as_the_policy_wants_is_no_risk_until_its_time_has_come(tmp_path):
    async def scenario(house):
        await house.policy(leadTimeHours=12)
        await booked(house, "planned", 24.5)
        await asyncio.sleep(3600)
        assert told(house, "ALERT") == {}

    play(tmp_path, scenario)
