"""Wrong usage: said to people, and to scripts as one document."""

import json

import pytest

WRONG = {
    ("--json", "no-such-command"): "No such option: --json",
    ("no-such-command", "--json"): "No such command 'no-such-command'",
    ("status", "--no-such-option", "--json"): "No such option: --no-such-option",
    ("status", "--json", "--port", "x"): "Invalid value for '--port'",
    ("sim", "fault", "add", "--json"): "Missing argument",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage_is_a_document_for_scripts(run, arguments):
    result = run(*arguments)
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["kind"]) == (2, "Usage")
    assert error["message"].startswith(WRONG[arguments])
    assert "Usage: " in result.stderr


def test_wrong_usage_prints_nothing_on_stdout_for_people(run):
    assert run("status", "--no-such-option").stdout == ""
