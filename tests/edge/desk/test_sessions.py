"""Who is signed in at the desk's screen, and how often a stranger may guess."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from edge_agent.console.sessions import Sessions
from infra.local.ambient import SystemEntropy

NOW = datetime(2026, 11, 19, 2, 0, tzinfo=UTC)


@pytest.fixture
def screen():
    """A screen's sessions, and its clock."""
    clock = SimpleNamespace(at=NOW)
    clock.now = lambda: clock.at
    return Sessions(clock, SystemEntropy()), clock


def test_many_guesses_at_once_are_five(screen):
    sessions, _ = screen
    assert [sessions.may_try() for _ in range(8)] == [True] * 5 + [False] * 3


def test_clerk_who_keeps_pressing_waits_a_minute_and_no_longer(screen):
    sessions, clock = screen
    tried = []
    for _ in range(13):
        tried.append(sessions.may_try())
        clock.at += timedelta(seconds=5)
    assert tried == [True] * 5 + [False] * 7 + [True]


def test_right_pins_are_no_guesses(screen):
    sessions, _ = screen
    for _ in range(20):
        assert sessions.may_try()
        sessions.proved()


def test_clock_set_back_keeps_no_session_open(screen):
    sessions, clock = screen
    token = sessions.begin("usr_1")
    assert sessions.find(token)
    clock.at -= timedelta(hours=1)
    assert sessions.find(token) is None
