"""`keyfleet workflow start|list|show|cancel`: executions on a running fleet."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain, table
from infra.cli.control import ControlPlane
from infra.cli.inputs import json_object
from infra.cli.problems import Refused

STYLES: Final = {"ACTIVE": "cyan", "SUCCEEDED": "green", "FAILED": "red", "CANCELLED": "yellow"}
MARKS: Final = {
    "step": ("•", ""),
    "asked": ("→", "cyan"),
    "answered": ("←", "cyan"),
    "retry": ("↻", "yellow"),
    "error": ("✗", "red"),
    "log": ("✎", ""),
}
"""How each kind of happening looks in a timeline."""

Name = Annotated[str, typer.Argument(help="A workflow's name: that of its file, without .yaml.")]
Arguments = Annotated[str | None, typer.Option(help="The argument: a JSON object, @file, or - for stdin.")]
Workflow = Annotated[str | None, typer.Option(help="Only executions of this workflow.")]
State = Annotated[str | None, typer.Option(help="ACTIVE, SUCCEEDED, FAILED or CANCELLED.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many, newest first.")]
Id = Annotated[str, typer.Argument(help="An execution's id, as workflow list shows it.")]


def start(at: FleetAddress, name: Name, args: Arguments = None) -> Answer:
    """Start an execution on the running fleet."""
    given = {} if args is None else {"argument": json_object(args, "--args")}
    facts = ControlPlane(at).post("executions", body={"workflow": name, **given})
    identity = facts["execution"]
    return Answer(
        facts,
        (
            line("Started ", plain(identity, "bold"), f" of {name}."),
            line(f"Follow it: keyfleet workflow show {identity}{at.flags}"),
        ),
        complaints=tuple(f"warning: {each}" for each in facts.get("warnings", ())),
    )


def list_executions(
    at: FleetAddress, workflow: Workflow = None, state: State = None, limit: Limit = 100
) -> Answer:
    """List executions, newest first."""
    wanted = None if state is None else _known(state)
    facts = ControlPlane(at).get("executions", workflow=workflow, state=wanted, limit=limit)
    rows = [
        (*(each.get(name) for name in ("id", "workflow", "key")), _how(each), *_times(each))
        for each in facts["executions"]
    ]
    if not rows:
        return Answer(facts, (line("No execution."),))
    return Answer(facts, (table(("execution", "workflow", "key", "state", "started (UTC)", "took"), rows),))


def show(at: FleetAddress, execution: Id) -> Answer:
    """Show one execution and what happened in it, step by step."""
    facts = ControlPlane(at).get("executions", execution)
    return Answer(
        facts,
        (*_head(facts), *timeline(facts["steps"], at.base_url), *_end(facts)),
        _exit_code(facts["state"]),
    )


def cancel(at: FleetAddress, execution: Id) -> Answer:
    """End an execution where it stands."""
    facts = ControlPlane(at).post("executions", execution, "cancel")
    return Answer(facts, (line("Cancelled ", plain(execution, "bold"), "."), *_goes_on(at, facts.get("key"))))


def _goes_on(at: FleetAddress, key: str | None) -> Iterator[Text]:
    """Say that a key's work is not over with its execution: it lies in the ledger."""
    if key is not None:
        yield line(f"What is owed to {key} stays owed: the sweeper begins it again within minutes.")
        yield line(f"To end the key itself: keyfleet key end {key} --by USER --reason REASON{at.flags}")


def timeline(steps: list[Mapping[str, Any]], base_url: str) -> list[Text]:
    """Return what happened, a line each; our own address goes without saying, a parallel branch does not."""
    return [_happening(step, step["what"].replace(f"{base_url}/", "/")) for step in steps]


def _happening(step: Mapping[str, Any], what: str) -> Text:
    mark, style = MARKS.get(step["kind"], ("·", ""))
    where = f"  line {step['line']}" if step.get("line") else ""
    branch = f"  [{step['branch']}]" if step.get("branch") else ""
    indent = "  " if step["kind"] == "step" else "      "
    return line(indent, plain(mark, style), f" {what}", plain(where + branch, "dim"))


def _head(facts: Mapping[str, Any]) -> tuple[RenderableType, ...]:
    return (
        line(
            plain(facts["id"], "bold"), f"  {facts['workflow']}@{facts['revision']}  ", _state(facts["state"])
        ),
        line(
            f"started {moment(facts['started_at'])} UTC",
            f", took {_took(facts)}" if facts["ended_at"] else "",
        ),
        line("argument ", json.dumps(facts["argument"], ensure_ascii=False)),
    )


def _end(facts: Mapping[str, Any]) -> tuple[RenderableType, ...]:
    if facts["state"] == "SUCCEEDED":
        return (line(plain("result ", "green"), json.dumps(facts["result"], ensure_ascii=False)),)
    if facts["state"] == "FAILED":
        return (line(plain("error ", "red"), json.dumps(facts["error"], ensure_ascii=False)),)
    return ()


def _known(state: str) -> str:
    if state.upper() not in STYLES:
        raise Refused(f"--state {state[:64]!r} is no state", f"name one of {', '.join(STYLES)}")
    return state.upper()


def _times(facts: Mapping[str, Any]) -> tuple[str, str]:
    return moment(facts["started_at"]), _took(facts)


def _took(facts: Mapping[str, Any]) -> str:
    if facts["ended_at"] is None:
        return ""
    passed = datetime.fromisoformat(facts["ended_at"]) - datetime.fromisoformat(facts["started_at"])
    # Its two ends are told by a clock that may have been set back meanwhile.
    return f"{passed.total_seconds():.1f} s" if passed >= timedelta(0) else "unknown: the clock was set back"


def _state(state: str) -> Text:
    return plain(state, STYLES.get(state, ""))


def _how(facts: Mapping[str, Any]) -> Text:
    """Say how an execution stands, and what a success tells of its key: that may have failed."""
    result = facts["result"]
    word = result.get("outcome") if isinstance(result, dict) else None
    return _state(facts["state"]) if word in (None, "done") else line(_state(facts["state"]), f": {word}")


def _exit_code(state: str) -> int:
    return 1 if state == "FAILED" else 0
