"""`keyfleet dead-letter`: messages that were set aside, with the reason, until somebody decides."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from infra.cli.answer import Answer, counted, line, moment, plain
from infra.cli.control import ControlPlane
from infra.cli.place import Place
from infra.cli.problems import Failed, Refused

Topic = Annotated[str | None, typer.Option(help="Only those of this parked topic.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")]
After = Annotated[int, typer.Option(min=0, help="Only those behind this id: the next page.")]
Ids = Annotated[list[str] | None, typer.Argument(help="Ids that dead-letter list shows.")]
NamedIds = Annotated[list[str], typer.Argument(help="Ids that dead-letter list shows.")]
All = Annotated[bool, typer.Option("--all", help="Every one.")]


def list_letters(at: Place, topic: Topic = None, after: After = 0, limit: Limit = 100) -> Answer:
    """List the messages that were set aside: dead letters and quarantine."""
    facts = ControlPlane(at).get("dead-letters", topic=topic, after=after, limit=limit)
    letters = facts["messages"]
    if not letters:
        return Answer(facts, (line("No message was set aside."),))
    said: list[RenderableType] = [part for letter in letters for part in _said(letter)]
    if len(letters) == limit:
        said.append(
            line(f"There may be more: keyfleet dead-letter list{at.flags} --after {letters[-1]['id']}")
        )
    return Answer(facts, tuple(said))


def replay(at: Place, ids: Ids = None, everything: All = False, topic: Topic = None) -> Answer:
    """Deliver messages again, as if for the first time."""
    if bool(ids) == everything:
        raise Refused("name ids, or --all" + (", not both" if ids else ""), "see keyfleet dead-letter list")
    body: dict[str, Any] = {"topic": topic} if topic else {}
    body |= {"all": True} if everything else {"ids": _numbers(ids or [])}
    facts = ControlPlane(at).post("dead-letters", "replay", body=body)
    return _reported(facts, facts["replayed"], len(ids or []), "Delivering again:")


def discard(at: Place, ids: NamedIds) -> Answer:
    """Delete messages for ever."""
    facts = ControlPlane(at).post("dead-letters", "discard", body={"ids": _numbers(ids)})
    return _reported(facts, facts["discarded"], len(ids), "Deleted")


def _numbers(ids: list[str]) -> list[str]:
    for each in ids:
        if not (each.isascii() and each.isdecimal()):
            raise Refused(f"{each[:64]!r} is no message id", "take ids from keyfleet dead-letter list")
    return sorted(set(ids), key=int)


def _reported(facts: Mapping[str, Any], done: int, asked: int, what: str) -> Answer:
    said = f"{what} {counted(done, 'message')}"
    if done < asked:
        raise Failed(f"{said} of {asked} named: no other is set aside", "see keyfleet dead-letter list")
    return Answer(facts, (line(f"{said}."),))


def _said(letter: Mapping[str, Any]) -> list[RenderableType]:
    head = line(
        plain(letter["id"], "bold"),
        f"  {moment(letter['parked_at'])}  {letter['topic']}",
        plain(f"  from {letter['subscription']}" if letter["subscription"] else "", "cyan"),
    )
    # A reason told in one piece ends with its remedy and begins with its field: each is said once.
    field, remedy = letter.get("field") or "", letter.get("remedy") or ""
    why = str(letter["reason"]).removesuffix(remedy).removeprefix(f"{field}: ").rstrip(" .")
    said: list[RenderableType] = [head, line("    ", plain(f"{field}: {why}" if field else why, "yellow"))]
    return [*said, line("    fix: ", remedy)] if remedy else said
