"""What a saga is to try next is what the ledger still wants: of this execution, and of nobody else."""

from dataclasses import replace

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.commands import Accept, Fail, Provision
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import ConfirmRemoval, GiveUp
from shared.domain.kinds import FailureReason
from shared.ledger.entry import Saga, Work
from shared.ledger.ledger import Change
from shared.usecases.next_attempt import next_attempt
from shared.usecases.saga_step import DONE, SUPERSEDED, Outcome, StepCall, Verdict
from tests.unit.shared.ledger.ledgering import CLAIM, DOOR, MOCK, TTLOCK
from tests.unit.shared.usecases.hotel import move_in

ATTEMPT = Verdict(Outcome.ATTEMPT, adapter=MOCK)
WITHDRAWING = Saga(kind=Work.WITHDRAW, claim=CLAIM)


@pytest.fixture
def ask(books):
    """Save a change, and ask as the execution that works on it."""

    async def asked(change, generation=1, execution="run-1"):
        await move_in(books)
        entry = (await books.ledger.save(change)).entry
        return await next_attempt(StepCall("tnt_silk", entry.id, generation, execution), books.office)

    return asked


def after(books, *commands):
    """Return the change of a key that obeyed these commands."""
    entry, facts = books.requested()
    credential = entry.credential
    for command in commands:
        credential, more = credential.apply(command)
        facts = (*facts, *more)
    return Change(replace(entry, credential=credential), facts)


async def test_wanted_key_is_attempted_at_its_plan_s_vendor(books, ask):
    assert await ask(after(books)) == ATTEMPT


async def test_pending_key_is_attempted_again(books, ask):
    assert await ask(after(books, Accept(at=books.clock.now()))) == ATTEMPT


async def test_key_that_is_active_leaves_nothing_to_issue(books, ask):
    now = books.clock.now()
    assert await ask(after(books, Accept(at=now), Provision(at=now))) == DONE


async def test_key_that_failed_leaves_nothing_to_issue(books, ask):
    fail = Fail(at=books.clock.now(), reason=FailureReason.CANCELLATION)
    assert await ask(after(books, fail)) == DONE


@pytest.mark.parametrize(("generation", "execution"), [(1, "run-2"), (2, "run-1"), (9, "run-9")])
async def test_another_execution_s_key_is_left_alone(books, ask, generation, execution):
    change = after(books)
    saga = replace(change.entry.saga, execution="run-1")
    held = replace(change, entry=replace(change.entry, saga=saga))
    assert await ask(held, generation, execution) == SUPERSEDED


async def test_withdrawal_without_a_leaving_grant_is_done(books, ask):
    change = after(books)
    entry, now = replace(change.entry, saga=WITHDRAWING), books.clock.now()
    gone = books.kept(entry).withdrawn(now).told(ConfirmRemoval(at=now))
    assert await ask(Change(entry, change.facts, (gone,))) == DONE


async def test_withdrawal_asks_the_vendor_of_what_still_leaves(books, ask):
    change = after(books)
    entry = replace(change.entry, saga=WITHDRAWING)
    leaving = books.kept(entry).withdrawn(books.clock.now())
    assert await ask(Change(entry, change.facts, (leaving,))) == ATTEMPT


async def test_withdrawal_asks_for_what_never_refused_before_what_would_not_go(books, ask):
    change, now = after(books), books.clock.now()
    entry = replace(change.entry, saga=WITHDRAWING)
    stubborn = books.kept(entry, f"{DOOR[:-1]}0", vendor=TTLOCK).withdrawn(now)
    stubborn = stubborn.told(GiveUp(at=now, cause="lock_busy"))
    fresh = books.kept(entry, capabilities=LockCapabilities(pin=True)).withdrawn(now)
    assert await ask(Change(entry, change.facts, (stubborn, fresh))) == ATTEMPT


async def test_withdrawal_of_what_would_not_go_is_asked_again(books, ask):
    change, now = after(books), books.clock.now()
    entry = replace(change.entry, saga=WITHDRAWING)
    stubborn = books.kept(entry).withdrawn(now).told(GiveUp(at=now, cause="lock_busy"))
    assert await ask(Change(entry, change.facts, (stubborn,))) == ATTEMPT


async def test_key_that_is_not_there_is_refused_by_field(books):
    await move_in(books)
    with pytest.raises(InvalidInput) as refused:
        await next_attempt(StepCall("tnt_silk", "key_1", 1, "run-1"), books.office)
    assert refused.value.field == "saga_id"


async def test_step_of_an_unknown_tenant_is_refused_by_field(books):
    with pytest.raises(InvalidInput) as refused:
        await next_attempt(StepCall("tnt_gulf", "key_1", 1, "run-1"), books.office)
    assert refused.value.field == "tenantId"
