"""What was asked of a vendor is kept with its answer; of very many calls, the first and the latest."""

from datetime import UTC, datetime, timedelta

from shared.ledger.vendor_calls import (
    FIRST_KEPT,
    LAST_KEPT,
    CallMade,
    calls_from,
    kept_calls,
    with_answer,
    with_call,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def call(number, answer=None):
    return CallMade(NOON + timedelta(hours=number), "remove", answer)


def test_what_is_kept_is_read_back():
    calls = (CallMade(NOON, "place", "on_lock"), call(1))
    assert calls_from(kept_calls(calls)) == calls


def test_answer_is_the_last_call_s():
    assert with_answer((call(1, "lock_busy"), call(2)), "gone") == (call(1, "lock_busy"), call(2, "gone"))


def test_answer_to_no_call_is_nobody_s():
    assert with_answer((), "gone") == ()


def test_first_and_latest_calls_are_kept():
    calls = ()
    for number in range(100):
        calls = with_call(calls, call(number))
    hours = [round((each.at - NOON) / timedelta(hours=1)) for each in calls]
    assert hours == [*range(FIRST_KEPT), *range(100 - LAST_KEPT, 100)]
