"""The tour of the README, command by command as it is printed there: it ends well."""

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
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)


def _tour():
    """The commands after `keyfleet up`, whole, and the function they use."""
    (block,) = [each for each in BLOCK.findall((ROOT / "README.md").read_text()) if "keyfleet up" in each]
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
    (first,) = [place for place, each in enumerate(commands) if each.startswith("keyfleet up ")]
    (function,) = [each for each in commands if each.startswith("in_days()")]
    return commands[first], function, [each for each in commands[first:] if each.startswith("keyfleet ")][1:]


UP, FUNCTION, COMMANDS = _tour()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """What each command of the tour printed and how it ended, on a fleet started as the tour says."""
    from tests.e2e.conftest import RealFleet

    options = shlex.split(UP, comments=True)[2:]
    for _ in range(MOST_STARTS):
        fleet = RealFleet(tmp_path_factory.mktemp("tour") / "home")
        with fleet.up(*options) as (_, announced):
            # The doors listen on the next port, which another test may have: then `up` says so and ends.
            if "error" not in announced:
                return _played(fleet)
    raise AssertionError("no two ports in a row were free")


def _played(fleet):
    place = {"KEYFLEET_HOME": str(fleet.home), "KEYFLEET_PORT": str(fleet.port)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    told, pin = {}, "PIN"
    for command in COMMANDS:
        script = f"{FUNCTION}\n{command.replace(' PIN', f' {pin}')}"
        done = subprocess.run(
            ["bash", "-c", script], check=False, capture_output=True, text=True, env={**place, "PATH": path}
        )
        told[command] = done
        found = re.search(r"code ([0-9]+)", done.stdout)
        pin = found[1] if found and "sim state" in command else pin
    return told


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


def test_the_guest_who_checked_out_has_no_key_any_more(played):
    (left,) = [done for command, done in played.items() if "checked_out" in command]
    assert "revoked (checkout)" in left.stdout
    assert "placed" not in left.stdout
