"""Taking a key back: gone is gone, a call that may still land is waited for, a refusal is a risk."""

from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.commands import Accept, Provision, Revoke, Suspend
from shared.domain.grant_lifecycle import Place, Placement, Rest
from shared.domain.ids import LockDeviceId
from shared.domain.instants import milliseconds
from shared.domain.kinds import WINDOW_ROUNDED, RevokeReason, SuspendReason
from shared.domain.lock_errors import KeyRevokeFailed, LockErrorCause, VendorUnreachable
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.orders import Order, place_key_again
from shared.keywork.settle import refuse_to_settle, settle_at_locks
from shared.keywork.verdicts import Outcome
from shared.ledger.delays import ASKED_AFTER_END, LAPSED_EVERY, MOST_TRIES, RESIDUE_EVERY, STEP_LEASE
from shared.ledger.grant_record import CALLS_LAST, CLOCK_MARGIN, Wish
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.key_record import Saga, Work
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SealedKeys, SecretName
from shared.ports.lock import AdapterDescription, KeyAtLock
from tests.support.ledger_books import ARRIVAL, CAUSE, CLAIM, DAY, DOOR, MOCK, PIN_CODE, SILK, TTLOCK

FRONT = LockDeviceId("lck_01KSAMP1E00000000000000001")
PIN, REF = "583914", "canary-ref-77"
BUSY = KeyRevokeFailed(vendor=MOCK, cause=LockErrorCause("lock_busy"))
NEVER = KeyRevokeFailed(vendor=MOCK, cause=LockErrorCause("lock_frozen"), permanent=True)


class Port:
    """A vendor that lets go of every key, but at the doors where a test says otherwise."""

    def __init__(self, clock):
        self.errors, self.asked, self.wait, self.takes, self.at_lock = {}, [], None, 0, None
        self._clock = clock

    @asynccontextmanager
    async def visit(self):
        yield

    async def remove(self, key):
        self.asked.append(key)
        self._clock.advance(seconds=self.takes)
        if key.device_id in self.errors:
            raise self.errors[key.device_id]

    async def unsuspend(self, key):
        self.asked.append(key)
        return self.at_lock

    place = unsuspend

    def wait_after(self, _error):
        return self.wait

    def describe_adapter(self):
        return AdapterDescription(MOCK, LockCapabilities())


class Withdrawing:
    """A revoked key that leaves its locks, attempt by attempt."""

    def __init__(self, books):
        self.books, self.port = books, Port(books.clock)
        self.secrets = SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK)
        hotel = SimpleNamespace(quarantined=frozenset(), policy=DEFAULT_POLICY)
        self.desk = SimpleNamespace(port=self.port, secrets=self.secrets, premises=hotel)

    async def begin(self, *doors, busy=False):
        books, now = self.books, self.books.clock.now()
        entry, facts = books.requested()
        credential = entry.credential
        for command in (Accept(at=now), Provision(at=now), Revoke(at=now, reason=RevokeReason.CHECKOUT)):
            credential, more = credential.apply(command)
            facts = (*facts, *more)
        saga = Saga(kind=Work.SETTLE, claim=CLAIM, execution="run-1")
        entry = replace(entry, credential=credential, saga=saga, announced=4)
        grants = [books.kept(entry, door).applied(Place(at=now)).withdrawn(now) for door in doors or (DOOR,)]
        await books.ledger.save(Change(entry, facts, tuple(g.calling(now) if busy else g for g in grants)))
        self.id, self.name = entry.id, SecretName(entry.id, PIN_CODE, 0)
        await self.secrets.keep(
            SealedKey(self.name, Secret(PIN), ARRIVAL + 60 * DAY, {grants[0].grant.vendor_name: Secret(REF)})
        )
        return self

    async def entry(self):
        return await self.books.ledger.entry(self.id)

    async def attempt(self, withdraw=settle_at_locks, last=None):
        task = AttemptContext(await self.entry(), self.books.ledger, self.books.services, MOCK)
        return await withdraw(task, last or self.desk)

    async def states(self):
        kept = await self.books.ledger.grants(await self.entry())
        return [type(each.grant.state).__name__.lower() for each in kept]

    @property
    def alarms(self):
        return [line for line in self.books.lines if line["severity"] == "ALERT"]


