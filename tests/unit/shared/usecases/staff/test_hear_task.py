"""A task passes from hand to hand: each who had it is looked at, whatever dies in between."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.ids import RoomId
from shared.ledger.shift_record import find_task
from shared.usecases.staff import hear_task
from shared.usecases.staff.hear_shift import start_shift
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import HOUR, KABUL, SILK

ROOM = RoomId("rmu_1")


def told(staff, at):
    """Return the word that a task is somebody's."""
    data = SimpleNamespace(
        task_id="tsk_1", staff_user_id=staff, property_id=KABUL, named_rooms=[ROOM], status="open"
    )
    return SimpleNamespace(id=f"evt_{staff}", tenant_id=SILK, time=at, trace_id=None, data=data)


def shift(staff, at):
    data = SimpleNamespace(
        shift_id=f"shf_{staff}",
        staff_user_id=staff,
        property_id=KABUL,
        valid_from=at,
        valid_until=at + 8 * HOUR,
        scopes=["rooms:assigned"],
        role=None,
        kind=None,
    )
    return SimpleNamespace(id=f"evt_{staff}", tenant_id=SILK, time=at, trace_id=None, data=data)


@pytest.fixture
async def followed(books, monkeypatch):
    """A house of three at work; whose keys were looked at, and a death before that when it is told."""
    await move_in(books, door(1, ROOMS[:1], "pin"))
    seen, follow = [], hear_task.follow_master_key
    for staff in ("usr_a", "usr_b", "usr_c"):
        await start_shift(shift(staff, books.clock.now()), books.services)

    async def noted(record, ledger, services):
        if books.dies:
            raise ConnectionError("killed")
        seen.append(str(record.master_key.staff))
        return await follow(record, ledger, services)

    books.dies = False
    monkeypatch.setattr(hear_task, "follow_master_key", noted)
    return seen


async def test_who_lost_a_task_is_looked_at_though_the_delivery_died_and_it_passed_on(books, followed):
    at = books.clock.now()
    await hear_task.hear_task(told("usr_a", at), books.services)
    books.dies = True
    with pytest.raises(ConnectionError):
        await hear_task.hear_task(told("usr_b", at + timedelta(seconds=1)), books.services)
    books.dies, followed[:] = False, []
    await hear_task.hear_task(told("usr_c", at + timedelta(seconds=2)), books.services)
    assert sorted(set(followed)) == ["usr_a", "usr_b", "usr_c"]
    assert (await find_task(books.documents, "tsk_1")).unfollowed == ()
