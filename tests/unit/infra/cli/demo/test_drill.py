"""The drill holds, and says so; what it does not find, it says too."""

import json

import pytest


def drilled(run):
    said = run("drill", "--json")
    return said.exit_code, json.loads(said.stdout)


def test_what_a_backup_does_not_know_is_found_at_the_doors_and_settled(run):
    status, told = drilled(run)
    assert (status, told["held"]) == (0, True)
    assert [each["name"] for each in told["claims"]] == ["backup", "since", "compared", "reconciled"]
    assert told["claims"][2]["seen"]["unknown"] == 2


@pytest.mark.soak
def test_a_restore_after_which_nobody_compares_fails_the_drill(run, monkeypatch):
    monkeypatch.setattr("infra.local.backup.HomeWitness.owe", lambda *_: None)
    status, told = drilled(run)
    assert (status, told["claims"][2]["held"]) == (1, False)
