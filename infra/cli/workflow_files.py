"""`keyfleet workflow run|check`: workflow files, without any fleet."""

from pathlib import Path
from typing import Annotated, Any

import typer

from infra.cli.answer import Answer, counted, line, plain
from infra.cli.inputs import json_file, json_input, settings
from infra.cli.problems import Refused

File = Annotated[Path, typer.Argument(help="A workflow file, YAML or JSON.")]
Files = Annotated[list[Path], typer.Argument(help="Workflow files, YAML or JSON.")]
Arguments = Annotated[str, typer.Option(help="The argument: JSON, @file, or - for stdin.")]
Stubs = Annotated[Path | None, typer.Option(help="A JSON file of canned answers, in place of real HTTP.")]
Virtual = Annotated[bool, typer.Option("--virtual-clock", help="Let sleeps pass at once.")]
Environment = Annotated[
    list[str] | None,
    typer.Option(
        "--env", metavar="NAME=VALUE", help="What sys.get_env finds, such as FLEET_URL; repeatable."
    ),
]
EXIT_CODES = {"SUCCEEDED": 0, "FAILED": 1, "REFUSED": 2}


def run(
    file: File,
    args: Arguments = "null",
    env: Environment = None,
    http_stubs: Stubs = None,
    virtual_clock: Virtual = False,
) -> Answer:
    """Run a file to its end, here and now; print state, result, error, calls and sleeps as JSON."""
    from infra.local.workflows.errors import WorkflowRefused
    from infra.local.workflows.runner import refusal_record, run_file

    argument, environment = json_input(args, "--args"), settings(env or [], "--env")
    stubs = None if http_stubs is None else _stubs(json_file(http_stubs, "--http-stubs"))
    try:
        facts = run_file(
            _readable(file), argument, http_stubs=stubs, virtual_clock=virtual_clock, environment=environment
        )
    except WorkflowRefused as refused:
        record = refusal_record(refused)
        return Answer(record, (), 2, always_json=True, complaints=tuple(map(str, refused.problems)))
    return Answer(facts, (), EXIT_CODES[facts["state"]], always_json=True)


def check(files: Files) -> Answer:
    """Load files without running them; show every problem with line and remedy."""
    problems = [problem for file in files for problem in _problems(_readable(file))]
    facts = {"files": [str(file) for file in files], "problems": problems}
    if not problems:
        return Answer(facts, (line(plain("✓ ", "green"), f"{counted(len(files), 'file')} can be deployed."),))
    complaints = (f"{each['file']}:{each['line']}: {each['message']}. {each['remedy']}" for each in problems)
    return Answer(facts, (), 2, complaints=tuple(complaints))


def _problems(file: Path) -> list[dict[str, Any]]:
    from infra.local.workflows.errors import WorkflowRefused
    from infra.local.workflows.program import load
    from infra.local.workflows.runner import refusal_record

    try:
        load(file.read_bytes(), str(file))
    except WorkflowRefused as refused:
        problems: list[dict[str, Any]] = refusal_record(refused)["problems"]
        return problems
    return []


def _readable(file: Path) -> Path:
    try:
        file.open("rb").close()
    except OSError as error:
        raise Refused(f"cannot read {file}: {error.strerror}", "check the path") from None
    return file


def _stubs(document: Any) -> Any:
    rows = document.get("http") if isinstance(document, dict) else document
    if not isinstance(rows, list) or not all(map(_is_stub, rows)):
        raise Refused(
            "--http-stubs is not a list of stubs",
            'write [{"method": "GET", "url": "https://…", "responses": [{"status": 200, "body": {}}]}]',
        )
    return document


def _is_stub(row: Any) -> bool:
    if (
        not isinstance(row, dict)
        or not isinstance(row.get("method"), str)
        or not isinstance(row.get("url"), str)
    ):
        return False
    responses = row.get("responses")
    return isinstance(responses, list) and all(
        isinstance(each, dict) and ("fault" in each or isinstance(each.get("status"), int))
        for each in responses
    )
