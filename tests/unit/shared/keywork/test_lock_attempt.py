"""What came of an attempt, lock by lock: silence is not an answer, and an answer ends its own call only."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.grant_lifecycle import Intended, Place, Placed, Placement, Removed, Removing
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyWarning
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.keywork.attempt import AttemptContext
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.ledger.grant_record import CALLS_LAST
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.lock import KeyAtLock
from shared.ports.lock_causes import NEVER_ASKED
from tests.support.ledger_books import ARRIVAL, DAY, DOOR, HOUR, MOCK, PIN_CODE

FRONT = LockDeviceId("lck_01KSAMP1E00000000000000001")
LEAVES = ARRIVAL + 3 * DAY
REFUSED = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("lock_full"))
TAKEN = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("pin_taken"))
SILENT = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
ANSWERED = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("gateway_offline", "-3002"))
UNASKED = [VendorUnreachable(vendor=MOCK, cause=LockErrorCause(cause)) for cause in sorted(NEVER_ASKED)]
ANSWERS = [REFUSED, ANSWERED, *UNASKED, None]


def at_lock(ref="ref-1", start=ARRIVAL, end=LEAVES, **more):
    return KeyAtLock(
        vendor_ref=Secret(ref), valid_from=start, valid_until=end, exposure_until=end + HOUR, **more
    )


@pytest.fixture
def task(books):
    return AttemptContext(books.requested()[0], books.ledger, books.services, MOCK)


@pytest.fixture
def placing(books, task):
    """Make a lock's part: asked just now, perhaps after an earlier call that was never heard of again."""

    def make(outcome, *, fresh=True, before=None, door=DOOR):
        kept = books.kept(task.entry, door).calling(books.clock.now())
        return LockAttempt(kept, fresh, before, outcome)

    return make


def test_key_that_stands_is_placed_until_its_vendor_s_own_end(task, placing):
    kept = placing(at_lock(placement=Placement.ON_LOCK)).settled(task)
    assert isinstance(kept.grant.state, Placed)
    assert kept.grant.state.placement is Placement.ON_LOCK
    assert kept.grant.exposure_until == LEAVES + HOUR
    assert kept.busy_until is None


def test_silence_leaves_the_call_under_way(books, task, placing):
    kept = placing(SILENT).settled(task)
    assert isinstance(kept.grant.state, Intended)
    assert kept.busy_until == books.clock.now() + CALLS_LAST


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_answer_ends_the_call(task, placing, answer):
    kept = placing(answer).settled(task)
    assert isinstance(kept.grant.state, Intended)
    assert kept.busy_until is None


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        (at_lock(placement=Placement.ON_LOCK), "on_lock"),
        (SILENT, SILENT.cause.kind),
        (TAKEN, TAKEN.cause.kind),
    ],
    ids=["placed", "silence", "refused"],
)
def test_what_was_asked_and_answered_is_kept_with_the_grant(books, task, placing, outcome, answer):
    (call,) = placing(outcome).settled(task).calls
    assert (call.at, call.asked, call.answer) == (books.clock.now(), "place", answer)


def test_lock_whose_vendor_was_not_asked_has_no_call(task, placing):
    assert placing(None).settled(task).calls == ()


@pytest.mark.parametrize("answer", [at_lock(), *ANSWERS], ids=lambda answer: type(answer).__name__)
def test_answer_does_not_end_an_earlier_call_that_was_never_heard_of(books, task, placing, answer):
    before = books.clock.now() + timedelta(seconds=70)
    assert placing(answer, fresh=False, before=before).settled(task).busy_until == before


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_grant_that_its_vendor_never_took_is_over_when_it_is_given_up(task, placing, answer):
    kept = placing(answer).given_up(task)
    assert isinstance(kept.grant.state, Removed)
    assert kept.grant.state.proof == "never_placed"


