"""A key is saved with everything that happened or not at all, and that is told in order."""

from dataclasses import replace

import orjson
import pytest

from shared.domain.commands import Accept, Fail
from shared.domain.ids import TenantId
from shared.domain.kinds import FailureReason
from shared.events.errors import CrossTenant
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion
from shared.streams.telling import OUTBOX, EventMissing
from tests.support.ledger_books import CAUSE, DOOR, MINUTE

BESIDE = Ref("notes", "one")


async def stored(books):
    entry, facts = books.requested()
    return (await books.ledger.save(Change(entry, facts))).entry


def accepted(books, entry):
    credential, facts = entry.credential.apply(Accept(at=books.clock.now()))
    return replace(entry, credential=credential), facts


def failed(books, entry):
    fail = Fail(at=books.clock.now(), reason=FailureReason.CANCELLATION)
    credential, facts = entry.credential.apply(fail)
    return replace(entry, credential=credential), facts


async def rows(books, entry):
    """Return the outbox rows of a key, by sequence."""
    found = {}
    for sequence in range(1, 9):
        row = await books.documents.get(Ref(OUTBOX, f"{entry.id}.{sequence:06d}"))
        if row is not None:
            found[sequence] = row.data
    return found


async def test_change_is_kept_with_its_event(books):
    entry = await stored(books)
    (row,) = (await rows(books, entry)).values()
    assert row["subject"] == "melmastoon.lock.credential.requested.v1"
    told = orjson.loads(row["body"])
    assert (told["traceId"], told["causationId"]) == (CAUSE.trace_id, CAUSE.event_id)
    assert told["data"]["keyCredentialId"] == entry.id


@pytest.mark.parametrize("kept", [(), (0,), (1,), (0, 0, 1), (1, 0)])
async def test_change_without_exactly_its_facts_is_refused_and_nothing_is_kept(books, kept):
    entry = await stored(books)
    pending, first = accepted(books, entry)
    over, second = failed(books, pending)
    facts = (*first, *second)
    change = Change(over, tuple(facts[number] for number in kept), (books.kept(entry),))
    with pytest.raises(EventMissing, match=str(entry.id)):
        await books.ledger.save(change, Create(BESIDE, {}))
    assert list(await rows(books, entry)) == [1]
    assert await books.ledger.grants(entry) == ()
    assert await books.documents.get(BESIDE) is None
    assert (await books.ledger.entry(entry.id)).credential == entry.credential


async def test_facts_of_a_change_that_is_not_made_are_refused(books):
    entry = await stored(books)
    _, facts = accepted(books, entry)
    with pytest.raises(EventMissing):
        await books.ledger.save(Change(entry, facts))


async def test_second_of_two_writers_is_refused_with_all_it_wanted_to_write(books):
    entry = await stored(books)
    pending, facts = accepted(books, entry)
    await books.ledger.save(Change(pending, facts))
    over, said = failed(books, entry)
    with pytest.raises(StaleVersion):
        await books.ledger.save(Change(over, said, (books.kept(entry),)), Create(BESIDE, {}))
    assert await books.ledger.grants(entry) == ()
    assert await books.documents.get(BESIDE) is None


async def test_key_that_is_there_already_is_not_written_over(books):
    entry = await stored(books)
    _, facts = books.requested()
    with pytest.raises(AlreadyExists):
        await books.ledger.save(Change(replace(entry, version=None, stored=0), facts))


async def test_changed_grant_is_refused_with_its_entry(books):
    entry, facts = books.requested()
    saved = await books.ledger.save(Change(entry, facts, (books.kept(entry),)))
    (kept,) = saved.grants
    newer = await books.ledger.save(Change(saved.entry, grants=(kept.calling(books.clock.now()),)))
    pending, said = accepted(books, newer.entry)
    with pytest.raises(StaleVersion):
        await books.ledger.save(Change(pending, said, (kept,)))
    assert (await books.ledger.entry(entry.id)).credential.sequence == 1


async def test_saved_change_can_be_changed_again_without_reading(books):
    entry, facts = books.requested()
    saved = await books.ledger.save(Change(entry, facts, (books.kept(entry),)))
    pending, said = accepted(books, saved.entry)
    leaving = tuple(kept.withdrawn(books.clock.now()) for kept in saved.grants)
    saved = await books.ledger.save(Change(pending, said, leaving))
    over, said = failed(books, saved.entry)
    saved = await books.ledger.save(Change(over, said, saved.grants))
    found = await books.ledger.entry(entry.id)
    assert found == replace(saved.entry, told=())
    assert await books.ledger.grants(found) == saved.grants
    assert [row.sequence for row in saved.entry.told] == [1, 2, 3]


