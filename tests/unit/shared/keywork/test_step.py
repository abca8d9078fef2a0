"""An adapter's call may end between any two lines; whoever comes next finishes the one key that was begun."""

from dataclasses import replace

import pytest

from infra.local.secrets import SqliteSecrets
from shared.domain.commands import Fail
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Placed, Removed, Removing
from shared.domain.instants import milliseconds
from shared.domain.kinds import FailureReason
from shared.domain.secret import Secret
from shared.domain.states import Active, Failed, Pending, Requested
from shared.keywork.attempt import TOLD_WITHIN
from shared.keywork.next_due import unreported_checkout_at
from shared.keywork.revival import looked_at
from shared.keywork.step import make_attempt
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import Outcome, StepCall, ask
from shared.ledger.key_record import Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.ports.documents import StaleVersion
from shared.ports.vault import SecretMissing
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.binding import AdapterPorts
from shared.vendors.mock.adapter import open_vendor
from tests.support.few_doors import door, move_in
from tests.support.ledger_books import KABUL, MOCK, PIN_CODE, ROOM, SILK, TTLOCK
from tests.support.mortal import Died, Life, Mortal

DOORS = door(1, [ROOM], "pin"), door(2, [ROOM], "pin")
LINES = 18
"""Before and after each commit, each door and each publishing of one call."""


class Nothing:
    """Secrets, of which there are none."""

    async def latest(self, name):
        raise SecretMissing(name)


class Working:
    """A key of two doors at a mock's, and the calls of its saga."""

    def __init__(self, books):
        self.books, self.life, self.ports = books, Life(), []
        self.vault = SqliteSecrets(books.engine, books.cipher)

    async def begin(self, account=b"mock://"):
        books = self.books
        await move_in(books, *DOORS)
        if account is not None:
            await self.vault.add(account_secret(MOCK, SILK, KABUL), Secret(account))
        entry, facts = books.requested(announced=1)
        self.id = (await books.ledger.save(Change(entry, facts))).entry.id
        self.desks = VendorSessions(MOCK, self._open, books.services.hotels, self.vault, self._means())
        return self

    def _open(self, binding, means):
        self.ports.append(open_vendor(binding, means))
        return Mortal(self.ports[-1], self.life)

    def _means(self):
        books = self.books
        return AdapterPorts(
            http=None,
            clock=books.clock,
            entropy=books.entropy,
            leases=None,
            documents=books.store,
            sealed=Mortal(books.vault, self.life),
            cipher=books.cipher,
            guards=None,
        )

    @property
    def services(self):
        services = self.books.services
        services.hotels._documents = Mortal(self.books.store, self.life)
        return replace(services, bus=Mortal(self.books.bus, self.life))

    async def call(self, execution="run-1", generation=1):
        return await make_attempt(StepCall(SILK, self.id, generation, execution), self.services, self.desks)

    async def entry(self):
        return await self.books.ledger.entry(self.id)

    async def grants(self):
        return await self.books.ledger.grants(await self.entry())

    def at_locks(self):
        """Return what the vendor has: door and PIN."""
        locks = self.ports[-1]._cloud.locks.items()
        return [(device, key.secret.reveal()) for device, held in locks for key in held.values()]

    async def secret(self, kept=0):
        secrets = SealedKeys(self.books.vault.tenant(SILK), self.books.cipher, MOCK)
        return await secrets.find(SecretName((await self.entry()).id, PIN_CODE, kept))


@pytest.fixture
def work(books):
    return Working(books)


async def test_key_is_made_at_every_door_with_one_sealed_pin(work):
    await work.begin()
    assert (await work.call()).outcome is Outcome.DONE
    entry = await work.entry()
    assert isinstance(entry.credential.state, Active)
    assert (entry.announced, entry.due, entry.saga.execution) == (3, unreported_checkout_at(entry), "run-1")
    pin = (await work.secret()).artifact.reveal()
    assert sorted(work.at_locks()) == [(each.id, pin) for each in DOORS]
    assert all(isinstance(kept.grant.state, Placed) for kept in await work.grants())
    assert set((await work.secret()).refs) == {kept.grant.vendor_name for kept in await work.grants()}
    assert work.books.bus.sequences == [2, 3]


@pytest.mark.parametrize("place", [KABUL, "ppt_nowhere"])
async def test_where_a_call_says_its_key_opens_is_read_beside_it_and_never_believed(work, place):
    await work.begin()
    call = StepCall(SILK, work.id, 1, "run-1", place=place)
    assert (await make_attempt(call, work.services, work.desks)).outcome is Outcome.DONE
    assert sorted(device for device, _ in work.at_locks()) == [each.id for each in DOORS]


async def test_step_that_is_repeated_after_the_key_is_made_is_done_and_asks_nobody(work):
    await work.begin()
    await work.call()
    before = work.life.steps, await work.entry()
    assert (await work.call()).outcome is Outcome.DONE
    assert (work.life.steps, await work.entry()) == before


async def test_step_that_is_repeated_after_the_key_is_made_is_done_though_its_account_is_gone(work):
    await work.begin()
    await work.call()
    before = await work.entry()
    work.desks = VendorSessions(MOCK, work._open, work.books.services.hotels, Nothing(), work._means())
    assert (await work.call()).outcome is Outcome.DONE
    assert await work.entry() == before


async def test_second_execution_of_the_same_generation_is_superseded(work):
    await work.begin()
    await work.call("run-1")
    assert (await work.call("run-2")).outcome is Outcome.SUPERSEDED
    assert (await work.call("run-1", generation=2)).outcome is Outcome.SUPERSEDED
    assert len(work.at_locks()) == 2


