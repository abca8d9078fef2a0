"""keyfleet workflow start, list, show and cancel."""

import pytest

EXECUTION = {
    "id": "01X",
    "workflow": "probe_platform",
    "key": None,
    "state": "SUCCEEDED",
    "result": {"visits": 2},
    "error": None,
    "revision": "abcdef012345",
    "started_at": "2026-05-01T10:00:00+00:00",
    "ended_at": "2026-05-01T10:00:03+00:00",
    "billable_steps": 12,
}
STEPS = [
    {"kind": "step", "branch": "", "what": "visit", "line": 9},
    {"kind": "asked", "branch": "", "what": "POST http://127.0.0.1/probe-answer", "line": None},
    {"kind": "answered", "branch": "", "what": "POST http://127.0.0.1/probe-answer: 503", "line": None},
    {"kind": "retry", "branch": "left", "what": "attempt 1 in 0.2 s after HttpError 503", "line": None},
]


def _shown(fleet, **changes):
    fleet.will("GET", "/executions/01X", {**EXECUTION, "argument": {"probe": "p"}, "steps": STEPS, **changes})


def test_workflow_start_passes_the_argument_and_says_how_to_follow(fleet, ask):
    fleet.will("POST", "/executions", {"execution": "01X"})
    result = ask("workflow", "start", "probe_platform", "--args", '{"probe": "p"}')
    assert fleet.asked == [
        ("POST", "/executions", {"workflow": "probe_platform", "argument": {"probe": "p"}})
    ]
    assert "keyfleet workflow show 01X" in result.stdout


def test_workflow_start_without_an_argument_passes_none(fleet, ask):
    fleet.will("POST", "/executions", {"execution": "01X"})
    assert ask("workflow", "start", "nightly").exit_code == 0
    assert fleet.asked == [("POST", "/executions", {"workflow": "nightly"})]


def test_workflow_start_passes_on_what_the_fleet_warns_of(fleet, ask):
    fleet.will("POST", "/executions", {"execution": "01X", "warnings": ["the ledger starts it"]})
    result = ask("workflow", "start", "work_on_key", "--args", "{}")
    assert (result.exit_code, result.stderr) == (0, "warning: the ledger starts it\n")


@pytest.mark.parametrize("argument", ["[1]", "null", "{"])
def test_workflow_start_refuses_an_argument_that_is_no_object(fleet, ask, argument):
    assert ask("workflow", "start", "probe_platform", "--args", argument).exit_code == 2
    assert fleet.asked == []


def test_workflow_list_asks_by_workflow_and_state(fleet, facts):
    fleet.will("GET", "/executions?workflow=w&state=FAILED&limit=5", {"executions": [EXECUTION]})
    assert facts("workflow", "list", "--workflow", "w", "--state", "failed", "--limit", "5") == {
        "executions": [EXECUTION]
    }


def test_workflow_list_by_an_unknown_state_is_refused_and_names_the_known_ones(fleet, ask):
    result = ask("workflow", "list", "--state", "faild")
    assert result.exit_code == 2
    assert "fix: name one of ACTIVE, SUCCEEDED, FAILED, CANCELLED" in result.stderr
    assert fleet.asked == []


def test_workflow_list_shows_a_row_per_execution(fleet, ask):
    fleet.will("GET", "/executions?limit=100", {"executions": [EXECUTION]})
    head, row = ask("workflow", "list").stdout.splitlines()
    assert head.split()[:4] == ["execution", "workflow", "key", "state"]
    assert row.split() == ["01X", "probe_platform", "SUCCEEDED", "2026-05-01", "10:00:00", "3.0", "s"]


def test_workflow_list_names_the_key_that_an_execution_works_on(fleet, ask):
    fleet.will("GET", "/executions?limit=100", {"executions": [{**EXECUTION, "key": "key_7"}]})
    assert "probe_platform key_7 SUCCEEDED" in " ".join(ask("workflow", "list").stdout.split())


@pytest.mark.parametrize(("word", "said"), [("failed", "SUCCEEDED: failed"), ("done", "SUCCEEDED")])
def test_workflow_list_says_what_a_success_tells_of_its_key(fleet, ask, word, said):
    ended = {**EXECUTION, "workflow": "work_on_key", "key": "key_7", "result": {"outcome": word}}
    fleet.will("GET", "/executions?limit=100", {"executions": [ended]})
    row = " ".join(ask("workflow", "list").stdout.splitlines()[1].split())
    assert row.startswith(f"01X work_on_key key_7 {said} 2026-05-01")


def test_workflow_list_breaks_no_row_that_goes_to_another_program(fleet, ask):
    long = {**EXECUTION, "workflow": "a_workflow_of_a_long_name" * 4}
    fleet.will("GET", "/executions?limit=100", {"executions": [long]})
    assert long["workflow"] in ask("workflow", "list").stdout


def test_workflow_list_without_executions_says_so(fleet, ask):
    fleet.will("GET", "/executions?limit=100", {"executions": []})
    assert ask("workflow", "list").stdout == "No execution.\n"


def test_workflow_show_tells_the_steps_in_order(fleet, ask):
    _shown(fleet)
    result = ask("workflow", "show", "01X")
    places = [result.stdout.index(step["what"]) for step in STEPS]
    assert places == sorted(places)
    assert "line 9" in result.stdout
    assert "[left]" in result.stdout
    assert 'result {"visits": 2}' in result.stdout


@pytest.mark.parametrize(
    ("state", "exit_code"), [("SUCCEEDED", 0), ("ACTIVE", 0), ("CANCELLED", 0), ("FAILED", 1)]
)
def test_workflow_show_exits_by_the_executions_state(fleet, ask, facts, state, exit_code):
    _shown(fleet, state=state, ended_at=None, error={"message": "over"})
    assert ask("workflow", "show", "01X").exit_code == exit_code
    assert facts("workflow", "show", "01X", exit_code=exit_code)["state"] == state


def test_workflow_show_of_a_failure_says_its_error(fleet, ask):
    _shown(fleet, state="FAILED", error={"message": "over", "tags": ["KeyError"]})
    assert '"tags": ["KeyError"]' in ask("workflow", "show", "01X").stdout


def test_workflow_show_of_an_unknown_execution_is_refused(fleet, ask):
    fleet.will("GET", "/executions/01Y", {"error": {"detail": "no execution '01Y'"}}, 404)
    result = ask("workflow", "show", "01Y")
    assert result.exit_code == 2
    assert "no execution '01Y'" in result.stderr


def test_workflow_cancel_ends_an_execution(fleet, facts):
    fleet.will("POST", "/executions/01X/cancel", {"cancelled": "01X"})
    assert facts("workflow", "cancel", "01X") == {"cancelled": "01X"}


@pytest.mark.parametrize("key", [None, "key_1"])
def test_workflow_cancel_says_that_a_keys_work_is_begun_again(fleet, ask, key):
    fleet.will("POST", "/executions/01X/cancel", {"cancelled": "01X", "key": key})
    said = ask("workflow", "cancel", "01X").stdout
    assert ("What is owed to key_1 stays owed" in said, "keyfleet key end key_1" in said) == (
        key is not None,
    ) * 2


def test_ec6_an_execution_across_a_clock_that_was_set_back_took_no_negative_time(fleet, ask):
    _shown(fleet, ended_at="2026-04-30T10:00:00+00:00")
    said = ask("workflow", "show", "01X").stdout
    assert "took unknown: the clock was set back" in said
    assert "-86" not in said
