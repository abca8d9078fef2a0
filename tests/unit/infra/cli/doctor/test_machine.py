"""The machine's checks, each seen well and ill."""

import os
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from infra.cli.doctor.finding import Verdict
from infra.cli.doctor.machine import check_clock, check_disk, check_emulators, check_python

NOW = datetime(2027, 3, 1, tzinfo=UTC)


def test_python_must_be_new_enough():
    assert check_python((3, 11, 0)).verdict is Verdict.OK
    old = check_python((3, 10, 14))
    assert (old.verdict, bool(old.remedy)) == (Verdict.FAILED, True)


@pytest.mark.parametrize(
    ("free", "verdict"),
    [(80 * 1024**3, Verdict.OK), (1024**3, Verdict.WARNING), (10 * 1024**2, Verdict.FAILED)],
)
def test_disk_must_have_room(monkeypatch, tmp_path, free, verdict):
    asked = []

    def usage(folder):
        asked.append(folder)
        return shutil._ntuple_diskusage(100 * 1024**3, 0, free)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    found = check_disk(tmp_path / "not" / "yet")
    assert (found.verdict, bool(found.remedy)) == (verdict, verdict is not Verdict.OK)
    assert asked == [tmp_path]


def test_clock_that_agrees_is_well(tmp_path):
    assert check_clock(tmp_path, NOW).verdict is Verdict.OK


def test_clock_in_the_past_fails(tmp_path):
    found = check_clock(tmp_path, datetime(1970, 1, 2, tzinfo=UTC))
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)


@pytest.mark.parametrize(("behind", "verdict"), [(30, Verdict.OK), (600, Verdict.FAILED)])
def test_clock_behind_the_fleets_own_files_fails(tmp_path, behind, verdict):
    (tmp_path / "fleet.db").touch()
    written = (NOW + timedelta(seconds=behind)).timestamp()
    os.utime(tmp_path / "fleet.db", (written, written))
    assert check_clock(tmp_path, NOW).verdict is verdict


def test_emulators_are_noted_and_never_needed(tmp_path):
    tools = tmp_path / "sdk" / "bin"
    tools.mkdir(parents=True)
    assert check_emulators(str(tools)).detail == "not found (optional)"
    (tools / "gcloud").touch(0o755)
    assert check_emulators(str(tools)).detail == "not found (optional)"
    (tmp_path / "sdk" / "platform" / "pubsub-emulator").mkdir(parents=True)
    found = check_emulators(str(tools))
    assert (found.verdict, found.detail) == (Verdict.NOTE, "found: pubsub-emulator")
