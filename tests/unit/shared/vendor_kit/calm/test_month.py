"""A month's calls: what is left is for keys that go, then for whoever stands at a door."""

from datetime import UTC, datetime

import pytest

from shared.vendor_kit.calm.allowance import Allowance, Limit, Wish
from shared.vendor_kit.calm.month import Month
from shared.vendor_kit.calm.urgency import Urgency

LIMIT = Limit(calls=100, monthly=1000, month_ahead=8)


def taken(urgency, spent, reserved=0):
    """Return how many of ten calls somebody gets."""
    month = Month("2026-03", spent, reserved)
    got = Allowance(LIMIT, month=month).take(0.0, Wish(10, urgency))
    return 0 if got is None else len(got[1].moments)


@pytest.mark.parametrize(
    ("urgency", "spent", "reserved", "some"),
    [
        (Urgency.REVOKE, 1000, 0, True),
        (Urgency.REVOKE, 5000, 500, True),
        (Urgency.DOOR, 999, 500, True),
        (Urgency.DOOR, 1000, 0, False),
        (Urgency.BULK, 990, 500, True),
        (Urgency.ISSUE, 699, 300, True),
        (Urgency.ISSUE, 700, 300, False),
        (Urgency.POLL, 599, 300, True),
        (Urgency.POLL, 600, 300, False),
    ],
)
def test_what_is_left_of_a_month_goes_to_the_most_urgent(urgency, spent, reserved, some):
    assert bool(taken(urgency, spent, reserved)) is some


def test_nobody_gets_more_of_a_month_than_is_left():
    assert taken(Urgency.ISSUE, 998) <= 2


def test_calls_are_counted_in_their_month_and_a_new_one_begins_at_nothing():
    one, granted = Allowance(LIMIT).in_month("2026-03").take(0.0, Wish(3, Urgency.ISSUE))
    assert one.month == Month("2026-03", len(granted.moments))
    assert one.in_month("2026-03") is one
    assert one.in_month("2026-04").month == Month("2026-04")
    assert Allowance.from_document(LIMIT, one.to_document()).month == one.month


def test_spare_calls_that_nobody_made_are_given_back_to_the_month():
    limit = Limit(calls=100, spare=15, monthly=1000)
    one, granted = Allowance(limit).take(0.0, Wish(1, Urgency.ISSUE))
    assert one.month.spent == 16
    spent = type(granted.spare)(4, granted.spare.until)
    again, _ = one.take(30_000.0, Wish(1, Urgency.ISSUE, over=(granted.spare, spent)))
    assert again.month.spent == 1 + 4 + 1 + 15


def test_a_month_begins_by_the_vendor_s_clock():
    at = datetime(2026, 3, 31, 16, 0, tzinfo=UTC)
    assert (LIMIT.month(at), Limit(calls=1).month(at)) == ("2026-04", "2026-03")
