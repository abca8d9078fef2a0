"""What comes of an attempt to make a key: every row of the table, and that deciding writes nothing."""

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from infra.local.ambient import SeededEntropy
from shared.domain.commands import Accept
from shared.domain.kinds import SuspendReason
from shared.domain.lock_errors import CredentialExpired, KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.plan import MAX_ATTEMPTS
from shared.domain.secret import Secret
from shared.domain.states import Active, Failed, Pending, Suspended
from shared.keywork.attempt import AttemptContext
from shared.keywork.decide_issue import NONE, SECRET_TRIES, decide
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.ledger.delays import LONGEST_WAIT
from shared.ledger.key_record import Work
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.lock import KeyAtLock
from tests.support.ledger_books import ARRIVAL, DAY, DOOR, MOCK, PIN_CODE, RFID_CARD

LEAVES = ARRIVAL + 3 * DAY
STANDS = KeyAtLock(vendor_ref=Secret("ref-1"), valid_from=ARRIVAL, valid_until=LEAVES, exposure_until=LEAVES)
BUSY = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("gateway_busy"))
SILENT = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
FULL = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("lock_full"))
TAKEN = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("pin_taken"))
FOR_GOOD = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("lock_frozen"), permanent=True)


@pytest.fixture
def attempt(books):
    """Make an attempt at a key whose plan is a PIN, then a card.

    Before it `tries` were refused, and `broken_off` came to no end.
    """

    def make(*outcomes, tries=0, broken_off=0, position=0, **entry):
        found, _ = books.requested(**entry)
        now = books.clock.now()
        credential, _ = found.credential.apply(Accept(at=now))
        for _ in range(tries):
            credential = credential.attempting(now).refused(SILENT.code, now)
        for _ in range(broken_off + 1):
            credential = credential.attempting(now)
        for _ in range(position):
            credential = credential.falling_back(books.clock.now())
        found = replace(found, credential=credential)
        task = AttemptContext(found, books.ledger, books.services, MOCK)
        kept = books.kept(found, DOOR).calling(books.clock.now())
        key = SealedKey(SecretName(found.id, PIN_CODE, found.secret_try), Secret("583914"), LEAVES)
        return IssueAttempt(task, tuple(LockAttempt(kept, True, None, each) for each in outcomes), key=key)

    return make


def decided(attempted, asked_for=NONE):
    return decide(attempted, asked_for, SeededEntropy(1))


def test_key_that_all_locks_have_is_active_and_done(attempt):
    it = decided(attempt(STANDS))
    assert isinstance(it.change.entry.credential.state, Active)
    assert (it.ends, it.verdict.outcome, it.change.entry.due) == (True, "done", None)
    assert [ref.reveal() for ref in it.sealed.refs.values()] == ["ref-1"]


def test_key_that_is_held_comes_to_life_at_rest_and_its_execution_goes_on(attempt):
    it = decided(attempt(STANDS, holds=frozenset({SuspendReason.FRAUD_REVIEW})))
    assert isinstance(it.change.entry.credential.state, Suspended)
    assert (it.verdict.outcome, it.change.entry.saga.kind) == ("retry", Work.SETTLE)


def test_lock_nobody_came_to_is_asked_by_the_same_attempt(attempt):
    it = decided(attempt(SILENT, None))
    assert (it.ends, it.change.entry.round_open) == (False, True)
    assert (it.verdict.outcome, it.verdict.after) == ("retry", NONE)


def test_turn_that_did_not_come_is_waited_for_by_the_same_attempt(attempt):
    it = decided(attempt(BUSY))
    assert it.change.entry.round_open
    assert it.verdict.after > NONE
    assert it.change.entry.credential.core.plan.made[-1].problem is None


@pytest.mark.parametrize("error", [SILENT, FULL])
def test_refusal_for_now_is_noted_and_asked_again_after_a_rest(attempt, error):
    it = decided(attempt(error))
    assert (it.ends, it.change.entry.round_open, it.verdict.outcome) == (False, False, "retry")
    assert it.verdict.after >= timedelta(seconds=3)
    assert it.change.entry.credential.core.plan.made[-1].problem == error.code
    assert it.unused == ()


def test_attempts_that_broke_off_make_a_refusal_neither_the_last_nor_its_rest_longer(attempt):
    first, last = decided(attempt(SILENT)), decided(attempt(SILENT, broken_off=MAX_ATTEMPTS))
    assert (last.verdict, last.ends) == (first.verdict, False)
    assert last.change.entry.credential.core.plan.answered == 1


def test_pin_that_is_taken_has_another_one_drawn_at_once(attempt):
    it = decided(attempt(TAKEN))
    assert (it.verdict.outcome, it.verdict.after, it.change.entry.secret_try) == ("retry", NONE, 1)
    assert [each.over for each in it.change.grants] == [True]
    assert len(it.unused) == 1


def test_pin_refused_once_too_often_makes_way_for_the_plan_s_next_kind(attempt):
    it = decided(attempt(TAKEN, secret_try=SECRET_TRIES - 1))
    plan = it.change.entry.credential.core.plan
    assert (it.verdict.outcome, plan.current.kind, it.change.entry.secret_try) == ("next", RFID_CARD, 0)


@pytest.mark.parametrize(
    ("error", "asked_for"), [(FOR_GOOD, NONE), (FULL, LONGEST_WAIT + timedelta(seconds=1))]
)
def test_refusal_for_good_or_for_too_long_turns_to_the_next_way_at_once(attempt, error, asked_for):
    it = decided(attempt(error), asked_for)
    assert (it.ends, it.verdict.outcome) == (False, "next")
    assert isinstance(it.change.entry.credential.state, Pending)


@pytest.mark.parametrize(
    ("outcome", "made"),
    [
        (FOR_GOOD, {"position": 1}),
        (SILENT, {"tries": MAX_ATTEMPTS - 1}),
        (CredentialExpired(vendor=MOCK, credential_id="key_01KSAMP1E00000000000000777"), {}),
    ],
    ids=["last way", "last attempt", "stay over"],
)
def test_key_that_nothing_is_left_to_try_for_fails(attempt, outcome, made):
    it = decided(attempt(outcome, **made))
    assert isinstance(it.change.entry.credential.state, Failed)
    assert (it.ends, it.verdict.outcome) == (True, "failed")


async def test_deciding_writes_nothing_and_tells_nobody(attempt, books):
    for outcome in (STANDS, SILENT, TAKEN, FOR_GOOD):
        attempted = attempt(outcome)
        decided(attempted)
        assert await books.ledger.entry(str(attempted.task.entry.id)) is None
    assert (books.bus.published, books.lines) == ([], [])


def test_s1_handle_of_a_key_is_drawn_from_chance_alone_and_its_entry_keeps_a_digest(attempt):
    """Were it an id of ours, whoever saw the event's could count to it."""
    of_chance = [decide(attempt(STANDS), NONE, SeededEntropy(seed)).change for seed in (1, 2, 1)]
    first, other, same = (each.delivery.artifact.opaque_ref for each in of_chance)
    assert (first == same, first == other) == (True, False)
    assert of_chance[0].entry.id != of_chance[2].entry.id
    assert of_chance[0].entry.artifact == hashlib.sha256(first.encode()).hexdigest()
