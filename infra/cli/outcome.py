"""What came of a published event, waited for: the key's state, or why there is none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rich.text import Text

from functions.backoffice.console_reasons import in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, field_line, line, plain
from infra.cli.control import ControlPlane
from infra.cli.credentials import STYLES
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Field
from infra.cli.two_stays import of_both

PATIENCE_SECONDS: Final = 60.0
UNWELL: Final = frozenset({"failed"})
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wait:
    """For how long an outcome is waited for, and how."""

    seconds: float
    patience: Patience = field(default_factory=Patience)


def awaited(at: FleetAddress, facts: Json, wait: Wait) -> Answer:
    """Return what came of what was published; exit status 1 if it was set aside, failed, or is not over."""
    control = ControlPlane(at)

    def look() -> Json | None:
        found = _outcome(control, facts)
        return found if found["settled"] else None

    try:
        found = wait.patience.until(look, wait.seconds)
    except OutOfPatience:
        found = _outcome(control, facts)
    bad = not found["settled"] or bool(found["letters"]) or bool(_failed(found))
    said = (*_told(at, facts, found), *_unsettled(at, facts, found, wait.seconds))
    return Answer({**facts, "outcome": found}, said, int(bad))


def warned(facts: Json) -> Iterator[Text]:
    """Go through what is valid in an event and will change nothing."""
    for each in facts.get("warnings", ()):
        yield line(plain("warning: ", "yellow"), field_line("", each))


def _outcome(control: ControlPlane, facts: Json) -> Json:
    about = {"event": facts["event_id"], "tenant": facts["tenant"]}
    return control.get("outcomes", facts["message_id"], **about, reservation=facts["reservation"] or None)


def _failed(found: Json) -> list[Json]:
    return [key for key in found["keys"] if key["state"] in UNWELL] if _applied(found) else []


def _applied(found: Json) -> bool:
    return (found["heard"] or {}).get("outcome") == "applied"


def _told(at: FleetAddress, facts: Json, found: Json) -> Iterator[Text]:
    for letter in found["letters"]:
        done = _done_all_the_same(found)
        rest = f", and {done}" if done else ", and nothing was done"
        yield line(plain("Set aside", "bold red"), f" as message {letter['id']}{rest}:")
        yield from (_why(each) for each in letter["problems"])
        yield line(f"  once that is mended: keyfleet dead-letter replay {letter['id']}{at.flags}")
    if found["letters"]:
        return
    heard = found["heard"]
    if heard is not None:
        because = f": {heard['because']}" if heard["because"] else ""
        style = "green" if _applied(found) else "yellow"
        yield line(plain(heard["outcome"].capitalize(), style), because, ".")
    elif found["settled"]:
        yield line("Delivered, and set aside by nobody.")
    for key in found["keys"]:
        yield _key(key)
        yield from of_both(key, facts["reservation"])
    if heard is not None and not found["keys"]:
        yield line(f"No key of {facts['reservation']}.")


def _done_all_the_same(found: Json) -> str:
    """Say what a stay that can have no key as it is has lost: what opened more than it includes has ended."""
    heard = found["heard"] or {}
    return str(heard.get("because") or "").partition("; ")[2] if heard.get("outcome") == "refused" else ""


def _why(problem: Field) -> Text:
    return field_line("  ", problem)


def _key(key: Json) -> Text:
    reason = f": {in_words(key['reason'])}" if key["reason"] else ""
    doors = ", ".join(f"{grant['label'] or grant['device']} {grant['state']}" for grant in key["grants"])
    state = plain(key["state"], STYLES.get(key["state"], "dim"))
    head = line("  ", plain(key["id"], "bold"), "  ", state, f"{reason}  {key['kind']} at {key['vendor']}")
    return line(head, f": {doors}" if doors else "")


def _unsettled(at: FleetAddress, facts: Json, found: Json, seconds: float) -> Iterator[Text]:
    if found["settled"]:
        return
    what = "no function has accepted it yet" if found["delivering"] else "it is not over"
    follow = f"keyfleet timeline {facts['reservation']} --follow{at.flags}" if facts["reservation"] else ""
    remedy = follow or f"keyfleet status{at.flags}"
    yield line(plain(f"After {seconds:g} s {what}", "yellow"), f"; nothing is lost: {remedy}")
