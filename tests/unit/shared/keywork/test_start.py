"""Work that is saved is told before it is begun, and what was told is noted unless somebody was faster."""

from dataclasses import replace

import pytest

from shared.domain.commands import Accept
from shared.keywork.start import begin_saga, begin_work, publish_pending
from shared.ledger.key_record import Saga, Work
from shared.ledger.ledger import Change
from tests.support.ledger_books import CLAIM, HOUR, MOCK


async def stored(books, **changes):
    entry, facts = books.requested(**changes)
    return (await books.ledger.save(Change(entry, facts))).entry


@pytest.mark.parametrize("work", Work)
async def test_saga_is_started_with_ids_and_whom_to_ask_only(books, work):
    entry = await stored(books, saga=Saga(kind=work, claim=CLAIM, generation=4))
    await begin_saga(entry, MOCK, books.ledger, books.services)
    argument = {
        "tenant": "tnt_silk",
        "saga_id": entry.id,
        "property": entry.credential.core.property_id,
        "generation": 4,
        "adapter": "adapter-mock",
        "announced": 1,
    }
    assert books.sagas.started == [("work_on_key", argument)]


async def test_saga_starts_only_after_everything_before_it_is_told(books):
    entry = await stored(books)
    await begin_saga(entry, MOCK, books.ledger, books.services)
    assert books.published_at_start == [1]


async def test_saga_that_could_not_be_told_of_is_not_started(books):
    entry = await stored(books)
    books.bus.down = True
    with pytest.raises(ConnectionError):
        await begin_saga(entry, MOCK, books.ledger, books.services)
    assert books.sagas.started == []


async def test_work_that_is_wanted_of_a_vendor_is_begun(books):
    entry, facts = books.requested()
    await begin_work(await books.ledger.save(Change(entry, facts)), books.ledger, books.services)
    ((workflow, argument),) = books.sagas.started
    assert (workflow, argument["adapter"]) == ("work_on_key", "adapter-mock")


async def test_work_that_nobody_need_do_is_only_told(books):
    entry, facts = books.requested(saga=Saga(kind=Work.SETTLE, claim=CLAIM))
    await begin_work(await books.ledger.save(Change(entry, facts)), books.ledger, books.services)
    found = await books.ledger.entry(entry.id)
    assert (books.sagas.started, found.due, books.bus.words) == ([], None, ["requested"])


async def test_what_was_told_is_noted_and_nothing_is_owed_any_more(books):
    entry = await stored(books)
    told = await publish_pending(entry, books.ledger, books.bus)
    found = await books.ledger.entry(entry.id)
    assert (found.announced, found.due) == (1, None)
    assert found == told
    assert books.bus.words == ["requested"]


async def test_what_is_due_later_stays_due(books):
    entry, later = await stored(books), books.clock.now() + HOUR
    await publish_pending(entry, books.ledger, books.bus, due=later)
    assert (await books.ledger.entry(entry.id)).due == later


async def test_what_could_not_be_told_is_still_owed(books):
    entry = await stored(books)
    books.bus.down = True
    with pytest.raises(ConnectionError):
        await publish_pending(entry, books.ledger, books.bus)
    found = await books.ledger.entry(entry.id)
    assert (found.announced, found.due) == (0, entry.due)


async def test_who_was_faster_keeps_what_they_wrote_and_tells_it_all_once_more(books):
    entry = await stored(books)
    credential, facts = entry.credential.apply(Accept(at=books.clock.now()))
    faster = replace(entry, credential=credential).due_in(HOUR, books.clock.now())
    saved = (await books.ledger.save(Change(faster, facts))).entry
    await publish_pending(entry, books.ledger, books.bus)
    found = await books.ledger.entry(entry.id)
    assert (found.announced, found.due, found.credential) == (0, saved.due, saved.credential)
    await publish_pending(found, books.ledger, books.bus)
    assert books.bus.sequences == [1, 1, 2]
