"""keyfleet sim fault: rules are put in force, counted and lifted."""

import pytest

ROOM = 1000101


def test_a_rule_strikes_as_often_as_it_says(vendor, facts):
    rule = facts("fault", "add", "keyboardPwd/add", "errcode:-3003", "--times", "1", "--after", "1")
    assert (rule["number"], rule["times"], rule["after"]) == (1, 1, 1)
    answers = [vendor.add_code(ROOM, code).get("errcode", 0) for code in ("482913", "593024", "604135")]
    assert answers == [0, -3003, 0]
    (listed,) = facts("fault", "list")["faults"]
    assert (listed["seen"], listed["struck"]) == (3, 1)


def test_a_rule_is_said_in_words(ask):
    said = ask("fault", "add", "*", "slow", "--pct", "20", "--seconds", "1.5", "--after", "2").stdout
    assert said == "Rule 1: slow 1.5 s late at *, 20 % of the calls, after 2 calls.\n"
    assert "slow 1.5 s late at *" in ask("fault", "list").stdout


def test_a_list_of_no_rules_says_so(ask):
    assert ask("fault", "list").stdout == "Nothing is made to go wrong.\n"


def test_rules_are_lifted_one_by_one_or_all(ask, facts):
    for _ in range(3):
        ask("fault", "add", "*", "drop")
    assert facts("fault", "clear", "2") == {"lifted": [2]}
    assert facts("fault", "clear") == {"lifted": [1, 3]}
    assert ask("fault", "clear").stdout == "Lifted 0 rules.\n"


def test_a_rule_that_is_not_there_lifts_nothing(ask, facts):
    ask("fault", "add", "*", "drop")
    missing = ask("fault", "clear", "1", "7")
    assert missing.exit_code == 2
    assert "no rule '7', and nothing was lifted" in missing.stderr
    assert len(facts("fault", "list")["faults"]) == 1


def test_a_rule_for_no_operation_is_refused_with_the_remedy(ask):
    refused = ask("fault", "add", "open/sesame", "drop")
    assert refused.exit_code == 2
    said, remedy = refused.stderr.splitlines()
    assert said == "error: no such operation"
    assert remedy.startswith("  fix: name one of *, ")
    assert {"keyboardPwd/add,", "lock/list,"} < set(remedy.split())


def test_every_operation_that_is_listed_can_be_struck(ask, facts):
    known = facts("fault", "operations")
    assert "keyboardPwd/add" in known["operations"]
    assert [facts("fault", "add", each, "slow")["operation"] for each in known["operations"]] == known[
        "operations"
    ]
    listed = ask("fault", "operations").stdout.splitlines()
    assert listed[:-1] == known["operations"]
    assert listed[-1].endswith(", ".join(known["faults"]))
    assert {"drop", "timeout_after_success", "truncated", "http_403", "slow", "errcode:N"} < set(
        known["faults"]
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [(("lock/list",), "no fault is named"), (("lock/list", "drop", "slow"), "more than an operation and")],
)
def test_a_rule_that_is_not_an_operation_and_a_fault_is_refused_in_words(ask, given, said):
    refused = ask("fault", "add", *given)
    assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert "fix: write them as '*' http_500" in refused.stderr


def test_a_fault_that_is_none_is_refused_with_those_there_are(ask):
    refused = ask("fault", "add", "*", "earthquake")
    assert refused.exit_code == 2
    said, remedy = refused.stderr.splitlines()
    assert said == "error: no such fault"
    assert remedy.startswith("  fix: name errcode:N or one of drop, timeout_after_success")
