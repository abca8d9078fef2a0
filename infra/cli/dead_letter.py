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
    named, control = _numbers(ids or []), ControlPlane(at)
    body |= {"all": True} if everything else {"ids": named}
    missing = _missing(control, named, topic)
    facts = control.post("dead-letters", "replay", body=body)
    said = _reported(facts["replayed"], missing, "Delivering again:")
    again = f"Look again with keyfleet dead-letter list{at.flags}: what cannot be accepted comes back."
    return Answer(facts, (line(said), line(again)) if facts["replayed"] else (line(said),))


def discard(at: Place, ids: NamedIds) -> Answer:
    """Delete messages for ever."""
    named, control = _numbers(ids), ControlPlane(at)
    missing = _missing(control, named)
    facts = control.post("dead-letters", "discard", body={"ids": named})
    return Answer(facts, (line(_reported(facts["discarded"], missing, "Deleted")),))


def _numbers(ids: list[str]) -> list[str]:
    for each in ids:
        if not (each.isascii() and each.isdecimal()):
            raise Refused(f"{each[:64]!r} is no message id", "take ids from keyfleet dead-letter list")
    return sorted(set(ids), key=int)


def _missing(control: ControlPlane, ids: list[str], topic: str | None = None) -> list[str]:
    # Asked beforehand: the answer is a count, and afterwards those that were there are gone as well.
    return [each for each in ids if not _is_there(control, each, topic)]


def _is_there(control: ControlPlane, id_: str, topic: str | None) -> bool:
    before = max(int(id_) - 1, 0)
    page = control.get("dead-letters", topic=topic, after=before, limit=1)["messages"]
    return any(int(letter["id"]) == int(id_) for letter in page)


def _reported(done: int, missing: list[str], what: str) -> str:
    said = f"{what} {counted(done, 'message')}"
    if missing:
        raise Failed(f"{said}; not set aside: {', '.join(missing)}", "see keyfleet dead-letter list")
    return f"{said}."


def _said(letter: Mapping[str, Any]) -> list[RenderableType]:
    head = line(
        plain(letter["id"], "bold"),
        f"  {moment(letter['parked_at'])}  {letter['topic']}",
        plain(f"  from {letter['subscription']}" if letter["subscription"] else "", "cyan"),
    )
    # A reason told in one piece ends with its remedy and begins with its field: each is said once.
    field, remedy = letter.get("field") or "", letter.get("remedy") or ""
    why = str(letter["reason"]).removesuffix(remedy).removeprefix(f"{field}: ").rstrip(" .")
    said: list[RenderableType] = [head, *_about(letter)]
    said.append(line("    ", plain(f"{field}: {why}" if field else why, "yellow")))
    return [*said, line("    fix: ", remedy)] if remedy else said


def _about(letter: Mapping[str, Any]) -> list[RenderableType]:
    named = [str(letter[name]) for name in ("subject", "event_id", "tenant") if letter.get(name)]
    return [line("    ", "  ".join(named))] if named else []
