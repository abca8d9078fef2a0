"""keyfleet workflow run and check: files, without any fleet."""

import json

import pytest

from infra.manifest.load import ROOT

GREETS = """
main:
  params: [args]
  steps:
    - rest: {call: sys.sleep, args: {seconds: 2}}
    - greet: {return: '${"Hello " + args.name}'}
"""
ASKS_ITS_FLEET = "main:\n  steps:\n    - ask: {return: '${sys.get_env(\"FLEET_URL\")}'}\n"
RAISES = "main:\n  steps:\n    - stop: {raise: enough}\n"
CALLS = """
main:
  steps:
    - ask: {call: http.get, args: {url: "https://api.test/x"}, result: answer}
    - done: {return: "${answer.body.count}"}
"""
WRONG = "main:\n  steps:\n    - one: {assign: [{a: '${somebody}'}]}\n    - two: {return: '${nobody}'}\n"
STUBS = [{"method": "GET", "url": "https://api.test/x", "responses": [{"status": 200, "body": {"count": 4}}]}]


@pytest.fixture
def file(tmp_path):
    def write(text, name="flow.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def _run(run, *arguments):
    return run("workflow", "run", *arguments, "--virtual-clock")


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_workflow_run_always_prints_one_document(run, file, as_json):
    result = _run(run, file(GREETS), "--args", '{"name": "Kabul"}', *as_json)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "state": "SUCCEEDED",
        "result": "Hello Kabul",
        "error": None,
        "calls": [],
        "sleeps": [2],
    }


def test_workflow_run_of_a_failing_file_exits_with_1(run, file):
    result = _run(run, file(RAISES))
    assert result.exit_code == 1
    printed = json.loads(result.stdout)
    assert (printed["state"], printed["error"], printed["result"]) == ("FAILED", "enough", None)


@pytest.mark.parametrize("stubs", [STUBS, {"http": STUBS}])
def test_workflow_run_answers_calls_from_stubs(run, file, stubs):
    result = _run(run, file(CALLS), "--http-stubs", file(json.dumps(stubs), "stubs.json"))
    printed = json.loads(result.stdout)
    assert printed["result"] == 4
    assert [call["url"] for call in printed["calls"]] == ["https://api.test/x"]


def test_workflow_run_of_a_refused_file_prints_every_problem_twice(run, file):
    result = _run(run, file(WRONG))
    assert result.exit_code == 2
    printed = json.loads(result.stdout)
    assert printed["state"] == "REFUSED"
    assert [problem["line"] for problem in printed["problems"]] == [3, 4]
    assert all(problem["message"] and problem["remedy"] for problem in printed["problems"])
    assert len(result.stderr.splitlines()) == 2


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--args", "{name: 1}"], "--args is not JSON"),
        (["--http-stubs", "no-such-stubs.json"], "No such file"),
    ],
)
def test_workflow_run_refuses_wrong_options(run, file, options, named):
    result = _run(run, file(GREETS), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr


@pytest.mark.parametrize(
    "stubs", [{}, 7, [1], [{"method": "GET"}], [{"method": "GET", "url": "u", "responses": [{"body": 1}]}]]
)
def test_workflow_run_refuses_stubs_of_another_form(run, file, stubs):
    result = _run(run, file(CALLS), "--http-stubs", file(json.dumps(stubs), "stubs.json"))
    assert result.exit_code == 2
    assert "not a list of stubs" in result.stderr


def test_workflow_run_gives_the_file_its_environment(run, file):
    result = _run(run, file(ASKS_ITS_FLEET), "--env", "FLEET_URL=http://fleet.test/?a=b", "--env", "EMPTY=")
    assert json.loads(result.stdout)["result"] == "http://fleet.test/?a=b"


@pytest.mark.parametrize("setting", ["FLEET_URL", "=http://fleet.test", "FLEET-URL=x", ""])
def test_workflow_run_refuses_a_malformed_setting_without_repeating_it(run, file, setting):
    result = _run(run, file(GREETS), "--env", setting)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: --env is not NAME=VALUE, with a name of letters, digits and _\n"
        "  fix: pass one at a time, such as --env FLEET_URL=http://fleet.test\n"
    )


def test_workflow_run_tries_a_workflow_of_the_fleet_without_the_fleet(run, file):
    answer = {"status": 200, "body": {"superseded": True}}
    stubs = [{"method": "POST", "url": "http://fleet.test/probe-answer", "responses": [answer]}]
    probe = str(ROOT / "workflows" / "probe_platform.yaml")
    given = ["--env", "FLEET_URL=http://fleet.test", "--args", '{"probe": "p"}']
    result = _run(run, probe, *given, "--http-stubs", file(json.dumps(stubs), "stubs.json"))
    assert json.loads(result.stdout)["result"] == {"probe": "p", "superseded": True}


def test_workflow_run_with_stubs_that_are_no_json_names_the_file_to_mend(run, file):
    stubs = file("[{]", "stubs.json")
    result = _run(run, file(CALLS), "--http-stubs", stubs)
    assert result.exit_code == 2
    assert f"--http-stubs: {stubs} is not JSON" in result.stderr
    assert f"fix: mend {stubs}" in result.stderr


def test_workflow_run_of_a_missing_file_is_refused(run):
    result = _run(run, "no-such-flow.yaml")
    assert result.exit_code == 2
    assert "cannot read no-such-flow.yaml" in result.stderr


def test_workflow_check_of_good_files_says_so(run, file):
    result = run("workflow", "check", file(GREETS), file(CALLS, "calls.yaml"))
    assert (result.stdout, result.exit_code) == ("✓ 2 files can be deployed.\n", 0)


def test_workflow_check_shows_all_problems_of_all_files(run, file):
    good, wrong = file(GREETS), file(WRONG, "wrong.yaml")
    result = run("workflow", "check", good, wrong)
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line.partition(": ")[0] for line in result.stderr.splitlines()] == [f"{wrong}:3", f"{wrong}:4"]


def test_workflow_check_prints_problems_as_json(run, file):
    result = run("workflow", "check", file(WRONG), "--json")
    assert [problem["line"] for problem in json.loads(result.stdout)["problems"]] == [3, 4]
