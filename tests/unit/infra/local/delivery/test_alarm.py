"""An alarm rings once, at the earliest time it was set to."""

import asyncio

from infra.local.delivery.alarm import Alarm
from infra.local.simulation.loop import run_virtually


def rung(*times, cancel=False):
    async def main(_):
        loop, heard = asyncio.get_running_loop(), []
        alarm = Alarm(lambda: heard.append(loop.time()))
        for when in times:
            alarm.set(when)
        if cancel:
            alarm.cancel()
        await asyncio.sleep(100)
        return heard

    return run_virtually(main)


def test_an_alarm_rings_once_at_the_earliest_time():
    assert rung(30.0, 10.0, 20.0) == [10.0]


def test_a_cancelled_alarm_is_silent():
    assert rung(10.0, cancel=True) == []