@pytest.fixture
def key(books):
    return Withdrawing(books)


async def test_key_that_every_lock_lets_go_of_is_settled_told_and_forgotten(books, key):
    await key.begin(DOOR, FRONT)
    assert (await key.attempt()).outcome is Outcome.DONE
    assert await key.states() == ["removed", "removed"]
    assert [lock.ok for lock in (await key.entry()).credential.state.settlement] == [True, True]
    assert books.bus.words == ["revoke_settled"]
    assert ((await key.entry()).due, await key.secrets.find(key.name)) == (None, None)


async def test_lock_is_asked_by_name_and_by_the_vendor_s_own_reference(key):
    await key.begin(DOOR, FRONT)
    await key.attempt()
    asked = {each.device_id: each for each in key.port.asked}
    assert asked[DOOR].vendor_ref.reveal() == REF
    assert asked[FRONT].vendor_ref is None
    assert asked[FRONT].name.startswith("MM-")


async def test_secret_of_several_locks_is_opened_once(key, monkeypatch):
    await key.begin(DOOR, FRONT)
    opened, find = [], key.secrets.find

    async def counted(name):
        opened.append(name)
        return await find(name)

    monkeypatch.setattr(key.secrets, "find", counted)
    await key.attempt()
    assert opened == [key.name]
    assert await key.states() == ["removed", "removed"]


async def test_lock_is_asked_by_name_alone_when_the_secret_does_not_open(books, key):
    await key.begin()
    key.desk.secrets = SealedKeys(books.vault.tenant(SILK), books.cipher, TTLOCK)
    await key.attempt()
    assert key.port.asked[0].vendor_ref is None
    assert await key.states() == ["removed"]


async def test_one_lock_that_refuses_does_not_keep_the_other_s_key(books, key):
    await key.begin(DOOR, FRONT)
    key.port.errors[FRONT] = BUSY
    verdict = await key.attempt()
    assert verdict.outcome is Outcome.RETRY
    assert timedelta(seconds=3) <= verdict.after <= timedelta(seconds=5)
    assert sorted(await key.states()) == ["removed", "removing"]
    due = books.clock.now() + verdict.after + STEP_LEASE
    assert milliseconds((await key.entry()).due) == milliseconds(due)
    assert books.bus.words == []
    assert (await key.secrets.find(key.name)).artifact.reveal() == PIN


async def test_each_call_that_asked_for_a_removal_is_kept_with_its_answer(books, key):
    await key.begin()
    key.port.errors[DOOR] = BUSY
    await key.attempt()
    key.port.errors.clear()
    await key.attempt()
    (kept,) = await books.ledger.grants(await key.entry())
    assert [(call.asked, call.answer) for call in kept.calls] == [
        ("remove", BUSY.cause.kind),
        ("remove", "gone"),
    ]


async def test_vendor_that_could_not_be_asked_has_no_call(books, key):
    await key.begin()
    await key.attempt(refuse_to_settle, BUSY)
    (kept,) = await books.ledger.grants(await key.entry())
    assert kept.calls == ()


async def test_vendor_that_wants_to_be_left_alone_is(key):
    await key.begin()
    key.port.errors[DOOR], key.port.wait = BUSY, timedelta(minutes=2)
    assert (await key.attempt()).after == timedelta(minutes=2)


async def test_lock_that_refuses_six_times_is_a_risk_with_an_end_and_asked_again_in_an_hour(books, key):
    await key.begin()
    key.port.errors[DOOR] = BUSY
    outcomes = [(await key.attempt()).outcome for _ in range(MOST_TRIES)]
    assert outcomes == [Outcome.RETRY] * 3 + [Outcome.PARKED] * 2 + [Outcome.FAILED]
    assert await key.states() == ["residual"]
    entry = await key.entry()
    (lock,) = entry.credential.state.settlement
    assert (lock.ok, lock.exposure_until) == (False, entry.credential.core.window.end)
    assert entry.due == books.clock.now() + RESIDUE_EVERY
    assert [alarm["tries"] for alarm in key.alarms] == [1, MOST_TRIES]
    assert await key.secrets.find(key.name) is not None