async def test_changes_of_several_keys_are_kept_together_each_with_its_own_grants(books):
    wished = [books.requested() for _ in range(3)]
    changes = [
        Change(entry, facts, tuple(books.kept(entry, f"{DOOR[:-1]}{n}") for n in range(count)))
        for count, (entry, facts) in enumerate(wished)
    ]
    saved = await books.ledger.save_all(changes, Create(BESIDE, {}))
    assert [len(each.grants) for each in saved] == [0, 1, 2]
    for each in saved:
        assert await books.ledger.entry(each.entry.id) == replace(each.entry, told=())
        assert await books.ledger.grants(each.entry) == each.grants


def with_grants(books, count):
    entry, facts = books.requested()
    doors = (f"{DOOR[:-3]}{number:03}" for number in range(count))
    return Change(entry, facts, tuple(books.kept(entry, door) for door in doors))


async def test_more_than_one_commit_holds_are_kept_first_to_last_and_what_tells_of_them_at_the_end(books):
    changes = [with_grants(books, count) for count in (300, 150, 150, 190)]
    saved = await books.ledger.save_all(changes, Create(BESIDE, {}))
    assert [len(each.grants) for each in saved] == [300, 150, 150, 190]
    assert [each.entry.id for each in saved] == [change.entry.id for change in changes]

    entry, facts = books.requested()
    changes = [*(with_grants(books, 300) for _ in range(2)), Change(entry, facts)]
    with pytest.raises(AlreadyExists):
        await books.ledger.save_all(changes, Create(BESIDE, {}))
    found = [await books.ledger.entry(change.entry.id) for change in changes]
    assert [each is not None for each in found] == [True, False, False]


async def test_one_stale_key_of_several_keeps_all_of_them_unwritten(books):
    first, second = await stored(books), await stored(books)
    await books.ledger.save(Change(second.due_in(MINUTE, books.clock.now())))
    changes = [Change(*accepted(books, entry)) for entry in (first, second)]
    with pytest.raises(StaleVersion):
        await books.ledger.save_all(changes)
    assert (await books.ledger.entry(first.id)).credential.sequence == 1


async def test_events_are_told_in_order_from_memory_without_reading(books):
    entry = await stored(books)
    pending, facts = accepted(books, entry)
    entry = (await books.ledger.save(Change(pending, facts))).entry
    for sequence in (1, 2):
        ref = Ref(OUTBOX, f"{entry.id}.{sequence:06d}")
        await books.documents.commit([Delete(ref, (await books.documents.get(ref)).version)])
    told = await books.ledger.announce(entry, books.bus)
    assert books.bus.words == ["requested", "pending"]
    assert books.bus.sequences == [1, 2]
    assert (told.announced, told.told) == (2, ())


async def test_events_that_another_process_kept_are_told_from_the_store_as_they_are(books):
    entry = await stored(books)
    found = await books.ledger.entry(entry.id)
    await books.ledger.announce(found, books.bus)
    ((_, message),) = books.bus.published
    (row,) = (await rows(books, entry)).values()
    assert message.data == row["body"].encode()
    assert message.ordering_key == entry.id
    assert message.attributes["tenantId"] == "tnt_silk"


async def test_events_of_here_and_there_are_told_in_one_order(books):
    entry = await books.ledger.entry((await stored(books)).id)
    pending, facts = accepted(books, entry)
    saved = (await books.ledger.save(Change(pending, facts))).entry
    assert [row.sequence for row in saved.told] == [2]
    await books.ledger.announce(saved, books.bus)
    assert books.bus.sequences == [1, 2]


async def test_what_is_known_to_be_told_is_not_told_again(books):
    entry = await stored(books)
    told = await books.ledger.announce(entry, books.bus)
    assert await books.ledger.announce(told, books.bus) == told
    assert books.bus.sequences == [1]


async def test_an_event_told_twice_has_one_id(books):
    entry = await stored(books)
    await books.ledger.announce(entry, books.bus)
    await books.ledger.announce(await books.ledger.entry(entry.id), books.bus)
    (_, first), (_, second) = books.bus.published
    assert first == second


async def test_an_event_that_was_lost_is_complained_of_and_none_after_it_is_told(books):
    entry = await stored(books)
    pending, facts = accepted(books, entry)
    await books.ledger.save(Change(pending, facts))
    ref = Ref(OUTBOX, f"{entry.id}.000001")
    await books.documents.commit([Delete(ref, (await books.documents.get(ref)).version)])
    with pytest.raises(EventMissing, match="backup"):
        await books.ledger.announce(await books.ledger.entry(entry.id), books.bus)
    assert books.bus.published == []


async def test_entry_shows_no_event_in_its_repr(books):
    entry = await stored(books)
    assert entry.told
    assert "told" not in repr(entry)


async def test_another_tenant_s_key_is_refused_and_nothing_is_kept(books):
    entry, facts = books.requested()
    elsewhere = Ledger(books.store.tenant(TenantId("tnt_other")), books.ids)
    with pytest.raises(CrossTenant, match="not of the tenant"):
        await elsewhere.save(Change(entry, facts))
    assert await elsewhere.entry(entry.id) is None
