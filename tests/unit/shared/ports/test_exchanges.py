"""What is said while a lock is asked is heard by whoever asked, in its own task and those it starts."""

import asyncio
from datetime import UTC, datetime

from shared.ports.exchanges import YES, Exchange, capture_exchanges, note

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST, SECOND = Exchange(NOON, "keyboardPwd/add", "10004"), Exchange(NOON, "keyboardPwd/add", YES)


def test_everything_that_is_said_is_overheard_in_order():
    with capture_exchanges() as said:
        note(FIRST)
        note(SECOND)
    assert said == [FIRST, SECOND]


def test_what_is_said_when_nobody_listens_is_gone():
    note(FIRST)
    with capture_exchanges() as said:
        pass
    note(SECOND)
    assert said == []


async def test_tasks_that_are_started_meanwhile_are_overheard_and_others_are_not():
    async def other():
        with capture_exchanges() as said:
            note(SECOND)
            await asyncio.sleep(0)
            return said

    async def speak():
        note(FIRST)

    with capture_exchanges() as said:
        theirs, _ = await asyncio.gather(asyncio.create_task(other()), asyncio.create_task(speak()))
    assert (said, theirs) == ([FIRST], [SECOND])