@pytest.mark.parametrize("outcome", [at_lock(), SILENT], ids=["placed", "silence"])
def test_grant_that_may_be_at_the_lock_leaves_when_it_is_given_up(task, placing, outcome):
    assert isinstance(placing(outcome).given_up(task).grant.state, Removing)


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_grant_of_an_earlier_call_leaves_when_it_is_given_up_whatever_this_one_said(task, placing, answer):
    assert isinstance(placing(answer, fresh=False).given_up(task).grant.state, Removing)


def test_attempt_succeeds_only_at_every_lock(task, placing):
    assert IssueAttempt(task, (placing(at_lock()), placing(at_lock(), door=FRONT))).error is None
    assert IssueAttempt(task, (placing(at_lock()), placing(SILENT, door=FRONT))).error is SILENT


BUSY = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("gateway_busy"))
ANSWERED_BUSY = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("gateway_busy", "-3003"))
FOR_GOOD = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("lock_frozen"), permanent=True)


@pytest.fixture
def begun(task, books):
    """Return the task once its attempt is counted."""
    credential = task.entry.credential.attempting(books.clock.now())
    return replace(task, entry=replace(task.entry, credential=credential))


@pytest.mark.parametrize(
    ("outcomes", "goes_on"),
    [
        ((at_lock(), at_lock()), False),
        ((at_lock(), None), True),
        ((SILENT, None), True),
        ((SILENT, at_lock()), False),
        ((REFUSED, REFUSED), False),
        ((TAKEN, None), False),
        ((FOR_GOOD, None), False),
    ],
)
def test_attempt_goes_on_at_locks_nobody_came_to_unless_one_said_what_ends_it(
    begun, placing, outcomes, goes_on
):
    placings = tuple(placing(each, door=door) for each, door in zip(outcomes, (DOOR, FRONT), strict=True))
    assert IssueAttempt(begun, placings).has_locks_left is goes_on


def test_attempt_goes_on_at_a_lock_that_failed_earlier_only_if_others_took_the_key_now(books, begun, placing):
    earlier = replace(placing(None), asked_last=books.clock.now())
    assert IssueAttempt(begun, (earlier, placing(at_lock(), door=FRONT))).has_locks_left
    assert not IssueAttempt(begun, (earlier, placing(SILENT, door=FRONT))).has_locks_left


def test_key_that_stands_since_an_earlier_call_is_neither_asked_for_nor_written_again(begun, placing):
    stands = placing(at_lock(warnings=(KeyWarning("CLOCK_SKEW"),))).settled(begun)
    part = LockAttempt.at(stands, ARRIVAL)
    assert (part.kept, part.settled(begun)) == (stands, stands)
    attempted = IssueAttempt(begun, (part, placing(at_lock(end=LEAVES - HOUR), door=FRONT)))
    assert attempted.complete
    assert attempted.effective.end == LEAVES - HOUR
    assert [warning.code for warning in attempted.warnings] == ["CLOCK_SKEW"]
    assert [kept.grant.device_id for kept in attempted.settled()] == [FRONT]
    assert isinstance(part.given_up(begun).grant.state, Removing)


def test_grant_whose_vendor_was_never_asked_is_as_fresh_as_a_new_one(books, task, placing):
    unasked = placing(None).settled(task)
    assert LockAttempt.at(unasked, books.clock.now()).fresh
    assert not LockAttempt.at(placing(REFUSED).settled(task), books.clock.now()).fresh


@pytest.mark.parametrize(
    ("outcomes", "waits"),
    [
        ((BUSY, BUSY), True),
        ((BUSY, None), True),
        ((BUSY, SILENT), False),
        ((BUSY, at_lock()), True),
        ((ANSWERED_BUSY, BUSY), False),
        ((None, None), False),
    ],
)
def test_el3_where_nothing_is_missing_but_our_own_turn_that_is_no_attempt(begun, placing, outcomes, waits):
    placings = tuple(placing(each, door=door) for each, door in zip(outcomes, (DOOR, FRONT), strict=True))
    assert IssueAttempt(begun, placings).waits_in_line is waits


