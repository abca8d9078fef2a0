"""The plan of choices and the count of attempts."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput, PlanExhausted
from shared.domain.kinds import KeyCredentialKind
from shared.domain.plan import LEAST_TIME, MAX_ATTEMPTS, AttemptMade, Choice, IssuePlan
from tests.support.vendors import SALTO, TTLOCK

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PIN = Choice(TTLOCK, KeyCredentialKind.PIN_CODE)
CARD = Choice(SALTO, KeyCredentialKind.RFID_CARD)
OTHER_PIN = Choice(SALTO, KeyCredentialKind.PIN_CODE)


def test_a_plan_begins_with_its_best_choice():
    plan = IssuePlan((PIN, CARD, OTHER_PIN))

    assert plan.current == PIN
    assert plan.kinds == (KeyCredentialKind.PIN_CODE, KeyCredentialKind.RFID_CARD)
    assert (plan.attempts, plan.last_attempt_at) == (0, None)


@pytest.mark.parametrize("choices", [(), (PIN, PIN)])
def test_a_plan_without_choices_or_with_a_repeated_one_is_refused(choices):
    with pytest.raises(InvalidInput, match="choices"):
        IssuePlan(choices)


@pytest.mark.parametrize("position", [-1, 1])
def test_a_plan_points_at_one_of_its_choices(position):
    with pytest.raises(InvalidInput, match="position"):
        IssuePlan((PIN,), position)


def test_attempts_remember_the_choice_they_were_made_at():
    plan = IssuePlan((PIN, CARD)).attempting(NOW).refused("KEY_ISSUE_FAILED").falling_back().attempting(NOW)

    assert plan.made == (AttemptMade(PIN, NOW, "KEY_ISSUE_FAILED"), AttemptMade(CARD, NOW))


def test_one_attempt_and_five_more_are_all_there_are():
    plan = IssuePlan((PIN,))
    for _ in range(6):
        assert not plan.spent
        plan = plan.attempting(NOW).refused("KEY_ISSUE_FAILED")

    assert plan.attempts == plan.answered == MAX_ATTEMPTS == 6
    assert plan.spent
    with pytest.raises(PlanExhausted, match="6 attempts"):
        plan.attempting(NOW)


def test_attempts_that_broke_off_are_made_again():
    plan = IssuePlan((PIN,)).attempting(NOW)
    for _ in range(2 * MAX_ATTEMPTS):
        plan = plan.attempting(NOW + LEAST_TIME - timedelta(seconds=1))

    assert (plan.attempts, plan.answered, plan.spent) == (2 * MAX_ATTEMPTS + 1, 0, False)
    for _ in range(MAX_ATTEMPTS - 1):
        plan = plan.refused("KEY_ISSUE_FAILED").attempting(NOW)
    assert not plan.spent
    assert plan.refused("KEY_ISSUE_FAILED").spent


def test_attempts_that_broke_off_count_once_six_had_their_time():
    plan = IssuePlan((PIN,))
    for number in range(MAX_ATTEMPTS):
        assert not plan.spent
        plan = plan.attempting(NOW + number * LEAST_TIME / (MAX_ATTEMPTS - 1))

    assert (plan.answered, plan.spent) == (0, True)
    with pytest.raises(PlanExhausted, match="6 attempts"):
        plan.attempting(NOW)


@pytest.mark.parametrize(
    "since_the_first", [timedelta(minutes=10), timedelta(days=20), -timedelta(days=1)], ids=str
)
def test_a_fleet_that_was_off_between_tried_nothing_meanwhile(since_the_first):
    plan, again = IssuePlan((PIN,)).attempting(NOW), NOW + since_the_first
    for second in range(2 * MAX_ATTEMPTS):
        plan = plan.attempting(again + timedelta(seconds=second))
    assert not plan.spent


def test_a_clock_that_was_ahead_at_first_keeps_nothing_asked_for_ever():
    plan = IssuePlan((PIN,)).attempting(NOW + timedelta(days=1))
    for number in range(MAX_ATTEMPTS):
        plan = plan.attempting(NOW + number * LEAST_TIME / (MAX_ATTEMPTS - 1))
    assert plan.spent


def test_five_that_were_refused_and_one_that_broke_off_leave_one():
    plan = IssuePlan((PIN,))
    for number in range(MAX_ATTEMPTS - 1):
        plan = plan.attempting(NOW + number * LEAST_TIME).refused("KEY_ISSUE_FAILED")
    plan = plan.attempting(NOW + MAX_ATTEMPTS * LEAST_TIME)
    assert not plan.spent
    assert plan.attempting(NOW + MAX_ATTEMPTS * LEAST_TIME).refused("KEY_ISSUE_FAILED").spent


def test_the_last_choice_has_none_to_fall_back_to():
    with pytest.raises(PlanExhausted, match="no further choice"):
        IssuePlan((PIN, CARD), position=1).falling_back()


def test_an_outcome_needs_an_attempt():
    with pytest.raises(InvalidInput, match="no attempt"):
        IssuePlan((PIN,)).refused("KEY_ISSUE_FAILED")


@pytest.mark.parametrize("message", ["the pin 48213907 exists", "48213907", ""])
def test_an_outcome_is_a_code_and_never_a_message(message):
    with pytest.raises(InvalidInput) as refusal:
        IssuePlan((PIN,)).attempting(NOW).refused(message)

    assert "48213907" not in str(refusal.value)
