"""The end of a vendor's job is kept with the work that waits for it, before anybody begins that."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.lock_errors import CardEncoderOffline, LockErrorCause
from shared.ledger.job_in_hand import JobInHand
from shared.ledger.ledger import Change
from shared.ports.trouble import ServiceTrouble
from shared.usecases.upkeep.hear_of_job import JobHeard, hear_of_job
from tests.support.ledger_books import DAY, DOOR, MOCK, SILK

OFFLINE = CardEncoderOffline(vendor=MOCK, device_id=DOOR, cause=LockErrorCause("job_unanswered"))
TOLD = {"tenant": "tnt_silk", "vendor": "mock", "job": "job-1"}


@pytest.fixture
def waiting(books):
    """Keep a key that waits for a job, with its execution ended or at work."""

    async def keep(*, parked=True):
        entry, facts = books.requested()
        now = books.clock.now()
        saga = replace(entry.saga, execution="run-0", parked=parked)
        kept = replace(books.kept(entry), in_hand=JobInHand("job-1", "place", now, now + DAY))
        change = Change(replace(entry, saga=saga, due=now + DAY), facts, (kept,))
        return (await books.ledger.save(change)).entry

    return keep


@pytest.fixture
def services(books):
    """Return services whose hotels admit the tenant."""

    class Admitted:
        async def admit(self, _tenant):
            return books.documents

    return replace(books.services, hotels=Admitted())


async def of(books, entry):
    entry = await books.ledger.entry(str(entry.id))
    return entry, await books.ledger.grants(entry)


async def test_end_is_kept_and_the_next_execution_begun(books, services, waiting):
    entry = await waiting()
    assert await hear_of_job(JobHeard.of(TOLD), services) == {"keys": [str(entry.id)]}
    entry, (kept,) = await of(books, entry)
    assert (entry.saga.generation, entry.saga.parked, entry.saga.execution) == (2, False, None)
    assert kept.in_hand.end.code is None
    assert [argument["generation"] for _, argument in books.sagas.started] == [2]


async def test_failure_is_kept_as_it_was_told(books, services, waiting):
    entry = await waiting()
    await hear_of_job(JobHeard.of({**TOLD, "error": OFFLINE.to_dict()}), services)
    _, (kept,) = await of(books, entry)
    assert (kept.in_hand.end.code, kept.in_hand.end.cause) == (OFFLINE.code, "job_unanswered")


async def test_end_that_is_told_twice_or_otherwise_afterwards_changes_nothing(books, services, waiting):
    entry = await waiting()
    await hear_of_job(JobHeard.of(TOLD), services)
    before = await of(books, entry)
    for again in (TOLD, {**TOLD, "error": OFFLINE.to_dict()}, {**TOLD, "job": "another"}):
        assert await hear_of_job(JobHeard.of(again), services) == {"keys": []}
    assert await of(books, entry) == before
    assert len(books.sagas.started) == 1


async def test_execution_that_is_at_work_is_left_to_it_and_the_sweeper_looks_now(books, services, waiting):
    entry = await waiting(parked=False)
    await hear_of_job(JobHeard.of(TOLD), services)
    entry, (kept,) = await of(books, entry)
    assert (entry.saga.generation, entry.saga.execution) == (1, "run-0")
    assert entry.due <= books.clock.now() + timedelta(seconds=1)
    assert kept.in_hand.end is not None
    assert books.sagas.started == []


async def test_end_is_kept_though_the_bus_is_down_and_the_work_is_due(books, services, waiting, monkeypatch):
    entry = await waiting()

    async def down(*_):
        raise ServiceTrouble("no bus")

    monkeypatch.setattr(books.bus, "publish", down)
    await hear_of_job(JobHeard.of(TOLD), services)
    entry, (kept,) = await of(books, entry)
    assert kept.in_hand.end is not None
    assert entry.due <= books.clock.now() + timedelta(seconds=10)
    assert any("work could not begin" in line["message"] for line in books.lines)


@pytest.mark.parametrize(
    "wrong", [{"job": ""}, {"job": 7}, {"vendor": "No Vendor"}, {"tenant": "x"}, {"error": "late"}], ids=str
)
def test_telling_that_cannot_be_read_is_refused(wrong):
    with pytest.raises(InvalidInput):
        JobHeard.of({**TOLD, **wrong})


def test_tenant_is_the_one_that_was_told():
    assert JobHeard.of(TOLD).tenant == SILK
