"""The stays of the bench's full hotel: shown on its boards at whatever minute they were booked."""

from datetime import UTC, datetime, timedelta

import pytest

from infra.bench.programs.backoffice import COMES, LEAVES, STAY


@pytest.mark.parametrize("hour", range(24))
def test_a_change_of_hour_between_booking_and_look_takes_nobody_off_the_boards(hour):
    booked = datetime(2026, 3, 1, hour, 59, 59, tzinfo=UTC)
    this_hour, looked = booked.replace(minute=0, second=0), booked + timedelta(minutes=5)
    assert (this_hour + COMES).date() == booked.date()
    assert this_hour + LEAVES + STAY > looked
