"""Wrong usage: said to people, and to scripts as one document."""

import json

import pytest

WRONG = {
    ("--json", "no-such-command"): ("No such option: --json", "keyfleet"),
    ("no-such-command", "--json"): ("No such command 'no-such-command'", "keyfleet"),
    ("status", "--no-such-option", "--json"): ("No such option: --no-such-option", "keyfleet status"),
    ("status", "--json", "--port", "x"): ("Invalid value for '--port'", "keyfleet status"),
    ("sim", "fault", "add", "--json"): ("Missing argument", "keyfleet sim fault add"),
    ("sim", "fault", "mend", "--json"): ("No such command 'mend'", "keyfleet sim fault"),
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage_is_a_document_for_scripts_that_names_the_command(run, arguments):
    message, command = WRONG[arguments]
    result = run(*arguments)
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["kind"]) == (2, "usage")
    assert error["message"].startswith(message)
    assert error["remedy"] == f"see {command} --help"
    assert "Usage: " in result.stderr


def test_wrong_usage_prints_nothing_on_stdout_for_people(run):
    assert run("status", "--no-such-option").stdout == ""
