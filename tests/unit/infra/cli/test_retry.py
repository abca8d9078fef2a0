"""keyfleet retry."""

import pytest

from tests.unit.infra.cli.test_credentials import KEY

ANEW = "key_01KSAMP1E00000000000000777"
RETRIED = {"key": KEY["id"], "work": "issue", "vendor": "ttlock", "anew": [ANEW]}
ANSWER = {"retried": [RETRIED], "refused": []}
NOTHING = {"retried": [], "refused": [], "left": 0}


def test_one_key_is_asked_for_in_the_name_of_its_tenant(fleet, ask):
    fleet.will("GET", f"/credentials?key={KEY['id']}&limit=1", {"credentials": [KEY]})
    fleet.serves("retry-keys", ANSWER)
    told = ask("retry", KEY["id"]).stdout
    assert fleet.asked[-1] == ("POST", "/retry-keys", {"tenant": "tnt_silk", "key": KEY["id"]})
    assert f"{KEY['id']} failed; requested anew: {ANEW} at ttlock." in told


def test_a_key_that_did_not_fail_is_asked_for_again(fleet, ask):
    fleet.will("GET", f"/credentials?key={KEY['id']}&limit=1", {"credentials": [KEY]})
    fleet.serves("retry-keys", {**ANSWER, "retried": [{**RETRIED, "anew": [KEY["id"]]}]})
    assert f"{KEY['id']} is asked for again at ttlock." in ask("retry", KEY["id"]).stdout


@pytest.mark.parametrize(
    ("words", "more"), [(["--all-failed"], {}), (["--vendor", "ttlock"], {"vendor": "ttlock"})]
)
def test_all_that_failed_are_asked_for_tenant_by_tenant(fleet, facts, words, more):
    failed = [{"tenant": tenant} for tenant in ("tnt_b", "tnt_a", "tnt_b")]
    fleet.will("GET", "/failed", {"failed": failed})
    fleet.serves("retry-keys", {**ANSWER, "left": 2})
    told = facts("retry", *words)
    assert fleet.asked[-2:] == [
        ("POST", "/retry-keys", {"tenant": tenant, **more}) for tenant in ("tnt_b", "tnt_a")
    ]
    assert told == {"retried": [RETRIED, RETRIED], "refused": [], "left": 4}


def test_where_nothing_failed_nobody_is_asked(fleet, ask):
    fleet.will("GET", "/failed?tenant=tnt_silk", {"failed": []})
    assert "No key failed" in ask("retry", "--all-failed", "--tenant", "tnt_silk").stdout


def test_what_cannot_be_is_told_with_its_remedy(fleet, ask):
    fleet.will("GET", "/failed", {"failed": [{"tenant": "tnt_silk"}]})
    refused = {"key": KEY["id"], "problem": "its rooms have no lock", "remedy": "map one"}
    fleet.serves("retry-keys", {"retried": [], "refused": [refused], "left": 0})
    assert f"{KEY['id']} is not: its rooms have no lock. map one." in ask("retry", "--all-failed").stdout


@pytest.mark.parametrize("words", [[], [KEY["id"], "--all-failed"], [KEY["id"], "--vendor", "ttlock"]])
def test_either_one_key_is_meant_or_all_that_failed(fleet, ask, words):
    result = ask("retry", *words)
    assert result.exit_code == 2
    assert "--all-failed" in result.stderr + result.stdout
    assert fleet.asked == []


def test_a_key_that_nobody_knows_is_told(fleet, ask):
    fleet.will("GET", f"/credentials?key={KEY['id']}&limit=1", {"credentials": []})
    assert ask("retry", KEY["id"]).exit_code != 0
