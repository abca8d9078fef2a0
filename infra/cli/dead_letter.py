"""`keyfleet dead-letter`: messages that were set aside, with the reason, until somebody decides."""

from collections.abc import Mapping
from shlex import quote
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, field_line, line, moment, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import Field, Refused, not_found, said_of

LIST: Final = "keyfleet dead-letter list"

Topic = Annotated[str | None, typer.Option(help="Only those of this parked topic.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")]
Reservation = Annotated[str | None, typer.Option(help="Only those about this booking, such as rsv_1.")]
After = Annotated[int, typer.Option(min=0, help="Only those behind this id: the next page.")]
Ids = Annotated[list[str] | None, typer.Argument(help="Ids that dead-letter list shows.")]
NamedIds = Annotated[list[str], typer.Argument(help="Ids that dead-letter list shows.")]
All = Annotated[bool, typer.Option("--all", help="Every one.")]


def list_letters(
    at: FleetAddress,
    topic: Topic = None,
    reservation: Reservation = None,
    after: After = 0,
    limit: Limit = 100,
) -> Answer:
    """List the messages that were set aside: dead letters and quarantine."""
    wanted, control = {"topic": topic, "reservation": reservation}, ControlPlane(at)
    facts = control.get("dead-letters", **wanted, after=after, limit=limit)
    letters = facts["messages"]
    if not letters:
        chosen = after or any(wanted.values())
        others = control.get("status")["parked"] if chosen else 0
        return Answer(facts, (line(f"{_none(topic, reservation, after)}{_others(at, others)}"),))
    said: list[RenderableType] = [part for letter in letters for part in _said(letter)]
    if len(letters) == limit:
        only = "".join(f" --{name} {quote(value)}" for name, value in wanted.items() if value)
        said.append(line(f"There may be more: {LIST}{at.flags}{only} --after {letters[-1]['id']}"))
    return Answer(facts, tuple(said))


def _none(topic: str | None, reservation: str | None, after: int) -> str:
    about = f" about {reservation}" if reservation else ""
    on = f" on {topic}" if topic else ""
    return f"No message{about}{on} was set aside{f' behind {after}' if after else ''}."


def _others(at: FleetAddress, count: int) -> str:
    return f" In all, {counted(count, 'message')}: see {LIST}{at.flags}" if count else ""


def replay(at: FleetAddress, ids: Ids = None, everything: All = False, topic: Topic = None) -> Answer:
    """Deliver messages again, as if for the first time."""
    if bool(ids) == everything:
        raise Refused("name ids, or --all" + (", not both" if ids else ""), "see keyfleet dead-letter list")
    body: dict[str, Any] = {"topic": topic} if topic else {}
    named, control = _numbers(ids or []), ControlPlane(at)
    body |= {"all": True} if everything else {"ids": named}
    _refuse_missing(control, at, named, "nothing was delivered again", topic)
    facts = control.post("dead-letters", "replay", body=body)
    said = line(f"Delivering again: {counted(facts['replayed'], 'message')}.")
    again = line(f"Look again with {LIST}{at.flags}: what cannot be accepted comes back.")
    return Answer(facts, (said, again) if facts["replayed"] else (said,))


def discard(at: FleetAddress, ids: NamedIds) -> Answer:
    """Delete messages for ever."""
    named, control = _numbers(ids), ControlPlane(at)
    _refuse_missing(control, at, named, "nothing was deleted")
    facts = control.post("dead-letters", "discard", body={"ids": named})
    return Answer(facts, (line(f"Deleted {counted(facts['discarded'], 'message')}."),))


def _numbers(ids: list[str]) -> list[str]:
    for each in ids:
        if not (each.isascii() and each.isdecimal()):
            raise Refused(f"{each[:64]!r} is no message id", "take ids from keyfleet dead-letter list")
    return sorted(set(ids), key=int)


def _refuse_missing(
    control: ControlPlane, at: FleetAddress, ids: list[str], but: str, topic: str | None = None
) -> None:
    if missing := [each for each in ids if not _is_there(control, each, topic)]:
        raise not_found("dead letter", missing, f"see {LIST}{at.flags}", but=but)


def _is_there(control: ControlPlane, id_: str, topic: str | None) -> bool:
    before = max(int(id_) - 1, 0)
    page = control.get("dead-letters", topic=topic, after=before, limit=1)["messages"]
    return any(int(letter["id"]) == int(id_) for letter in page)


def _said(letter: Mapping[str, Any]) -> list[RenderableType]:
    head = line(
        plain(letter["id"], "bold"),
        f"  {moment(letter['parked_at'])}  {letter['topic']}",
        plain(f"  from {letter['subscription']}" if letter["subscription"] else "", "cyan"),
    )
    return [head, *_about(letter), *_why(letter["problems"])]


def _why(problems: list[Field]) -> list[RenderableType]:
    if len(problems) > 1:
        return [field_line("    ", each) for each in problems]
    (only,) = problems
    said: list[RenderableType] = [line("    ", plain(said_of(only), "yellow"))]
    return [*said, line("    fix: ", only["remedy"])] if only["remedy"] else said


def _about(letter: Mapping[str, Any]) -> list[RenderableType]:
    named = [
        str(letter[name]) for name in ("subject", "event_id", "tenant", "reservation") if letter.get(name)
    ]
    return [line("    ", "  ".join(named))] if named else []
