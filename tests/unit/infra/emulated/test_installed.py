"""One emulator of a machine: started by the first who uses it, ended by the last."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

from infra.emulated import installed
from infra.emulated.installed import Emulator, NotInstalled, NotStarted, running

ROOT = Path(__file__).parents[4]
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


STAND = Stand("stand", "", "com.example.Main", READY)
FIRST_TO_LEAVE = """
import sys
from pathlib import Path
from infra.emulated import installed
from tests.unit.infra.emulated.test_installed import STAND

installed.SHARED = Path(sys.argv[1])
with installed.running(STAND):
    print("here", flush=True)
    sys.stdin.readline()
"""


def started(folder):
    """Return the number of the program that runs."""
    return json.loads(next(folder.glob("*/stand.json")).read_text())["pid"]


def _alive(pid):
    return installed._runs(pid, STAND)


def test_an_emulator_is_shared_and_ends_with_its_last_user(tmp_path):
    with running(STAND) as first:
        with running(STAND) as second:
            assert first == second
        pid = started(tmp_path)
        assert _alive(pid)
    assert not _alive(pid)


def test_whoever_started_one_leaves_it_to_the_others_and_says_nothing(tmp_path):
    command = [sys.executable, "-X", "dev", "-c", FIRST_TO_LEAVE, tmp_path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as first:
        assert first.stdout.readline() == "here\n"
        with running(STAND):
            assert first.communicate("\n") == ("", "")
            assert first.returncode == 0
            pid = started(tmp_path)
            assert _alive(pid)
    while _alive(pid):
        Event().wait(0.01)


def test_one_that_its_users_left_dead_is_ended_and_another_started(tmp_path):
    installed._Shared(STAND).enter()
    left, file = started(tmp_path), next(tmp_path.glob("*/stand.json"))
    file.write_text(
        file.read_text().replace('"users": [', '"users": [4194305, ').split("4194305")[0] + "4194305]}"
    )
    with running(STAND):
        assert not _alive(left)
        assert _alive(started(tmp_path))


def test_one_that_does_not_start_says_its_last_words():
    with pytest.raises(NotStarted, match="no memory"), running(Stand("stand", "", "com.example.Main", NEVER)):
        raise AssertionError


def test_one_that_takes_too_long_is_ended(monkeypatch):
    begun, spawned = [], installed._spawned
    monkeypatch.setattr(installed, "_spawned", lambda *how: begun.append(spawned(*how)) or begun[-1])
    monkeypatch.setattr(installed, "LONGEST_START", timedelta(seconds=1))
    slow = replace(STAND, ready="something else")
    with pytest.raises(NotStarted, match=READY), running(slow):
        raise AssertionError
    assert not _alive(*begun)


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(installed.shutil, "which", lambda _name: None)
    with pytest.raises(NotInstalled, match="needs java"), running(installed.FIRESTORE):
        raise AssertionError
