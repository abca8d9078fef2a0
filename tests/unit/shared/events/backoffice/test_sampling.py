"""Lots are drawn from ids: the same for a repetition, fair over many, nested as the share grows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.events.backoffice.catalogue import TELEMETRY, Telemetry
from shared.events.backoffice.sampling import Told, is_told, lot

START = datetime(2026, 4, 23, 9, 14, tzinfo=UTC)


def row(event: str) -> Telemetry:
    return TELEMETRY[f"melmastoon.bff.backoffice.{event}.v1"]


def told(session: int = 1, device: int = 1, at: datetime = START) -> Told:
    return Told(f"bos_{session}", f"dev_{device}", at)


@pytest.mark.parametrize("event", ["dashboard.viewed", "workbench.opened", "operator.activity"])
def test_the_share_of_sessions_that_are_told_is_the_subjects(event):
    rate, many = row(event).rate, 20_000
    heard = sum(is_told(row(event), told(session=number), rate) for number in range(many))
    # Chi square with one degree of freedom; the draw is fixed, so this cannot flicker.
    expected = many * rate
    assert (heard - expected) ** 2 / expected + (heard - expected) ** 2 / (many - expected) < 10.83


def test_every_device_is_heard_of_at_some_hour_of_a_week_though_few_at_any():
    heartbeat = row("device.heartbeat")
    hours = [START + timedelta(hours=hour) for hour in range(24 * 7)]
    heard = {
        number: [is_told(heartbeat, told(device=number, at=at), heartbeat.rate) for at in hours]
        for number in range(200)
    }
    assert all(any(each) for each in heard.values())
    assert 0.045 < sum(map(sum, heard.values())) / (200 * len(hours)) < 0.055


@given(st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_who_is_told_of_at_a_share_is_told_of_at_any_larger_one(session, one, other):
    view, who = row("dashboard.viewed"), told(session=session)
    smaller, larger = sorted((one, other))
    assert is_told(view, who, larger) or not is_told(view, who, smaller)


@given(st.integers(0, 10**6))
def test_of_a_session_all_subjects_agree_and_every_hour_and_device(session):
    views = [row(event) for event in ("dashboard.viewed", "workbench.opened", "operator.activity")]
    whenever = [told(session, device, START + timedelta(hours=device)) for device in range(3)]
    assert len({is_told(each, who, 0.2) for each in views for who in whenever}) == 1


@pytest.mark.parametrize("event", ["session.opened", "lock.action_proxied", "sync.cursor_advanced"])
def test_what_has_no_unit_is_always_told(event):
    assert all(is_told(row(event), told(session=number), 0.0) for number in range(50))


@given(st.text(max_size=40))
def test_a_lot_lies_from_nought_to_below_one(unit):
    assert 0 <= lot(unit) < 1


def test_nobody_is_told_of_at_nought_and_everybody_at_one():
    view = replace(row("dashboard.viewed"))
    assert not any(is_told(view, told(session=number), 0.0) for number in range(500))
    assert all(is_told(view, told(session=number), 1.0) for number in range(500))
