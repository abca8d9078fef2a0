"""keyfleet ask-again."""

import pytest

from tests.unit.infra.cli.test_credentials import KEY
from tests.unit.infra.cli.test_residue import ALL, GRANT, RESIDUE

ANSWER = {"key": KEY["id"], "work": "settle", "vendor": "ttlock"}
ONE = f"/credentials?key={KEY['id']}&limit=1"
ASKED = ("POST", "/ask-again", {"tenant": "tnt_silk", "key": KEY["id"]})


def _will(fleet, *keys):
    fleet.will("GET", ONE, {"credentials": list(keys)})
    fleet.serves("ask-again", ANSWER)


def test_the_function_is_asked_in_the_name_of_the_key_s_tenant(fleet, facts):
    _will(fleet, KEY)
    assert facts("ask-again", KEY["id"]) == ANSWER
    assert fleet.asked[-1] == ASKED


def test_a_tenant_that_is_named_is_where_the_key_is_looked_for(fleet, facts):
    fleet.will("GET", f"/credentials?key={KEY['id']}&tenant=tnt_silk&limit=1", {"credentials": [KEY]})
    fleet.serves("ask-again", ANSWER)
    assert facts("ask-again", KEY["id"], "--tenant", "tnt_silk") == ANSWER


def test_a_grant_of_the_residues_stands_for_its_key(fleet, facts):
    fleet.will("GET", ALL, {"residues": [RESIDUE]})
    _will(fleet, KEY)
    fleet.serves("ask-again", ANSWER)
    assert facts("ask-again", GRANT) == ANSWER
    assert fleet.asked[-1] == ASKED


@pytest.mark.parametrize(("work", "said"), [("issue", "to make"), ("settle", "to bring to its wish")])
def test_who_is_asked_what_is_told_with_the_way_to_see_what_comes_of_it(fleet, ask, work, said):
    _will(fleet, KEY)
    fleet.serves("ask-again", {**ANSWER, "work": work})
    told = ask("ask-again", KEY["id"]).stdout
    assert f"ttlock is asked again {said} {KEY['id']}." in told
    assert f"keyfleet timeline {KEY['id']}{fleet.place.flags}" in told


@pytest.mark.parametrize("work", ["issue", "settle"])
def test_nothing_is_said_to_be_spent(fleet, ask, work):
    _will(fleet, KEY)
    fleet.serves("ask-again", {**ANSWER, "work": work})
    assert "attempt" not in ask("ask-again", KEY["id"]).stdout


@pytest.mark.parametrize("name", [KEY["id"], "grt_other"])
def test_what_is_not_there_is_refused_before_the_function_is_called(fleet, ask, name):
    _will(fleet)
    fleet.will("GET", ALL, {"residues": [RESIDUE]})
    refused = ask("ask-again", name)
    assert refused.exit_code == 2
    assert f"no key and no residue '{name}'" in refused.stderr
    assert "keyfleet credentials" in refused.stderr
    assert ASKED not in fleet.asked


def test_a_key_with_nothing_left_to_do_is_refused_with_the_functions_words(fleet, ask):
    _will(fleet, KEY)
    problem = {"field": "key", "problem": "nothing is left to do at its locks", "remedy": "see the timeline"}
    fleet.serves("ask-again", {"error": problem}, status=400)
    refused = ask("ask-again", KEY["id"])
    assert refused.exit_code == 2
    assert "key: nothing is left to do at its locks" in refused.stderr
    assert "see the timeline" in refused.stderr
