"""A key that failed: when another is requested, which answers speak for it, and who is told."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.commands import Fail
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import FailureReason
from shared.domain.window import StayWindow
from shared.keywork.next_due import next_due
from shared.keywork.revival import anew_at, answers_again, awaited, looked_at, next_in_line, told_anew
from shared.ledger.delays import LOOK_EVERY, LOOK_NEAR
from shared.ledger.grant_record import GONE, PLACE, REMOVE
from shared.ledger.key_record import Revival
from shared.ledger.vendor_calls import CallMade
from tests.support.ledger_books import DAY, DOOR, HOUR, MINUTE, NOW

FAILED = NOW + HOUR
FRONT = LockDeviceId("lck_01KSAMP1E00000000000000001")


@pytest.fixture
def failed(books):
    """Make a key that failed so long before its stay."""

    def make(before=5 * DAY, reason=FailureReason.VENDOR_UNREACHABLE, **revival):
        entry, _ = books.requested(revival=Revival(**revival))
        core = entry.credential.core
        window = StayWindow(FAILED + before, FAILED + before + 9 * DAY, core.window.zone)
        wanted = replace(entry.credential, core=replace(core, window=window))
        credential, _ = wanted.apply(Fail(at=FAILED, reason=reason))
        return replace(entry, credential=credential)

    return make


@pytest.mark.parametrize(
    ("before", "times", "waits"),
    [
        (5 * DAY, 0, 15 * MINUTE),
        (5 * DAY, 1, HOUR),
        (5 * DAY, 2, 6 * HOUR),
        (5 * DAY, 40, 6 * HOUR),
        (25 * HOUR, 9, HOUR),
        (24 * HOUR, 9, 6 * HOUR),
        (3 * HOUR, 9, HOUR),
        (2 * HOUR, 9, 15 * MINUTE),
        (-DAY, 9, 15 * MINUTE),
    ],
)
def test_another_key_is_requested_after_a_while_that_grows_and_at_its_stay_s_times(
    failed, before, times, waits
):
    entry = failed(before, times=times)
    assert anew_at(entry, awaited(entry)) == FAILED + waits


@pytest.mark.parametrize(("before", "look"), [(5 * DAY, LOOK_EVERY), (HOUR, LOOK_NEAR)])
def test_it_is_looked_often_whether_its_vendor_answers_again(failed, before, look):
    assert looked_at(failed(before)) == FAILED + look
    assert looked_at(failed(before, looked=FAILED + 2 * look)) == FAILED + 3 * look
    assert next_due(failed(before), FAILED + timedelta(seconds=1)) == FAILED + timedelta(seconds=1)


def test_a_key_that_could_not_be_requested_when_it_was_time_is_looked_at_still(failed):
    later = FAILED + DAY
    assert looked_at(failed(5 * DAY, looked=later)) == later + LOOK_EVERY


@pytest.mark.parametrize(
    "reason", [FailureReason.CANCELLATION, FailureReason.CREDENTIAL_EXPIRED, FailureReason.REPLACED]
)
def test_a_key_nobody_wants_is_looked_at_no_more(failed, reason):
    assert looked_at(failed(reason=reason)) is looked_at(failed(let_go=True)) is None


def test_people_are_told_of_the_first_failure_and_when_their_time_runs_out(failed):
    assert told_anew(failed(), awaited(failed()))
    left = [5 * DAY, 20 * HOUR, 10 * HOUR, HOUR, HOUR / 2, -MINUTE, -HOUR]
    before = [10 * DAY, *left]
    told = [
        told_anew(entry, awaited(entry))
        for now, last in zip(left, before, strict=False)
        for entry in [failed(now, times=1, first_failed=NOW, last_failed=FAILED - (last - now))]
    ]
    assert told == [False, True, False, True, False, True, False]


def test_the_next_key_says_how_often_it_failed_and_since_when(failed):
    entry = failed(times=2, first_failed=NOW, last_failed=NOW + HOUR, looked=NOW)
    again = Revival(times=3, first_failed=NOW, last_failed=FAILED)
    assert next_in_line(entry, awaited(entry)) == again


@pytest.mark.parametrize(
    ("refusal", "door", "asked", "yes", "speaks"),
    [
        ("timeout", FRONT, PLACE, "on_lock", True),
        ("timeout", FRONT, REMOVE, GONE, False),
        ("no_gateway", FRONT, PLACE, "on_lock", False),
        ("no_gateway", DOOR, PLACE, "on_lock", True),
        ("no_gateway", DOOR, REMOVE, GONE, True),
        ("lock_full", DOOR, PLACE, "on_lock", False),
        ("lock_full", DOOR, REMOVE, GONE, True),
        ("lock_full", FRONT, REMOVE, GONE, False),
    ],
)
def test_an_answer_speaks_for_another_try_where_it_was_this_that_was_wanting(
    books, failed, refusal, door, asked, yes, speaks
):
    mine = replace(books.kept(failed()), calls=(CallMade(NOW, PLACE, refusal, NOW),))
    theirs = replace(books.kept(failed(), door), calls=(CallMade(NOW, asked, yes, NOW),))
    assert answers_again([mine], [theirs]) is speaks
    assert not answers_again([mine], [])
