"""What is due is tended: unstarted and lost sagas begun, live ones left alone, untold events told."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.commands import Accept, Provision
from shared.domain.grant_lifecycle import ConfirmRemoval, GiveUp, Residual
from shared.domain.states import Failed, Requested, Revoked
from shared.keywork import trouble_line
from shared.keywork.manual_task import MANUAL_TASKS
from shared.keywork.next_due import OVER_AFTER
from shared.keywork.revival import looked_at
from shared.ledger.delays import (
    ASKED_AFTER_END,
    ASKED_STILL_EVERY,
    MOST_BROKEN,
    MOST_LOST,
    NEEDED_WITHIN,
    STEP_LEASE,
)
from shared.ledger.indexes import DUE, DUE_DEVICES, DUE_NOTICES, DUE_SENDINGS, DUE_STAYS
from shared.ledger.key_record import Saga, Work, ref_of
from shared.ledger.ledger import Change
from shared.ports.documents import Ref, StaleVersion, Update
from shared.ports.sagas import ExecutionState
from shared.usecases.upkeep import sweep_due as sweeper
from shared.usecases.upkeep.sweep_due import sweep_due
from shared.usecases.upkeep.tend_key import tend_if_due
from tests.support.few_doors import move_in
from tests.support.ledger_books import CLAIM, MINUTE, SILK

RUN = "run-7"


@pytest.fixture
async def hotel(books):
    await move_in(books)
    return books


async def due_key(books, facts_of=(), grants=(), **changes):
    """Keep a key whose time has come, after some commands."""
    entry, facts = books.requested()
    credential = entry.credential
    for command in facts_of:
        credential, more = credential.apply(command)
        facts = (*facts, *more)
    entry = replace(entry, credential=credential, due=books.clock.now(), **changes)
    kept = tuple(grant(books.kept(entry)) for grant in grants)
    return (await books.ledger.save(Change(entry, facts, kept))).entry


def working(execution=RUN, kind=Work.ISSUE):
    return Saga(kind=kind, claim=CLAIM, execution=execution)


async def sweep(books):
    return await sweep_due(books.store, books.services)


async def test_unstarted_saga_is_begun_and_looked_after(hotel):
    key = await due_key(hotel)
    assert await sweep(hotel) == 1
    ((workflow, argument),) = hotel.sagas.started
    assert (workflow, argument["saga_id"]) == ("work_on_key", key.id)
    assert hotel.published_at_start == [1]
    found = await hotel.ledger.entry(key.id)
    assert found.due == hotel.clock.now() + STEP_LEASE
    assert found.saga.follows(argument["generation"], "run-1")


@pytest.mark.parametrize("state", [ExecutionState.SUCCEEDED, ExecutionState.FAILED, ExecutionState.CANCELLED])
async def test_saga_whose_execution_ended_without_its_work_is_begun_as_the_next_generation(hotel, state):
    key = await due_key(hotel, saga=working())
    hotel.sagas.states[RUN] = state
    await sweep(hotel)
    ((_, argument),) = hotel.sagas.started
    assert argument["generation"] == 2
    found = await hotel.ledger.entry(key.id)
    assert found.saga.follows(2, "run-8")
    assert not found.saga.follows(1, RUN)


@pytest.mark.parametrize("state", [None, ExecutionState.UNAVAILABLE])
async def test_saga_of_an_execution_nobody_knows_of_is_begun_anew(hotel, state):
    await due_key(hotel, saga=working())
    if state is not None:
        hotel.sagas.states[RUN] = state
    await sweep(hotel)
    assert [argument["generation"] for _, argument in hotel.sagas.started] == [2]


@pytest.mark.parametrize("state", [ExecutionState.ACTIVE, ExecutionState.QUEUED])
async def test_saga_that_is_at_work_is_left_alone_and_looked_after(hotel, state):
    key = await due_key(hotel, saga=working())
    hotel.sagas.states[RUN] = state
    assert await sweep(hotel) == 1
    assert (hotel.sagas.started, hotel.bus.published) == ([], [])
    found = await hotel.ledger.entry(key.id)
    assert (found.due, found.saga) == (hotel.clock.now() + STEP_LEASE, key.saga)


@pytest.mark.parametrize("workflow", ["work_on_key", "issue_key", "revoke_key"])
@pytest.mark.parametrize("kind", Work)
async def test_execution_is_found_whatever_its_release_called_the_work_it_began_with(hotel, workflow, kind):
    """A key that is held once it is made settles in the very execution that made it."""
    wished = [lambda kept: kept.withdrawn(hotel.clock.now())] if kind is Work.SETTLE else []
    key = await due_key(hotel, grants=wished, saga=working(kind=kind))
    hotel.sagas.under, hotel.sagas.states[RUN] = workflow, ExecutionState.ACTIVE
    await sweep(hotel)
    assert hotel.sagas.started == []
    assert (await hotel.ledger.entry(key.id)).saga == key.saga
    hotel.sagas.states[RUN] = ExecutionState.SUCCEEDED
    hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    await sweep(hotel)
    assert [(name, told["generation"]) for name, told in hotel.sagas.started] == [("work_on_key", 2)]


async def test_key_that_owes_no_work_is_told_and_swept_no_more_until_its_stay_is_over(hotel):
    now = hotel.clock.now()
    key = await due_key(hotel, (Accept(at=now), Provision(at=now)), announced=1, saga=working())
    assert await sweep(hotel) == 1
    assert hotel.bus.sequences == [2, 3]
    found = await hotel.ledger.entry(key.id)
    assert (found.announced, found.due) == (3, found.credential.core.window.end + OVER_AFTER)
    assert hotel.sagas.started == []
    assert await sweep(hotel) == 0
    hotel.clock.advance(seconds=(found.due - hotel.clock.now()).total_seconds())
    assert await sweep(hotel) == 1
    assert isinstance((await hotel.ledger.entry(key.id)).credential.state, Revoked)


async def test_grant_on_its_way_out_is_taken_back(hotel):
    saga = Saga(kind=Work.SETTLE, claim=CLAIM, generation=2)
    key = await due_key(hotel, grants=[lambda kept: kept.withdrawn(hotel.clock.now())], saga=saga)
    await sweep(hotel)
    ((workflow, argument),) = hotel.sagas.started
    assert (workflow, argument["saga_id"]) == ("work_on_key", key.id)


async def test_withdrawal_whose_grants_are_all_gone_is_over(hotel):
    now = hotel.clock.now()
    gone = lambda kept: kept.withdrawn(now).applied(ConfirmRemoval(at=now))  # noqa: E731 - one line, used once
    key = await due_key(hotel, grants=[gone], saga=Saga(kind=Work.SETTLE, claim=CLAIM))
    await sweep(hotel)
    assert hotel.sagas.started == []
    assert (await hotel.ledger.entry(key.id)).due is None


async def test_key_that_is_not_due_yet_is_not_tended(hotel):
    key = await due_key(hotel)
    await hotel.ledger.save(Change(key.due_in(MINUTE, hotel.clock.now())))
    assert await sweep(hotel) == 0
    assert not await tend_if_due(key.id, hotel.ledger, hotel.services)
    hotel.clock.advance(minutes=1)
    assert await tend_if_due(key.id, hotel.ledger, hotel.services)


async def test_sweep_begins_no_more_lanes_than_there_is_due(hotel):
    await due_key(hotel)
    began = []

    def noting(loop, coroutine, **how):
        began.append(coroutine.__qualname__)
        return asyncio.Task(coroutine, loop=loop, **how)

    asyncio.get_running_loop().set_task_factory(noting)
    assert await sweep(hotel) == 1
    assert began.count("_Sweep._in_turn") == 1


async def test_key_that_is_not_there_or_owes_nothing_is_not_tended(hotel):
    assert not await tend_if_due("key_1", hotel.ledger, hotel.services)
    key = await due_key(hotel)
    await hotel.ledger.save(Change(replace(key, due=None)))
    assert not await tend_if_due(key.id, hotel.ledger, hotel.services)


async def test_of_two_who_come_by_one_begins_the_saga(hotel):
    key = await due_key(hotel)
    ledger = hotel.ledger

    class Slower:
        """Reads the key, and sees it a moment too late."""

        async def entry(self, _id):
            return key

        def __getattr__(self, name):
            return getattr(ledger, name)

    assert await tend_if_due(key.id, ledger, hotel.services)
    with pytest.raises(StaleVersion):
        await tend_if_due(key.id, Slower(), hotel.services)
    assert len(hotel.sagas.started) == 1


async def test_saga_that_died_at_its_start_is_begun_again_when_it_is_due_again(hotel):
    await due_key(hotel)
    await sweep(hotel)
    hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    await sweep(hotel)
    assert len(hotel.sagas.started) == 2
    assert hotel.bus.sequences == [1]


async def test_one_broken_key_is_logged_and_does_not_keep_the_others_waiting(hotel):
    first, broken, last = [await due_key(hotel) for _ in range(3)]
    found = await hotel.documents.get(ref_of(broken.id))
    torn = {**found.data, "credential": {"pin": "583914"}}
    await hotel.documents.commit([Update(found.ref, torn, found.version)])
    assert await sweep(hotel) == 2
    assert [argument["saga_id"] for _, argument in hotel.sagas.started] == [first.id, last.id]
    (line,) = hotel.lines
    assert (line["severity"], line["tenant"], line["credential"]) == ("ERROR", "tnt_silk", broken.id)
    assert "583914" not in hotel.log.getvalue()


async def test_one_key_whose_events_cannot_be_told_does_not_keep_the_others_waiting(hotel):
    await due_key(hotel)
    await due_key(hotel)
    hotel.bus.down = True
    assert await sweep(hotel) == 0
    assert len(hotel.lines) == 2
    hotel.bus.down = False
    hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    assert await sweep(hotel) == 2


async def test_the_longest_overdue_come_first_when_there_are_more_than_one_sweep_takes(hotel, monkeypatch):
    monkeypatch.setattr(sweeper, "AT_A_TIME", 2)
    keys = [await due_key(hotel) for _ in range(3)]
    for late, key in zip((1, 3, 2), keys, strict=True):
        await hotel.ledger.save(Change(replace(key, due=hotel.clock.now() - timedelta(minutes=late))))
    assert await sweep(hotel) == 3
    begun = [argument["saga_id"] for _, argument in hotel.sagas.started]
    assert begun == [keys[1].id, keys[2].id, keys[0].id]


async def test_broken_keys_do_not_stay_before_the_others_for_ever(hotel, monkeypatch):
    monkeypatch.setattr(sweeper, "AT_A_TIME", 2)
    broken, good = [await due_key(hotel) for _ in range(2)], await due_key(hotel)
    for key in broken:
        found = await hotel.documents.get(ref_of(key.id))
        torn = {**found.data, "credential": {}, "due_at": found.data["due_at"] - 1000}
        await hotel.documents.commit([Update(found.ref, torn, found.version)])
    await sweep(hotel)
    assert [argument["saga_id"] for _, argument in hotel.sagas.started] == [good.id]
    hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    await sweep(hotel)
    told = [line["credential"] for line in hotel.lines]
    assert sorted(told) == sorted([key.id for key in broken] * 2)


async def test_key_whose_executions_are_all_lost_is_told_of_once_and_begun_still_while_there_is_time(hotel):
    key = await due_key(hotel)
    for _ in range(MOST_LOST):
        await sweep(hotel)
        hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    for _ in range(3):
        await sweep(hotel)
        hotel.clock.advance(seconds=ASKED_STILL_EVERY.total_seconds())
    assert len(hotel.sagas.started) == MOST_LOST + 3
    assert [line["severity"] for line in hotel.lines] == ["ALERT"]
    assert isinstance((await hotel.ledger.entry(key.id)).credential.state, Requested)


async def test_key_whose_executions_are_all_lost_fails_before_its_stay_with_a_task(hotel):
    key = await due_key(hotel)
    arrival = key.credential.core.window.start
    hotel.clock.advance(seconds=(arrival - NEEDED_WITHIN - hotel.clock.now()).total_seconds())
    for _ in range(MOST_LOST + 1):
        await sweep(hotel)
        hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    found = await hotel.ledger.entry(key.id)
    assert isinstance(found.credential.state, Failed)
    assert found.due == looked_at(found)
    assert await hotel.documents.get(Ref(MANUAL_TASKS, key.id)) is not None
    assert len(hotel.sagas.started) == MOST_LOST
    assert hotel.bus.words == ["requested", "failed"]


async def test_withdrawal_that_begins_again_and_again_and_breaks_off_is_a_risk_too(hotel):
    saga = replace(working(kind=Work.SETTLE), aborted_runs=MOST_BROKEN)
    hotel.sagas.states[RUN] = ExecutionState.FAILED
    key = await due_key(hotel, grants=[lambda kept: kept.withdrawn(hotel.clock.now())], saga=saga)
    await sweep(hotel)
    (kept,) = await hotel.ledger.grants(key)
    assert isinstance(kept.grant.state, Residual)
    assert (await hotel.ledger.entry(key.id)).saga.aborted_runs == 0


async def test_residue_whose_exposure_is_over_lapses_though_nobody_can_ask_its_vendor(hotel):
    now = hotel.clock.now()
    spent = lambda kept: kept.withdrawn(now).applied(GiveUp(at=now, cause="timeout"))  # noqa: E731 - one line, used once
    saga = Saga(kind=Work.SETTLE, claim=CLAIM, unclaimed_starts=MOST_LOST)
    key = await due_key(hotel, grants=[spent], saga=saga)
    (kept,) = await hotel.ledger.grants(key)
    ends = kept.grant.exposure_until + ASKED_AFTER_END
    hotel.clock.advance(seconds=(ends - hotel.clock.now()).total_seconds())
    await sweep(hotel)
    (kept,) = await hotel.ledger.grants(key)
    assert kept.over
    assert (await hotel.ledger.entry(key.id)).due is None


async def test_key_whose_stay_is_over_before_anybody_made_it_fails_as_expired(hotel):
    key = await due_key(hotel, grants=[lambda kept: kept])
    end = key.credential.core.window.end
    hotel.clock.advance(seconds=(end - hotel.clock.now()).total_seconds())
    await sweep(hotel)
    found = await hotel.ledger.entry(key.id)
    assert found.credential.state.reason == "credential_expired"
    assert hotel.sagas.started == []
    await sweep(hotel)
    assert [workflow for workflow, _ in hotel.sagas.started] == ["work_on_key"]


async def test_withdrawal_whose_executions_are_all_lost_becomes_a_risk_that_somebody_is_told_of(hotel):
    saga = Saga(kind=Work.SETTLE, claim=CLAIM, generation=2)
    key = await due_key(hotel, grants=[lambda kept: kept.withdrawn(hotel.clock.now())], saga=saga)
    for _ in range(MOST_LOST + 1):
        await sweep(hotel)
        hotel.clock.advance(seconds=STEP_LEASE.total_seconds())
    (kept,) = await hotel.ledger.grants(key)
    assert isinstance(kept.grant.state, Residual)
    assert [line["severity"] for line in hotel.lines] == ["ALERT"]
    assert (await hotel.ledger.entry(key.id)).due > hotel.clock.now()


async def test_events_for_an_address_that_is_down_take_no_sweep_from_the_keys(hotel):
    class Waiting:
        """A store in which more is due than any sweep takes."""

        def __init__(self):
            self.asked = Counter()

        async def sweep(self, index, *_, limit, **_more):
            self.asked[index] += 1
            return [(SILK, f"snd_{each}") for each in range(limit)]

    store, tended = Waiting(), []

    async def tend(_tenant, name, *_):
        tended.append(name)
        return True

    streams = [replace(each, tend=tend) for each in sweeper.SWEPT if each.due in (DUE, DUE_SENDINGS)]
    await sweep_due(store, hotel.services, streams)
    assert store.asked == {DUE: sweeper.MOST_ROUNDS, DUE_SENDINGS: sweeper.ROUNDS_OF_SENDINGS}
    assert len(tended) == sum(store.asked.values()) * sweeper.AT_A_TIME


async def parked(books, **more):
    """Keep a key whose time has come, and whose vendor was in trouble when it was parked."""
    saga = replace(working(), parked=True, rests_until=books.clock.now(), **more)
    return await due_key(books, saga=saga)


async def test_keys_that_wait_out_a_trouble_are_begun_at_their_pace_and_the_others_have_their_places(
    hotel, monkeypatch
):
    monkeypatch.setattr(trouble_line, "A_SECOND", {Work.ISSUE: 1 / 30})
    keys = [await parked(hotel) for _ in range(4)]
    lost = await due_key(hotel)
    assert await sweep(hotel) == 5
    begun = [argument["saga_id"] for _, argument in hotel.sagas.started]
    assert lost.id in begun
    assert len(begun) == 3
    for key in (key for key in keys if key.id not in begun):
        found = await hotel.ledger.entry(key.id)
        assert found.saga.placed
        assert found.due >= hotel.clock.now() + MINUTE
    hotel.clock.advance(minutes=1, seconds=30)
    await sweep(hotel)
    assert len(hotel.sagas.started) == 5


async def test_keys_are_looked_at_once_a_minute_however_much_else_is_due(hotel):
    class Waiting:
        """A store in which stays are due without end, each page of which takes half a minute."""

        def __init__(self):
            self.asked = []

        async def sweep(self, index, *_, limit, **_more):
            self.asked.append(index)
            if index is DUE:
                return []
            hotel.clock.advance(seconds=30)
            return [(SILK, f"rsv_{each}") for each in range(limit)]

    async def tend(*_):
        return True

    store = Waiting()
    streams = [replace(each, tend=tend) for each in sweeper.SWEPT if each.due in (DUE, DUE_STAYS)]
    await sweep_due(store, hotel.services, streams)
    pages = sweeper.LONGEST // timedelta(seconds=30)
    assert store.asked == [DUE, DUE_STAYS, DUE_STAYS] * (pages // 2)


async def test_when_a_sweep_s_time_is_up_of_each_that_is_left_the_longest_overdue_are_tended(hotel):
    asked = Counter()

    class Waiting:
        async def sweep(self, index, *_, limit, **_more):
            asked[index] += 1
            hotel.clock.advance(minutes=3)
            return [(SILK, f"any_{each}") for each in range(limit)]

    async def tend(*_):
        return True

    others = (DUE_STAYS, DUE_DEVICES, DUE_NOTICES)
    streams = [replace(each, tend=tend) for each in sweeper.SWEPT if each.due in (DUE, *others)]
    await sweep_due(Waiting(), hotel.services, streams)
    assert [asked[index] for index in others] == [1, 1, 1]
