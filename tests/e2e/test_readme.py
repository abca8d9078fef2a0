"""The tour of the README, command by command as it is printed there: it ends well."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from infra.manifest.load import ROOT

MOST_STARTS = 5
SHUT_AS_YET = "keyfleet sim try 101 PIN"
CODE = re.compile(r"code ([0-9]+)")
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)


def _commands(block):
    """The commands of a block, whole; those of several lines are joined by their open quotes."""
    commands, begun = [], ""
    for line in block.splitlines():
        begun = f"{begun}\n{line}" if begun else line
        try:
            words = shlex.split(begun, comments=True)
        except ValueError:  # a quote is still open
            continue
        commands += [begun] if words else []
        begun = ""
    assert not begun
    return commands


def _tour(block):
    """What starts the fleet of a block, what is typed once it is up, and what later commands use of that."""
    commands = _commands(block)
    (first,) = [place for place, each in enumerate(commands) if each.startswith("keyfleet up")]
    typed = [each for each in commands[first + 1 :] if each.startswith(("keyfleet ", "curl "))]
    return commands[first], typed, [each for each in commands if each.startswith(("in_days()", "token="))]


TOUR, FRESH = (
    _tour(each) for each in BLOCK.findall((ROOT / "README.md").read_text()) if "keyfleet up" in each
)
COMMANDS = TOUR[1]
USED = [*TOUR[2], *FRESH[2]]
PORT, DOORS = 8787, 8788


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """What each command of the tour printed and how it ended, on a fleet started as the tour says."""
    return _on_a_fleet(tmp_path_factory, *TOUR[:2])


@pytest.fixture(scope="module")
def brought_in(tmp_path_factory):
    """The same of the hotel of one's own."""
    return _on_a_fleet(tmp_path_factory, *FRESH[:2])


def _on_a_fleet(folders, started, typed):
    from tests.e2e.conftest import RealFleet

    options = shlex.split(started, comments=True)[2:]
    for _ in range(MOST_STARTS):
        fleet = RealFleet(folders.mktemp("tour") / "home")
        with fleet.up(*options) as (_, announced):
            # The doors listen on the next port, which another test may have: then `up` says so and ends.
            if "error" not in announced:
                return _played(fleet, typed)
    raise AssertionError("no two ports in a row were free")


def _played(fleet, typed):
    told, pin = {}, "PIN"
    for command in typed:
        here = command.replace(" PIN", f" {pin}")
        done = _run(fleet, here)
        if "sim state" in command:
            done = fleet.until(lambda here=here: _shown(_run(fleet, here)))
            pin = CODE.search(done.stdout)[1]
        told[command] = done
    return told


def _shown(done):
    return done if CODE.search(done.stdout) else None


def _run(fleet, command):
    place = {"KEYFLEET_HOME": str(fleet.home), "KEYFLEET_PORT": str(fleet.port)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    token = [each for each in USED if each.startswith("in_days") or "$token" in command]
    script = "\n".join([*token, command])
    for printed, own in ((DOORS, fleet.port + 1), (PORT, fleet.port)):
        script = re.sub(rf"\b{printed}\b", str(own), script)
    environment = {**place, "PATH": path}
    return subprocess.run(
        ["bash", "-c", script], check=False, capture_output=True, text=True, env=environment, cwd=ROOT
    )


def test_the_tour_has_the_commands_that_this_plays():
    names = [" ".join(each.split()[1:3]) for each in COMMANDS]
    assert len(names) >= 9
    assert names[-1] == "doctor --probe"


@pytest.mark.parametrize("command", COMMANDS, ids=[each.split("  ")[0][:60] for each in COMMANDS])
def test_each_command_ends_as_the_readme_says(played, command):
    done = played[command]
    expected = 1 if command.startswith(SHUT_AS_YET) else 0
    assert done.returncode == expected, f"{command}\n{done.stdout}{done.stderr}"
    assert "not yet valid" in done.stdout or expected == 0


def test_it_ends_well(played):
    (last,) = [done for command, done in played.items() if command.startswith("keyfleet doctor")]
    assert last.stdout.splitlines()[-1] == "All is well."


def test_nothing_that_the_readme_publishes_is_passed_over(played):
    told = [done.stdout + done.stderr for command, done in played.items() if "publish" in command]
    assert len(told) == 2
    assert not any("nobody reads" in each for each in told)


def test_the_guest_who_checked_out_has_no_key_any_more(played):
    (left,) = [done for command, done in played.items() if "checked_out" in command]
    assert "revoked: checked out (checkout)" in left.stdout
    assert "placed" not in left.stdout


@pytest.mark.parametrize("command", FRESH[1], ids=[each.split("  ")[0][:60] for each in FRESH[1]])
def test_each_command_of_a_hotel_of_one_s_own_ends_well(brought_in, command):
    done = brought_in[command]
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_the_guest_of_a_hotel_of_one_s_own_stands_in_the_room(brought_in):
    imported, booked, *_, tried = brought_in.values()
    assert "ppt_fresh of tnt_fresh: 6 made" in imported.stdout
    assert json.loads(booked.stdout)["reservation"] == "rsv_1"
    assert "opens" in tried.stdout
