"""A grant is kept with what says whether a call may still land, and leaves its lock when it is over."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.grant_lifecycle import ConfirmRemoval, GiveUp, Place
from shared.domain.ids import LockDeviceId
from shared.domain.instants import milliseconds
from shared.ledger.grant_record import CALLS_LAST, GRANTS, grant_from
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.ledger import Change, TooManyGrants
from shared.ports.documents import Document, Ref, StoredUnreadable
from tests.support.ledger_books import DAY, DOOR


@pytest.fixture
def kept(books):
    return books.kept(books.requested()[0])


async def test_grant_comes_back_whole(books):
    entry, facts = books.requested()
    busy = replace(books.kept(entry), busy_until=books.clock.now() + timedelta(seconds=1))
    (saved,) = (await books.ledger.save(Change(entry, facts, (busy,)))).grants
    assert await books.ledger.grants(entry) == (saved,)
    assert saved == replace(busy, version=saved.version)


async def test_grants_of_another_key_are_not_its_own(books):
    entry, facts = books.requested()
    await books.ledger.save(Change(entry, facts, (books.kept(entry),)))
    assert await books.ledger.grants(books.requested()[0]) == ()


async def test_key_of_very_many_doors_gives_all_its_grants(books):
    entry, facts = books.requested()
    doors = [LockDeviceId(f"lck_01KSAMP1E00000000000000{number:03}") for number in range(101)]
    await books.ledger.save(Change(entry, facts, tuple(books.kept(entry, door) for door in doors)))
    assert [kept.grant.device_id for kept in await books.ledger.grants(entry)] == doors


async def test_key_with_more_grants_than_can_be_seen_at_once_is_not_worked_on(books, monkeypatch):
    monkeypatch.setattr("shared.ledger.ledger.MOST_GRANTS", 2)
    entry, facts = books.requested()
    await books.ledger.save(Change(entry, facts, (books.kept(entry), books.kept(entry))))
    with pytest.raises(TooManyGrants, match=str(entry.id)):
        await books.ledger.grants(entry)


async def test_grant_is_among_those_at_its_device_until_it_is_over(books):
    entry, facts = books.requested()
    saved = await books.ledger.save(Change(entry, facts, (books.kept(entry),)))

    async def at_door():
        until = milliseconds(books.clock.now() + 9 * DAY)
        return await books.documents.query(AT_DEVICE, {"device_id": str(DOOR)}, until=until)

    (found,) = await at_door()
    assert found.ref.id == saved.grants[0].grant.id
    gone = saved.grants[0].withdrawn(books.clock.now()).applied(ConfirmRemoval(at=books.clock.now()))
    await books.ledger.save(Change(saved.entry, grants=(gone,)))
    assert await at_door() == []
    (still,) = await books.ledger.grants(entry)
    assert still.over
    assert still.until == entry.credential.core.window.end


async def test_grant_of_another_schema_is_refused_with_what_to_do(books):
    entry, facts = books.requested()
    saved = await books.ledger.save(Change(entry, facts, (books.kept(entry),)))
    found = await books.documents.get(Ref(GRANTS, saved.grants[0].grant.id))
    with pytest.raises(StoredUnreadable, match="deploy"):
        grant_from(Document(found.ref, {**found.data, "schema_version": 3}, found.version))


def test_a_call_may_land_for_as_long_as_calls_last(books, kept):
    now = books.clock.now()
    calling = kept.calling(now)
    assert not kept.busy(now)
    assert calling.busy(now)
    assert calling.busy(now + CALLS_LAST - timedelta(microseconds=1))
    assert not calling.busy(now + CALLS_LAST)


def test_withdrawing_what_is_wanted_makes_it_leave_and_again_changes_nothing(books, kept):
    now = books.clock.now()
    placed = kept.applied(Place(at=now))
    for wanted in (kept, placed):
        assert (wanted.wanted, wanted.leaving, wanted.over) == (True, False, False)
        leaving = wanted.withdrawn(now)
        assert (leaving.wanted, leaving.leaving, leaving.over) == (False, True, False)
        assert leaving.withdrawn(now + DAY) is leaving


def test_what_would_not_go_still_leaves_and_is_over_once_it_went(books, kept):
    now = books.clock.now()
    residual = kept.withdrawn(now).applied(GiveUp(at=now, cause="lock_busy"))
    assert (residual.wanted, residual.leaving, residual.over) == (False, True, False)
    assert residual.withdrawn(now) is residual
    assert residual.applied(ConfirmRemoval(at=now)).over
