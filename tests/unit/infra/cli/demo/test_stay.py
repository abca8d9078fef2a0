"""Events of the demo's stays are what the fleet accepts."""

from datetime import UTC, datetime, timedelta

import pytest

from infra.cli.demo.stay import Stay
from shared.events.codec import parse

BOOKED = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_a_confirmation_names_rooms_and_hours():
    data = parse(Stay("rsv_1", BOOKED).confirmed()).data
    assert data.rooms == ("rmu_101", "rmu_102")
    assert (data.valid_from - BOOKED, data.valid_until - data.valid_from) == (
        timedelta(hours=1),
        timedelta(days=2),
    )


def test_a_confirmation_is_the_same_event_every_time():
    assert Stay("rsv_1", BOOKED).confirmed() == Stay("rsv_1", BOOKED).confirmed()


@pytest.mark.parametrize("how", ["cancelled", "checked_out"])
def test_an_end_is_an_event_of_its_own(how):
    ended = parse(Stay("rsv_1", BOOKED).ended(how, BOOKED + timedelta(days=1)))
    assert (ended.subject, ended.id) == (f"melmastoon.reservation.booking.{how}.v1", f"evt_rsv_1_{how}")