async def test_lock_that_will_never_let_go_is_a_risk_at_once(key):
    await key.begin()
    key.port.errors[DOOR] = NEVER
    assert (await key.attempt()).outcome is Outcome.FAILED
    assert await key.states() == ["residual"]
    (alarm,) = key.alarms
    assert (alarm["message"], alarm["deviceId"]) == ("MELMASTOON.LOCK.KEY_REVOKE_FAILED", DOOR)


async def test_risk_that_stands_is_not_told_twice_and_its_end_is(books, key):
    await key.begin()
    key.port.errors[DOOR] = NEVER
    await key.attempt()
    await key.attempt()
    assert books.bus.words == ["revoke_settled"]
    key.port.errors.clear()
    assert (await key.attempt()).outcome is Outcome.DONE
    assert books.bus.words == ["revoke_settled"] * 2
    assert (await key.entry()).credential.state.settlement[0].ok
    assert (await key.entry()).due is None


async def test_es3_risk_whose_time_is_over_is_told_an_hour_later_and_its_lock_is_asked_each_day(books, key):
    await key.begin()
    key.port.errors[DOOR] = NEVER
    await key.attempt()
    end = (await key.entry()).credential.core.window.end
    books.clock.advance(seconds=(end - books.clock.now()).total_seconds())
    assert (await key.attempt()).outcome is Outcome.FAILED
    books.clock.advance(seconds=CLOCK_MARGIN.total_seconds())
    assert (await key.attempt()).outcome is Outcome.DONE
    assert books.bus.words == ["revoke_settled"] * 2
    assert (await key.states(), len(key.port.asked)) == (["residual"], 3)
    assert (await key.entry()).due == books.clock.now() + LAPSED_EVERY


async def test_risk_whose_lock_never_came_back_is_forgotten_without_asking(books, key):
    await key.begin()
    key.port.errors[DOOR] = NEVER
    await key.attempt()
    end = (await key.entry()).credential.core.window.end
    books.clock.advance(seconds=(end + ASKED_AFTER_END - books.clock.now()).total_seconds())
    assert (await key.attempt()).outcome is Outcome.DONE
    assert len(key.port.asked) == 1
    assert await key.states() == ["removed"]
    assert (await key.entry()).due is None


async def test_risk_is_looked_at_when_its_time_is_over_rather_than_an_hour_later(books, key):
    await key.begin()
    end = (await key.entry()).credential.core.window.end + CLOCK_MARGIN
    books.clock.advance(seconds=(end - books.clock.now()).total_seconds() - 60)
    key.port.errors[DOOR] = NEVER
    await key.attempt()
    assert (await key.entry()).due == end


async def test_removal_is_not_believed_while_a_call_may_still_land(books, key):
    await key.begin(busy=True)
    books.clock.advance(seconds=100)
    verdict = await key.attempt()
    assert (verdict.outcome, verdict.after) == (Outcome.RETRY, CALLS_LAST - timedelta(seconds=100))
    assert await key.states() == ["removing"]
    assert key.alarms == []
    books.clock.advance(seconds=verdict.after.total_seconds())
    assert (await key.attempt()).outcome is Outcome.DONE
    assert len(key.port.asked) == 2


async def test_removal_asked_for_while_a_call_may_still_land_is_not_believed_later(books, key):
    await key.begin(busy=True)
    books.clock.advance(seconds=CALLS_LAST.total_seconds() - 1)
    key.port.takes = 2
    verdict = await key.attempt()
    assert (verdict.outcome, verdict.after) == (Outcome.RETRY, timedelta(0))
    assert await key.states() == ["removing"]
    assert (await key.attempt()).outcome is Outcome.DONE


async def test_vendor_that_wants_to_be_left_alone_for_days_leaves_a_risk_and_not_a_wait(books, key):
    await key.begin()
    key.port.errors[DOOR], key.port.wait = BUSY, timedelta(days=12)
    assert (await key.attempt()).outcome is Outcome.FAILED
    assert await key.states() == ["residual"]
    assert (await key.entry()).due == books.clock.now() + RESIDUE_EVERY


async def test_vendor_that_could_not_even_be_asked_is_tried_again_and_then_a_risk(key):
    await key.begin()
    closed = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("account_missing"))
    outcomes = [(await key.attempt(refuse_to_settle, closed)).outcome for _ in range(MOST_TRIES)]
    assert outcomes == [Outcome.RETRY] * 3 + [Outcome.PARKED] * 2 + [Outcome.FAILED]
    assert await key.states() == ["residual"]
    assert {alarm["cause"] for alarm in key.alarms} == {"account_missing"}


