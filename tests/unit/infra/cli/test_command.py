"""What all commands share: options, exit codes, one document on stdout."""

import json

import pytest
import typer
from typer.testing import CliRunner

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line
from infra.cli.command import at_a_place, on_its_own
from infra.cli.main import app
from infra.cli.problems import Failed, Refused, Unreachable, not_found, refused_fields


def _invoke(command, *arguments, env=None):
    single = typer.Typer()
    single.command()(command)
    return CliRunner().invoke(single, list(arguments), env=env or {})


def _commands(group=None, path=()):
    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield pytest.param(command, id=" ".join((*path, name)))


@pytest.mark.parametrize("command", list(_commands()))
def test_every_command_has_json(command):
    assert "--json" in {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("command", list(_commands()))
def test_every_command_and_every_option_is_explained(command):
    assert command.help
    assert all(parameter.help for parameter in command.params)


def test_a_command_says_it_for_people():
    result = _invoke(on_its_own(lambda: Answer({"count": 1}, (line("one"),))))
    assert (result.stdout, result.exit_code) == ("one\n", 0)


def test_a_command_prints_nothing_but_its_document_for_scripts():
    result = _invoke(on_its_own(lambda: Answer({"count": 1}, (line("one"),))), "--json")
    assert json.loads(result.stdout) == {"count": 1}


def test_a_command_leaves_with_the_answers_exit_code():
    assert _invoke(on_its_own(lambda: Answer({}, (), 1))).exit_code == 1


def test_a_package_that_a_newer_release_needs_is_named_and_one_of_ours_is_a_fault():
    def stop(name: str) -> Answer:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    told = _invoke(on_its_own(stop), "zstandard.backend", "--json")
    assert (
        json.loads(told.stdout)["error"]["message"] == "the package zstandard.backend is not installed here"
    )
    assert (json.loads(told.stdout)["error"]["remedy"].split(",")[0], told.exit_code) == ("make setup", 1)
    assert isinstance(_invoke(on_its_own(stop), "infra.gone").exception, ModuleNotFoundError)


def _slow_command():
    yield line("first")
    yield line("second")
    return Answer({"told": 2}, (line("done"),), 1)


def test_a_telling_is_printed_in_order_and_ends_with_its_answer():
    result = _invoke(on_its_own(_slow_command))
    assert (result.stdout, result.exit_code) == ("first\nsecond\ndone\n", 1)


def test_a_telling_is_silent_for_scripts():
    result = _invoke(on_its_own(_slow_command), "--json")
    assert (json.loads(result.stdout), result.exit_code) == ({"told": 2}, 1)


@pytest.mark.parametrize(("problem", "exit_code"), [(Failed, 1), (Refused, 2), (Unreachable, 3)])
def test_a_problem_goes_to_stderr_with_its_remedy(problem, exit_code):
    def stop() -> Answer:
        raise problem("it is broken", "mend it")

    result = _invoke(on_its_own(stop))
    assert (result.stdout, result.exit_code) == ("", exit_code)
    assert result.stderr == "error: it is broken\n  fix: mend it\n"


def test_a_problem_is_the_document_for_scripts():
    def stop() -> Answer:
        raise Refused("it is broken", "mend it")

    result = _invoke(on_its_own(stop), "--json")
    expected = {"error": {"kind": "refused", "message": "it is broken", "remedy": "mend it"}}
    assert json.loads(result.stdout) == expected


FIELDS = (
    {"field": "data.rooms", "problem": "field required", "remedy": "Add the field"},
    {"field": "time", "problem": "no zone", "remedy": "Give the time in UTC"},
)


def _two_wrong_fields() -> Answer:
    raise refused_fields(FIELDS)


def test_each_of_several_problems_has_a_line_of_its_own():
    assert _invoke(on_its_own(_two_wrong_fields)).stderr == (
        "error: 2 things are wrong\n"
        "  data.rooms: field required. Add the field\n"
        "  time: no zone. Give the time in UTC\n"
    )


def test_several_problems_are_a_list_for_scripts():
    result = _invoke(on_its_own(_two_wrong_fields), "--json")
    assert json.loads(result.stdout)["error"]["problems"] == list(FIELDS)


@pytest.mark.parametrize("problem", [not_found("door", ["x" * 65], "look"), refused_fields(FIELDS)])
def test_what_is_not_there_and_what_is_wrong_exit_alike(problem):
    assert problem.exit_code == Refused.exit_code


def test_what_is_not_there_is_said_with_what_became_of_the_rest():
    problem = not_found("rule", [7, 8], "see the list", but="nothing was lifted")
    assert problem.message == "no rule '7', '8', and nothing was lifted"


def _where(at: FleetAddress) -> Answer:
    return Answer({"home": str(at.home), "port": at.port})


@pytest.mark.parametrize(
    ("arguments", "env", "expected"),
    [
        ([], {}, (".keyfleet", 8787)),
        ([], {"KEYFLEET_HOME": "there", "KEYFLEET_PORT": "9000"}, ("there", 9000)),
        (["--home", "here", "--port", "9001"], {"KEYFLEET_HOME": "there"}, ("here", 9001)),
    ],
)
def test_a_place_is_named_by_option_then_environment_then_default(arguments, env, expected):
    result = _invoke(at_a_place(_where), *arguments, "--json", env=env)
    assert json.loads(result.stdout) == {"home": expected[0], "port": expected[1]}


def test_a_port_out_of_range_is_wrong_usage():
    assert _invoke(at_a_place(_where), "--port", "0").exit_code == 2


def test_words_of_others_cannot_steer_the_terminal():
    result = _invoke(on_its_own(lambda: Answer({}, (line("\x1b[2Jgone [bold]x[/bold]"),))))
    assert result.stdout == "�[2Jgone [bold]x[/bold]\n"