async def test_execution_that_finds_a_key_ended_without_it_is_superseded_and_writes_nothing(work):
    await work.begin()
    entry = await work.entry()
    ended, facts = entry.credential.apply(Fail(at=work.books.clock.now(), reason=FailureReason.CANCELLATION))
    await work.books.ledger.save(Change(replace(entry, credential=ended), facts))
    before = await work.entry()
    assert (await work.call()).outcome is Outcome.SUPERSEDED
    assert await work.entry() == before


async def test_adapter_that_is_asked_for_another_vendor_s_key_names_that_one_though_it_has_no_account(work):
    await work.begin(account=None)
    work.desks = VendorSessions(TTLOCK, work._open, work.books.services.hotels, work.vault, work._means())
    before = await work.entry()
    assert await work.call() == ask(MOCK)
    assert await work.entry() == before


async def test_key_that_is_not_there_is_refused_by_field(work):
    await work.begin()
    work.id = "key_1"
    with pytest.raises(InvalidInput) as refused:
        await work.call()
    assert refused.value.field == "saga_id"


async def test_step_of_an_unknown_tenant_is_refused_by_field(work):
    await work.begin()
    with pytest.raises(InvalidInput) as refused:
        await make_attempt(StepCall("tnt_gulf", work.id, 1, "run-1"), work.books.services, work.desks)
    assert refused.value.field == "tenantId"


async def test_vendor_without_an_account_counts_an_attempt_and_writes_no_grant(work):
    await work.begin(account=None)
    verdict = await work.call()
    entry = await work.entry()
    assert (verdict.outcome, entry.credential.core.plan.attempts) == (Outcome.RETRY, 1)
    assert isinstance(entry.credential.state, Requested)
    assert await work.grants() == ()
    assert milliseconds(entry.due) > milliseconds(work.books.clock.now() + verdict.after)


async def test_lost_race_for_a_key_makes_nothing_twice(work, monkeypatch):
    await work.begin()
    entry = await work.entry()
    await work.books.ledger.save(Change(entry.due_in(TOLD_WITHIN, work.books.clock.now())))

    async def stale(_ledger, _id):
        return entry

    with monkeypatch.context() as patch:
        patch.setattr("shared.ledger.ledger.Ledger.entry", stale)
        with pytest.raises(StaleVersion):
            await work.call()
    assert (await work.entry()).credential.core.plan.attempts == 0
    assert await work.grants() == ()
    # The orphaned secret stands, and is the one that the key is made with.
    pin = (await work.secret()).artifact.reveal()
    await work.call()
    assert {secret for _, secret in work.at_locks()} == {pin}


async def test_call_that_lost_the_race_to_the_key_s_end_leaves_no_secret(work, monkeypatch):
    await work.begin()
    before = await work.entry()
    ended, facts = before.credential.apply(Fail(at=work.books.clock.now(), reason=FailureReason.CANCELLATION))
    await work.books.ledger.save(Change(replace(before, credential=ended), facts))
    entries, found = iter([before]), Ledger.entry

    async def first_as_it_was(ledger, id_):
        return next(entries, None) or await found(ledger, id_)

    monkeypatch.setattr(Ledger, "entry", first_as_it_was)
    with pytest.raises(StaleVersion):
        await work.call()
    assert await work.secret() is None


async def test_permanent_refusal_of_every_kind_ends_with_a_task_and_no_secret(work):
    await work.begin(b"mock://?fail=issue&error=KEY_ISSUE_FAILED&permanent=true")
    while (verdict := await work.call()).outcome is Outcome.NEXT:
        pass
    assert verdict.outcome is Outcome.FAILED
    entry = await work.entry()
    assert isinstance(entry.credential.state, Failed)
    assert all(isinstance(kept.grant.state, Removed) for kept in await work.grants())
    assert await work.secret() is None
    assert entry.saga.kind is Work.ISSUE
    assert entry.due == looked_at(entry)


async def test_vendor_that_may_have_done_it_leaves_grants_to_take_back(work):
    await work.begin(b"mock://?fail=issue&when=after")
    for _ in range(6):
        verdict = await work.call()
        work.books.clock.advance(seconds=verdict.after.total_seconds())
    assert verdict.outcome is Outcome.FAILED
    entry = await work.entry()
    assert isinstance(entry.credential.state, Failed)
    assert (entry.saga.kind, entry.saga.generation, entry.saga.execution) == (Work.SETTLE, 2, None)
    assert entry.due <= work.books.clock.now()
    assert all(isinstance(kept.grant.state, Removing) for kept in await work.grants())


async def test_a_whole_call_has_as_many_lines_as_are_died_at_below(work):
    await work.begin()
    await work.call()
    assert work.life.steps == LINES


@pytest.mark.parametrize("line", range(1, LINES + 1))
async def test_call_that_dies_at_any_line_is_finished_by_the_next_with_the_same_pin(work, line):
    await work.begin()
    work.life.ends_at = line
    with pytest.raises(Died):
        await work.call()
    entry, known = await work.entry(), await work.secret()
    assert isinstance(entry.credential.state, Requested | Pending | Active)
    assert entry.due is not None or not entry.unannounced, "nobody would look at this key again"
    assert (await work.call()).outcome is Outcome.DONE
    assert isinstance((await work.entry()).credential.state, Active)
    pin = (await work.secret()).artifact
    assert known is None or pin == known.artifact
    assert sorted(work.at_locks()) == [(each.id, pin.reveal()) for each in DOORS]
    assert len(await work.grants()) == len(DOORS)
    assert len({message.data for _, message in work.books.bus.published}) <= 2
