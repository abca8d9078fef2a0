"""While no saga can be started, keys wait: a booking for later gets its key, and one for now a person."""

import asyncio

import pytest

from shared.ports.trouble import ServiceTrouble
from tests.support.ordered_keys import ask_again
from tests.support.sample_hotel import play

NEXT_MONTH = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
TODAY = {"validFrom": "2026-03-01T10:00:00Z", "validUntil": "2026-03-03T07:30:00Z"}


def no_saga_starts(house, monkeypatch, hours):
    """Let no saga start for some hours from now."""
    sagas, loop = type(house.fleet.platform.sagas._port), asyncio.get_running_loop()
    starts, ends = sagas.start, loop.time() + hours * 3600

    async def start(self, workflow, argument):
        if loop.time() < ends:
            raise ServiceTrouble("workflows are in trouble")
        return await starts(self, workflow, argument)

    monkeypatch.setattr(sagas, "start", start)


@pytest.mark.parametrize(("hours", "alarms"), [(0.25, 0), (2, 1)])
def test_a_booking_for_next_month_gets_its_key_when_sagas_start_again(tmp_path, monkeypatch, hours, alarms):
    async def scenario(house):
        no_saga_starts(house, monkeypatch, hours)
        await house.publish("evt_1", **NEXT_MONTH)
        await asyncio.sleep((hours + 0.5) * 3600)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert len(house.logged("ALERT")) == alarms

    play(tmp_path, scenario)


def test_a_saga_that_cannot_start_is_begun_each_quarter_of_an_hour_and_told_of_once(tmp_path, monkeypatch):
    async def scenario(house):
        no_saga_starts(house, monkeypatch, 24)
        sagas, begun = type(house.fleet.platform.sagas._port), []
        refused = sagas.start

        async def start(self, workflow, argument):
            begun.append(workflow)
            return await refused(self, workflow, argument)

        monkeypatch.setattr(sagas, "start", start)
        await house.publish("evt_1", **NEXT_MONTH)
        await asyncio.sleep(3600)
        await ask_again(house, next(iter(await house.documents("credentials"))))
        begun.clear()
        await asyncio.sleep(4 * 3600)
        assert begun.count("work_on_key") == 16
        assert len(house.logged("ALERT")) == 1

    play(tmp_path, scenario)


def test_a_booking_for_today_becomes_a_task_for_the_desk_within_the_hour(tmp_path, monkeypatch):
    async def scenario(house):
        no_saga_starts(house, monkeypatch, 2)
        await house.publish("evt_1", **TODAY)
        await asyncio.sleep(2400)
        assert [key["state"]["type"] for key in await house.keys()] == ["failed"]
        assert len(await house.documents("manual_tasks")) == 1
        await asyncio.sleep(2 * 3600)
        assert (await house.keys())[-1]["state"]["type"] == "active"
        assert await house.documents("manual_tasks") == {}

    play(tmp_path, scenario)
