"""What was asked of a vendor is kept with its answer; of very many calls, the first and the latest."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from shared.domain.codecs import codec_of
from shared.ledger.vendor_calls import (
    FIRST_KEPT,
    LAST_KEPT,
    MOST_SAID,
    CallMade,
    Calls,
    with_answer,
    with_call,
)
from shared.ports.exchanges import Exchange

CALLS = codec_of(Calls)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def call(number, answer=None):
    return CallMade(NOON + timedelta(hours=number), "remove", answer)


def test_what_is_kept_is_read_back():
    said = (Exchange(NOON, "keyboardPwd/add", "10004"), Exchange(NOON, "keyboardPwd/add", "yes"))
    calls = (CallMade(NOON, "place", "on_lock", NOON + timedelta(seconds=2), said=said), call(1))
    assert CALLS.read(CALLS.write(calls)) == calls


def test_of_very_much_that_was_said_the_latest_is_kept():
    said = tuple(Exchange(NOON, f"page/{number}", "yes") for number in range(MOST_SAID + 5))
    (kept,) = CALLS.read(CALLS.write((CallMade(NOON, "remove", said=said),)))
    assert kept.said == said[-MOST_SAID:]


def test_answer_is_the_last_call_s():
    first, second = call(1, "lock_busy"), call(2)
    later = second.at + timedelta(seconds=2)
    answered = replace(second, answer="gone", answered_at=later)
    assert with_answer((first, second), "gone", later) == (first, answered)


def test_the_vendor_s_own_time_is_that_of_all_that_was_said_and_none_of_our_waits():
    asked, answered = call(1), NOON + timedelta(hours=1, seconds=40)
    said = [Exchange(answered, "page", "yes", took_ms=150) for _ in range(MOST_SAID + 2)]
    (kept,) = with_answer((asked,), "on_lock", answered, said)
    assert kept.took_ms == 150 * (MOST_SAID + 2)
    assert CALLS.read(CALLS.write((kept,)))[0].took_ms == kept.took_ms
    assert with_answer((asked,), "on_lock", answered)[0].took_ms is None


def test_answer_to_no_call_is_nobody_s():
    assert with_answer((), "gone", NOON) == ()


def test_calls_that_were_kept_before_answers_had_a_time_are_read():
    (kept,) = CALLS.write((call(1, "gone"),))
    del kept["answered"]
    assert CALLS.read([kept]) == (call(1, "gone"),)


def test_call_that_had_to_wait_for_our_own_turn_is_kept_as_one_that_was_not_made():
    waited = replace(call(1, "gateway_busy"), made=False)
    assert CALLS.read(CALLS.write((waited, call(2, "gateway_busy")))) == (
        waited,
        call(2, "gateway_busy"),
    )


def test_first_and_latest_calls_are_kept():
    calls = ()
    for number in range(100):
        calls = with_call(calls, call(number))
    hours = [round((each.at - NOON) / timedelta(hours=1)) for each in calls]
    assert hours == [*range(FIRST_KEPT), *range(100 - LAST_KEPT, 100)]
