"""One emulator of a machine: started by the first who uses it, ended by the last."""

import sys
from pathlib import Path

import pytest

from infra.emulated import installed
from infra.emulated.installed import Emulator, NotInstalled, NotStarted, running

READY, NEVER = "I am ready", "what it never says"


class Stand(Emulator):
    """Any program that says that it is ready, under a name as long as Google's."""

    def missing(self):
        return ""

    def command(self, port):
        said = "raise SystemExit('no memory')" if self.ready == NEVER else f"print('{READY}', flush=True)"
        return [sys.executable, "-c", f"{said}; import time; time.sleep(60)", "x" * 200, self.main, str(port)]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(installed, "SHARED", tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def _alive(process):
    return process.poll() is None


def test_an_emulator_is_shared_and_ends_with_its_last_user():
    emulator = Stand("stand", "", "com.example.Main", READY)
    with running(emulator) as first:
        with running(emulator) as second:
            assert first == second
        process = installed._STARTED[-1]
        assert _alive(process)
    assert not _alive(process)


def test_one_that_its_users_left_dead_is_ended_and_another_started(tmp_path):
    emulator = Stand("stand", "", "com.example.Main", READY)
    shared = installed._Shared(emulator)
    shared.enter()
    left, file = installed._STARTED[-1], next(Path(tmp_path).glob("*/stand.json"))
    file.write_text(
        file.read_text().replace('"users": [', '"users": [4194305, ').split("4194305")[0] + "4194305]}"
    )
    with running(emulator):
        assert not _alive(left)
        assert _alive(installed._STARTED[-1])


def test_one_that_does_not_start_says_its_last_words():
    with pytest.raises(NotStarted, match="no memory"), running(Stand("stand", "", "com.example.Main", NEVER)):
        raise AssertionError


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(installed.shutil, "which", lambda _name: None)
    with pytest.raises(NotInstalled, match="needs java"), running(installed.FIRESTORE):
        raise AssertionError
