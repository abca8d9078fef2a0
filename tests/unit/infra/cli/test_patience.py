"""Waiting without a real clock."""

from datetime import UTC, datetime, timedelta

import pytest

from infra.cli.patience import OutOfPatience, Patience


class _Clock:
    def __init__(self):
        self.at = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self):
        return self.at

    def pass_by(self, seconds):
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return _Clock()


def test_patience_looks_until_it_finds(clock):
    findings = iter([None, None, "here"])
    assert Patience(clock, clock.pass_by).until(lambda: next(findings), 10) == "here"
    assert clock.at == datetime(2026, 5, 1, tzinfo=UTC) + timedelta(seconds=0.1)


def test_patience_takes_what_is_empty_for_found(clock):
    assert Patience(clock, clock.pass_by).until(list, 10) == []


def test_patience_ends(clock):
    with pytest.raises(OutOfPatience, match="not within 2 s"):
        Patience(clock, clock.pass_by).until(lambda: None, 2)
    assert clock.at - datetime(2026, 5, 1, tzinfo=UTC) == pytest.approx(
        timedelta(seconds=2), abs=timedelta(seconds=0.1)
    )