async def test_step_that_is_repeated_after_its_last_word_says_it_again_and_tells_nothing_new(books, key):
    await key.begin()
    await key.attempt()
    assert (await key.attempt()).outcome is Outcome.DONE
    assert books.bus.words == ["revoke_settled"]
    assert (await key.entry()).due is None


async def test_nothing_secret_is_logged_or_told(books, key):
    await key.begin()
    key.port.errors[DOOR] = NEVER
    await key.attempt()
    told = b"".join(message.data for _, message in books.bus.published).decode()
    for secret in (PIN, REF):
        assert secret not in told + books.log.getvalue()


async def test_woken_key_that_was_made_anew_opens_when_its_locks_say_now(books, key):
    """A computed code's hours are rounded; the one it is woken as is exact, and nobody moved it."""
    now, hour = books.clock.now(), timedelta(hours=1)
    entry, facts = books.requested()
    window, credential = entry.credential.core.window, entry.credential
    rounded = StayWindow(window.start - hour, window.end + hour, window.zone)
    for command in (
        Accept(at=now),
        Provision(at=now, effective=rounded),
        Suspend(at=now, reason=SuspendReason.MANUAL),
    ):
        credential, more = credential.apply(command)
        facts = (*facts, *more)
    saga = Saga(kind=Work.SETTLE, claim=CLAIM, execution="run-1")
    entry = replace(entry, credential=credential, saga=saga, announced=4)
    rests = books.kept(entry, DOOR).applied(Place(at=now)).applied(Rest(at=now)).wished(Wish.OPEN, now)
    await books.ledger.save(Change(entry, facts, (rests,)))
    key.id = entry.id
    await key.secrets.keep(SealedKey(SecretName(entry.id, PIN_CODE, 0), Secret(PIN), ARRIVAL + 60 * DAY, {}))
    key.port.at_lock = exactly(window)
    assert (await key.attempt()).outcome is Outcome.DONE
    assert (await key.entry()).credential.state.key.effective == window
    assert WINDOW_ROUNDED not in [each.code for each in (await key.entry()).credential.core.warnings]
    assert books.bus.words == ["unsuspended", "updated"]


async def test_key_that_is_placed_again_opens_when_its_lock_says_now(books, key):
    """A computed code has rounded hours; the one that stands in its place is exact, and nobody moved it."""
    now, hour = books.clock.now(), timedelta(hours=1)
    entry, facts = books.requested()
    window, credential = entry.credential.core.window, entry.credential
    rounded = StayWindow(window.start - hour, window.end + hour, window.zone)
    for command in (Accept(at=now), Provision(at=now, effective=rounded)):
        credential, more = credential.apply(command)
        facts = (*facts, *more)
    entry = replace(entry, credential=credential, announced=3)
    stood = KeyAtLockRecord(rounded.start, rounded.end)
    kept = replace(books.kept(entry, DOOR).applied(Place(at=now)), standing=stood)
    saved = await books.ledger.save(Change(entry, facts, (kept,)))
    lost = place_key_again(saved.entry, saved.grants[0], Order(CAUSE, now))
    await books.ledger.save(replace(lost, entry=replace(lost.entry, saga=lost.entry.saga.claimed("run-1"))))
    key.id = entry.id
    await key.secrets.keep(SealedKey(SecretName(entry.id, PIN_CODE, 0), Secret(PIN), ARRIVAL + 60 * DAY, {}))
    key.port.at_lock = exactly(window)
    assert (await key.attempt()).outcome is Outcome.DONE
    assert (await key.entry()).credential.state.key.effective == window
    assert books.bus.words == ["updated"]
    assert (await key.attempt()).outcome is Outcome.DONE
    assert books.bus.words == ["updated"]


def exactly(window):
    """Return what a lock says of a key that opens in its very window."""
    return KeyAtLock(
        vendor_ref=Secret(REF),
        valid_from=window.start,
        valid_until=window.end,
        exposure_until=window.end,
        placement=Placement.ON_LOCK,
    )
