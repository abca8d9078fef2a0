"""When a lock has first more keys than places."""

from datetime import UTC, datetime, timedelta

from shared.usecases.devices.plan_places import first_beyond

DAY = timedelta(days=1)
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def nights(first, last):
    return MONDAY + first * DAY, MONDAY + last * DAY


def test_keys_that_follow_each_other_need_one_place():
    assert first_beyond(1, [nights(0, 2), nights(2, 4), nights(4, 5)]) is None


def test_first_day_with_more_keys_than_places_is_found_whatever_their_order():
    spans = [nights(3, 9), nights(0, 4), nights(2, 6)]
    assert first_beyond(2, spans) == MONDAY + 3 * DAY
    assert first_beyond(2, spans[::-1]) == MONDAY + 3 * DAY
    assert first_beyond(1, spans) == MONDAY + 2 * DAY
    assert first_beyond(3, spans) is None


def test_lock_without_keys_never_fills():
    assert first_beyond(1, []) is None
