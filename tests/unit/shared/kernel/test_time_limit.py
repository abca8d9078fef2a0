"""A limit ends what takes too long as asyncio's own does, in whatever way else it might have ended."""

import asyncio

import pytest

from infra.local.simulation.loop import run_virtually
from shared.kernel.time_limit import TimeLimit


class Broken(Exception):
    """What was done inside went wrong by itself."""


async def ours(seconds, done):
    with TimeLimit(seconds):
        return await done()


async def theirs(seconds, done):
    async with asyncio.timeout(seconds):
        return await done()


async def in_time():
    await asyncio.sleep(1)
    return "done"


async def too_late():
    await asyncio.sleep(3)


async def at_once():
    return "done"


async def breaks():
    await asyncio.sleep(1)
    raise Broken


async def breaks_when_stopped():
    try:
        await asyncio.sleep(9)
    except asyncio.CancelledError:
        raise Broken from None


async def goes_on_when_stopped():
    try:
        await asyncio.sleep(9)
    except asyncio.CancelledError:
        await asyncio.sleep(1)
    return "done all the same"


async def within_a_longer_one():
    with TimeLimit(9):
        await asyncio.sleep(20)


async def within_a_shorter_one():
    with TimeLimit(1):
        await asyncio.sleep(20)


WORKS = [
    in_time,
    too_late,
    at_once,
    breaks,
    breaks_when_stopped,
    goes_on_when_stopped,
    within_a_longer_one,
    within_a_shorter_one,
]


async def told(limit, seconds, work, cancelled_after):
    loop = asyncio.get_running_loop()
    began, task = loop.time(), asyncio.ensure_future(limit(seconds, work))
    if cancelled_after is not None:
        loop.call_later(cancelled_after, task.cancel)
    await asyncio.wait({task})
    if task.cancelled():
        return "cancelled", task.cancelling(), loop.time() - began
    return (
        task.exception().__class__,
        task.exception() or task.result(),
        task.cancelling(),
        loop.time() - began,
    )


@pytest.mark.parametrize("cancelled_after", [None, 0, 0.5, 2, 2.5])
@pytest.mark.parametrize("seconds", [2, 1.5, None])
@pytest.mark.parametrize("work", WORKS)
def test_a_limit_ends_what_asyncio_s_ends_and_as_that_does(work, seconds, cancelled_after):
    async def both(_clock):
        return [await told(limit, seconds, work, cancelled_after) for limit in (ours, theirs)]

    mine, stock = run_virtually(both)
    assert [str(each) for each in mine] == [str(each) for each in stock]


def test_a_limit_is_set_to_a_task_alone():
    def outside(tried):
        with pytest.raises(RuntimeError, match="what a task does"), TimeLimit(1):
            pass
        tried.set_result(True)

    async def in_a_callback(_clock):
        tried = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(outside, tried)
        return await tried

    assert run_virtually(in_a_callback)