def test_refusal_counts_before_silence(task, placing):
    for outcomes in ((SILENT, REFUSED), (REFUSED, SILENT)):
        assert IssueAttempt(task, tuple(map(placing, outcomes))).error is REFUSED


def test_word_about_the_pin_counts_before_every_other(task, placing):
    for outcomes in ((SILENT, REFUSED, TAKEN), (TAKEN, SILENT, REFUSED)):
        assert IssueAttempt(task, tuple(map(placing, outcomes))).error is TAKEN


def test_key_whose_locks_never_all_open_together_is_told_with_a_warning(task, placing):
    apart = placing(at_lock(end=ARRIVAL + HOUR)), placing(at_lock(start=LEAVES - HOUR), door=FRONT)
    attempted = IssueAttempt(task, apart)
    assert attempted.effective is None
    assert [warning.code for warning in attempted.warnings] == ["WINDOW_ROUNDED"]


def test_key_opens_where_all_its_locks_do(task, placing):
    late, early = at_lock(start=ARRIVAL + HOUR), at_lock(end=LEAVES - HOUR)
    effective = IssueAttempt(task, (placing(late), placing(early, door=FRONT))).effective
    assert (effective.start, effective.end) == (ARRIVAL + HOUR, LEAVES - HOUR)
    assert effective.zone == "Asia/Kabul"


def test_warnings_of_all_locks_are_told_once(task, placing):
    first = at_lock(warnings=(KeyWarning("CLOCK_SKEW"), KeyWarning("WINDOW_ROUNDED")))
    second = at_lock(warnings=(KeyWarning("CLOCK_SKEW"),))
    warnings = IssueAttempt(task, (placing(first), placing(second, door=FRONT))).warnings
    assert sorted(warning.code for warning in warnings) == ["CLOCK_SKEW", "WINDOW_ROUNDED"]


def test_secret_keeps_what_the_vendor_named_at_each_lock_and_shows_nothing(task, placing):
    name = SecretName(task.entry.id, PIN_CODE, 0)
    key = SealedKey(name, Secret("583914"), LEAVES, version="1")
    placings = (placing(at_lock("ref-1")), placing(at_lock("ref-2"), door=FRONT))
    attempted = IssueAttempt(task, placings, key=key)
    sealed = attempted.sealed()
    names = [each.kept.grant.vendor_name for each in placings]
    assert {name: ref.reveal() for name, ref in sealed.refs.items()} == dict(
        zip(names, ("ref-1", "ref-2"), strict=True)
    )
    assert (sealed.artifact.reveal(), sealed.version) == ("583914", "1")
    assert "583914" not in repr(attempted)
    assert "ref-1" not in repr(sealed)


def test_secret_that_the_vendor_chose_takes_the_place_of_ours(task, placing):
    key = SealedKey(SecretName(task.entry.id, PIN_CODE, 0), Secret("583914"), LEAVES)
    chosen = at_lock(secret=Secret("90210377"))
    assert IssueAttempt(task, (placing(chosen),), key=key).sealed().artifact.reveal() == "90210377"


def test_earlier_grants_leave_with_the_attempt_that_is_given_up(books, task, placing):
    earlier = books.kept(task.entry, FRONT).applied(Place(at=books.clock.now()))
    leaving = IssueAttempt(task, (placing(REFUSED),), others=(earlier,)).given_up()
    assert [type(kept.grant.state) for kept in leaving] == [Removed, Removing]


def test_attempt_was_in_vain_only_if_no_lock_took_it_or_may_yet(task, placing):
    assert IssueAttempt(task, (placing(REFUSED), placing(None, door=FRONT))).in_vain
    assert not IssueAttempt(task, (placing(REFUSED), placing(SILENT, door=FRONT))).in_vain
    assert not IssueAttempt(task, (placing(REFUSED), placing(at_lock(), door=FRONT))).in_vain
    assert not IssueAttempt(task, (replace(placing(REFUSED), fresh=False),)).in_vain
