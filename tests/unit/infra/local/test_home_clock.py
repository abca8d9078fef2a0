"""The clock of a home: as far ahead as it was moved, at every start, and never back."""

from datetime import UTC, datetime, timedelta

import pytest

from infra.local.ambient import SystemClock
from infra.local.home_clock import AHEAD, HomeClock, patience
from shared.domain.errors import InvalidInput

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class _Still:
    def now(self):
        return NOW


def _clock(home, *, movable=True):
    clock = HomeClock.of(home, movable=movable)
    clock.machine = _Still()
    return clock


def test_it_goes_as_the_machine_does_until_it_is_moved(tmp_path):
    assert _clock(tmp_path).now() == NOW
    assert not (tmp_path / AHEAD).exists()


def test_what_it_was_moved_by_adds_up_and_holds_at_the_next_start(tmp_path):
    clock = _clock(tmp_path)
    clock.move(86_400)
    clock.move(0.5)
    assert clock.now() == NOW + timedelta(days=1, seconds=0.5)
    assert _clock(tmp_path, movable=False).now() == clock.now()
    assert [each.name for each in tmp_path.iterdir()] == [AHEAD]


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), 1e12])
def test_it_never_goes_back_nor_out_of_the_calendar(tmp_path, seconds):
    clock = _clock(tmp_path)
    with pytest.raises(InvalidInput, match="what happened"):
        clock.move(seconds)
    assert clock.now() == NOW


def test_a_fleet_by_the_machines_clock_refuses_and_says_how_to_have_one_that_moves(tmp_path):
    with pytest.raises(InvalidInput) as refusal:
        _clock(tmp_path, movable=False).move(60)
    assert "up --sample --simulators" in refusal.value.remedy


@pytest.mark.parametrize("text", ["soon", "1e400", "nan"])
def test_a_file_that_holds_no_number_is_refused_by_name(tmp_path, text):
    (tmp_path / AHEAD).write_text(text)
    with pytest.raises(OSError, match=AHEAD):
        HomeClock.of(tmp_path)


def test_only_what_waits_by_a_clock_that_can_be_moved_looks_at_it_often(tmp_path):
    assert patience(_clock(tmp_path), 600) == 1
    assert patience(_clock(tmp_path), 0.2) == 0.2
    assert patience(_clock(tmp_path, movable=False), 600) == 600
    assert patience(SystemClock(), 600) == 600
