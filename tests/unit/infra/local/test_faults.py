"""Boundaries: unheard in service, counted in a census, deadly only where a test says so."""

import os
import signal

import pytest

from infra.local.faults import Census, CrashAt, NoFaults, crash_from_text


@pytest.fixture
def kills(monkeypatch):
    """What would have been sent to which process."""
    sent = []
    monkeypatch.setattr(os, "kill", lambda process, number: sent.append((process, number)))
    return sent


def test_a_fleet_in_service_passes_every_boundary(kills):
    NoFaults().reach("before-commit")
    assert kills == []


def test_a_crash_comes_at_its_boundary_the_nth_time_and_no_other(kills):
    faults = CrashAt("before-commit", 2)
    for boundary in ("before-commit", "after-commit", "after-commit"):
        faults.reach(boundary)
    assert kills == []
    faults.reach("before-commit")
    assert kills == [(os.getpid(), signal.SIGKILL)]


def test_a_census_counts_each_boundary():
    census = Census()
    for boundary in ("before-commit", "after-commit", "before-commit"):
        census.reach(boundary)
    assert census.seen == {"before-commit": 2, "after-commit": 1}


@pytest.mark.parametrize("text", [None, ""])
def test_no_text_means_no_faults(text):
    assert isinstance(crash_from_text(text), NoFaults)


def test_a_text_names_boundary_and_count(kills):
    faults = crash_from_text("after-push#1")
    faults.reach("after-push")
    assert len(kills) == 1
