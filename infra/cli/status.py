"""`keyfleet status`: how a running fleet stands."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from functions.backoffice.console_reasons import in_words, said_in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain, table
from infra.cli.control import ControlPlane
from infra.cli.wall import both

NOTHING_KEPT: Final = ("refusing", "no_room")
"""Each says why nothing that comes is kept: its files are gone, or its last commit found no room."""


Functions = Annotated[bool, typer.Option("--functions", help="List each function too, and who may call it.")]


def status(at: FleetAddress, functions: Functions = False) -> Answer:
    """Show the running fleet: what somebody must see to, what waits, what was set aside."""
    control = ControlPlane(at)
    facts = {**control.get("status"), **control.get("attention")}
    return Answer(facts, tuple(_said(at, facts, functions=functions)), int(any(map(facts.get, NOTHING_KEPT))))


def _said(at: FleetAddress, facts: Mapping[str, Any], *, functions: bool) -> list[RenderableType]:
    head = line("The fleet at ", plain(facts.get("base_url", at.base_url), "bold"), f" runs from {at.home}.")
    made_of = _made_of(facts) if functions else ()
    return [head, *_refusing(facts), *_for_hands(at, facts), *_at_work(facts), *made_of]


def _refusing(facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Say of a fleet whose files were taken away that all it says below is what it remembers."""
    if gone := facts.get("refusing"):
        said = f"{gone} is gone, or is another file: the fleet takes nothing any more, and no key changes. "
        yield line(plain(said, "bold red"), "Do not stop it yet: infra/runbooks/lock/files-gone.md")
    if full := facts.get("no_room"):
        yield line(plain(f"No event is taken and no key changes: {full}", "bold red"))


def _for_hands(at: FleetAddress, facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Go through what somebody must see to, the guest at the door first."""
    yield from _attention(at, facts)
    yield from _alerts(at, facts)
    if waiting := int(facts.get("tasks_waiting", 0)):
        yield line(f"Tasks waiting: {waiting}")
    if failed := int(facts.get("failed_executions", 0)):
        yield _failed(at, failed)
    yield _parked(at, int(facts.get("parked", 0)))


def _alerts(at: FleetAddress, facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    last, today = facts.get("last_alert"), int(facts.get("alerts_within_a_day", 0))
    if last is not None and today:
        said = f"Alerts within 24 h: {today}, the last at {both(last['at'], last['zone'])}: "
        yield line(said, plain(said_in_words(last["message"]), "red"), f", see keyfleet alerts{at.flags}")


def _at_work(facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield line(f"Executions under way: {facts.get('executions', 0)}")
    backlog = {name: count for name, count in facts.get("backlog", {}).items() if count}
    if backlog:
        yield table(("subscription", "messages waiting"), sorted(backlog.items()))
    else:
        yield line("No message waits.")
    if kept := int(facts.get("kept", 0)):
        yield line(f"Kept for functions to come: {counted(kept, 'message')}")


def _made_of(facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    functions = facts.get("functions", [])
    yield table(("function", "who may call"), [(each["name"], _callers(each)) for each in functions])


def _callers(function: Mapping[str, Any]) -> str:
    return "anybody" if function.get("public") else ", ".join(function.get("callers", []))


def _failed(at: FleetAddress, count: int) -> RenderableType:
    return line(
        plain(f"Failed within 24 h: {counted(count, 'execution')}, ", "red"),
        f"see keyfleet workflow list --state FAILED{at.flags}",
    )


def _parked(at: FleetAddress, count: int) -> RenderableType:
    if not count:
        return line("No message was set aside.")
    return line(
        plain(f"Set aside: {counted(count, 'message')}, ", "yellow"),
        f"see keyfleet dead-letter list{at.flags}",
    )


def _arrivals(at: FleetAddress, facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Name the keys that failed, who comes first first, and how they are asked for now."""
    failed = facts.get("failed", [])
    rows = [
        (each["arrives"], each["reservation"] or "", each["key"], in_words(each["reason"])) for each in failed
    ]
    if rows:
        yield table(("arrives", "stay", "key", "failed as"), rows)
        again = f"keyfleet retry --all-failed{at.flags}"
        yield line(f"Others are requested in their place by themselves; at once, with {again}")


def _attention(at: FleetAddress, facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    if late := facts.get("keys_at_the_door"):
        said = f"Not made, and its guest is here or comes within two hours: {', '.join(late)}, "
        yield line(plain(said, "bold red"), f"see keyfleet timeline KEY{at.flags}")
    if failed := facts["failed_keys"]:
        said = f"Failed, and still wanted: {counted(failed, 'key')}, "
        yield line(plain(said, "bold red"), f"see keyfleet credentials --state failed{at.flags}")
        yield from _arrivals(at, facts)
    if keyless := facts["keyless_stays"]:
        said = f"Without any key since they were changed: {', '.join(keyless)}, "
        yield line(plain(said, "bold red"), f"see keyfleet timeline STAY{at.flags}")
    if residual := facts["residual_locks"]:
        said = f"What should be gone may open: {counted(residual, 'lock')}, "
        yield line(plain(said, "bold red"), f"see keyfleet residue list{at.flags}")
    yield from _found(at, facts)
    if waiting := facts.get("waiting_keys"):
        states = f"see keyfleet credentials{at.flags} --state pending, or requested"
        yield line(f"Yet to be made: {counted(waiting, 'key')}, {states}")


def _found(at: FleetAddress, facts: Mapping[str, Any]) -> Iterator[RenderableType]:
    if late := facts.get("anchors_overdue"):
        said = f"Audit log not closed: {', '.join(late)}, "
        yield line(plain(said, "bold red"), f"see keyfleet audit status{at.flags}")
    if strange := facts.get("strange_keys"):
        said = f"At locks, may open, and nobody's: {counted(strange, 'key')}, "
        yield line(plain(said, "bold red"), f"see keyfleet finding list{at.flags}")
    if lost := facts.get("lost_keys"):
        said = f"Gone from their locks, and not placed again: {', '.join(lost)}, "
        yield line(plain(said, "bold red"), f"see keyfleet finding list{at.flags}")
