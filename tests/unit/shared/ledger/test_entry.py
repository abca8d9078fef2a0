"""An entry comes back as it was kept, is swept only while something is owed, and obeys one execution."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.commands import Accept
from shared.domain.instants import instant, milliseconds
from shared.ledger.indexes import DUE
from shared.ledger.key_record import Saga, Work, key_record_from, ref_of
from shared.ledger.ledger import Change
from shared.ports.documents import Document, StoredUnreadable
from tests.support.ledger_books import CLAIM, MINUTE, SILK

SAGA = Saga(kind=Work.ISSUE, claim=CLAIM)
OTHER_CLAIM = type(CLAIM)("sha256:" + "00" * 32)


async def stored(books, **changes):
    entry, facts = books.requested(**changes)
    return (await books.ledger.save(Change(entry, facts))).entry


async def test_entry_comes_back_whole(books):
    kept = await stored(books, secret_try=2, artifact="ab" * 32, announced=1)
    found = await books.ledger.entry(kept.id)
    assert found == replace(kept, told=())
    assert found.credential.core.plan == kept.credential.core.plan


async def test_entry_nobody_wrote_is_none(books):
    entry, _ = books.requested()
    assert await books.ledger.entry(entry.id) is None


async def test_entry_is_in_the_sweepers_index_only_while_something_is_owed(books):
    kept = await stored(books)
    until = milliseconds(books.clock.now() + MINUTE)
    assert await books.store.sweep(DUE, {}, until=until) == [(SILK, kept.id)]
    await books.ledger.save(Change(replace(kept, due=None)))
    assert await books.store.sweep(DUE, {}, until=until) == []
    assert (await books.ledger.entry(kept.id)).due is None


async def test_entry_due_later_is_not_swept_yet(books):
    kept = await stored(books, due=books.clock.now() + MINUTE)
    assert await books.store.sweep(DUE, {}, until=milliseconds(books.clock.now())) == []
    assert await books.store.sweep(DUE, {}, until=milliseconds(kept.due)) == [(SILK, kept.id)]


async def test_entry_of_another_schema_is_refused_with_what_to_do(books):
    kept = await stored(books)
    found = await books.documents.get(ref_of(kept.id))
    for version in (3, None):
        newer = Document(found.ref, {**found.data, "schema_version": version}, found.version)
        with pytest.raises(StoredUnreadable, match="deploy"):
            key_record_from(newer)


def test_instants_survive_the_index_to_the_millisecond_and_in_order():
    at = datetime(2026, 5, 1, 9, 0, 0, 123_456, tzinfo=UTC)
    assert instant(milliseconds(at)) == at.replace(microsecond=123_000)
    assert milliseconds(at) < milliseconds(at + timedelta(milliseconds=1))


async def test_what_is_unannounced_follows_what_is_announced(books):
    kept = await stored(books)
    assert list(kept.unannounced) == [1]
    credential, _ = kept.credential.apply(Accept(at=books.clock.now()))
    assert list(replace(kept, credential=credential).unannounced) == [1, 2]
    assert list(replace(kept, announced=1).unannounced) == []


@pytest.mark.parametrize(
    ("held_by", "generation", "execution", "follows"),
    [
        (None, 1, "run-1", True),
        ("run-1", 1, "run-1", True),
        ("run-1", 1, "run-2", False),
        (None, 2, "run-1", False),
        (None, 0, "run-1", False),
        ("run-1", 2, "run-1", False),
    ],
)
def test_saga_follows_the_first_execution_of_its_generation(held_by, generation, execution, follows):
    assert replace(SAGA, execution=held_by).follows(generation, execution) is follows


def test_saga_begun_again_refuses_the_execution_before_and_keeps_its_count():
    again = replace(SAGA, execution="run-1", tries=3).next_generation()
    assert not again.follows(1, "run-1")
    assert again.follows(2, "run-2")
    assert (again.kind, again.tries) == (Work.ISSUE, 3)


def test_saga_turned_to_other_work_counts_anew():
    turned = replace(SAGA, execution="run-1", tries=3).switched_to(Work.SETTLE)
    assert (turned.kind, turned.generation, turned.execution, turned.tries) == (Work.SETTLE, 2, None, 0)
    assert turned.claim == CLAIM
    assert SAGA.switched_to(Work.SETTLE, OTHER_CLAIM).claim == OTHER_CLAIM
