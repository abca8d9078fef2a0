"""`keyfleet credentials`: the keys that the fleet's ledger holds, and how each stands at its locks."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from shlex import quote
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from functions.backoffice.console_reasons import in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, moment, plain, span
from infra.cli.control import ControlPlane
from infra.cli.two_stays import of_both
from infra.cli.wall import both

Json = Mapping[str, Any]
STATES: Final = (
    "requested, pending, active, suspended, revoked or failed; or residual: left where it should not be."
)
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
Reservation = Annotated[str | None, typer.Option(help="Only those of this booking, such as rsv_1.")]
Property = Annotated[str | None, typer.Option("--property", help="Only those of this property.")]
State = Annotated[str | None, typer.Option(help=STATES)]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many, newest first.")]
STYLES: Final = {
    "requested": "cyan",
    "pending": "cyan",
    "active": "green",
    "placed": "green",
    "suspended": "yellow",
    "removing": "yellow",
    "residual": "bold red",
    "failed": "red",
}
"""How states of keys and grants look; the others have nothing left to say."""
WORTH_TELLING: Final = 1.0
"""Seconds: what lasts less beyond its stay is how long the lock took to hear of it."""
LIVING: Final = frozenset({"active", "suspended"})
UNDECIDED: Final = frozenset({"removing", "residual"})
"""What a lock is yet to let go of."""
ASKED: Final = {"intended": "place", "removing": "remove"}
"""What a vendor is asked for a grant until it is done."""


def credentials(
    at: FleetAddress,
    tenant: Tenant = None,
    reservation: Reservation = None,
    property_: Property = None,
    state: State = None,
    limit: Limit = 100,
) -> Answer:
    """List keys with their sagas and their grants at each lock; never what opens a door."""
    asked = {"tenant": tenant, "reservation": reservation, "property": property_, "state": state}
    facts = ControlPlane(at).get("credentials", **asked, limit=limit)
    keys = facts["credentials"]
    if not keys:
        return Answer(facts, tuple(_none(at, reservation, state)))
    said = (part for key in keys for part in _told(at, key, reservation))
    return Answer(facts, (*said, *_beyond(limit, more=facts["more"])))


def _none(at: FleetAddress, reservation: str | None, state: str | None) -> Iterator[Text]:
    yield line("No key." if state is None else "No key in that state.")
    if state is None and reservation is not None:
        letters = f"keyfleet dead-letter list --reservation {quote(reservation)}{at.flags}"
        yield line(f"Was its booking set aside? {letters}")


def _beyond(limit: int, *, more: bool) -> Iterator[Text]:
    if more:
        yield line(
            plain(f"There are more than these {limit}", "yellow"), ": raise --limit, or ask for fewer."
        )


def _told(at: FleetAddress, key: Json, stay: str | None) -> Iterator[Text]:
    reason = f": {in_words(key['reason'])}" if key["reason"] else ""
    rooms = f"  {', '.join(key['rooms'])}" if key["rooms"] else ""
    made = f"  {key['kind']} at {key['vendor']}"
    yield line(plain(key["id"], "bold"), "  ", _state(key["state"]), f"{reason}{rooms}{made}")
    window = key["window"]
    yield line(f"    {_whose(key)}, {moment(window['from'])} to {moment(window['until'])} UTC")
    yield line(
        plain(f"    at the hotel {_there(window['from'], window)} to {_there(window['until'], window)}")
    )
    yield from of_both(key, stay)
    if waits := key.get("waits"):
        yield line(plain(f"    waits until {moment(waits['until'])} UTC: {waits['because']}", "yellow"))
    yield from _becoming(key)
    yield line(f"    {_work(key)}")
    for grant in key["grants"]:
        yield line("    ", *_at_lock(grant, key["window"]["zone"]))
    outlasts = max((_outlasts(grant, key) for grant in key["grants"]), default=0.0)
    if outlasts >= WORTH_TELLING and (longer := span(outlasts)):
        yield line(
            plain(
                f"    that is up to {longer} past the stay's end: its vendor rounds or shifts times",
                "dim",
            )
        )
    if key["warnings"]:
        yield line("    ", plain(", ".join(map(in_words, key["warnings"])), "yellow"))
    yield line(plain(f"    keyfleet timeline {key['id']}{at.flags}", "dim"))
    if _waits(key):
        yield line(plain(f"    keyfleet ask-again {key['id']}{at.flags} asks its vendor now", "dim"))


def _becoming(key: Json) -> Iterator[Text]:
    """Say what was asked of a key that its locks have not followed yet: what they open to is above."""
    asked = key.get("becomes")
    if asked is None or key["state"] not in LIVING:
        return
    rooms, window = ", ".join(asked["rooms"]), asked["window"]
    until = f"{moment(window['from'])} to {moment(window['until'])} UTC"
    stands = "; till the locks follow, they stand as above"
    yield line(plain(f"    asked since: {rooms}, {until}", "yellow"), stands)
    yield line(
        plain(f"    at the hotel {_there(window['from'], window)} to {_there(window['until'], window)}")
    )


def _there(instant: str, window: Json) -> str:
    """Return what the clock on the hotel's wall shows then."""
    from zoneinfo import ZoneInfo

    return f"{datetime.fromisoformat(instant).astimezone(ZoneInfo(window['zone'])):%Y-%m-%d %H:%M}"


def _outlasts(grant: Json, key: Json) -> float:
    until = grant["exposure_until"]
    if until is None or grant["state"] == "removed":
        return 0.0
    past = datetime.fromisoformat(until) - datetime.fromisoformat(key["window"]["until"])
    return max(past.total_seconds(), 0.0)


def _waits(key: Json) -> bool:
    return key["state"] == "pending" or any(grant["state"] in UNDECIDED for grant in key["grants"])


def _whose(key: Json) -> str:
    return f"{key['reservation'] or key['staff']} of {key['tenant']}, {key['property']}"


def _work(key: Json) -> str:
    saga, due = key["saga"], key["due_at"]
    said = [
        f"saga {saga['kind']}, generation {saga['generation']}, {counted(key['attempts'], 'attempt')}",
        f"looked after at {both(due, key['window']['zone'])}, at the latest" if due else "nothing due",
    ]
    if key["unannounced"]:
        said.append(f"{counted(key['unannounced'], 'event')} not known to be published")
    return ", ".join(said)


def _at_lock(grant: Json, zone: str) -> Iterator[str | Text]:
    yield f"{grant['label'] or grant['device']}: "
    yield _state(grant["state"])
    detail = f" ({grant['detail'].replace('_', ' ')})" if grant["detail"] else ""
    yield f"{detail}, {grant['kind']}"
    yield from _refused(grant)
    if grant["state"] != "removed":
        yield f", {grant['vendor_name']} in the app"
        until, busy = grant["exposure_until"], grant["busy_until"]
        yield f", may open until {both(until, zone)}" if until else ", may open until it is removed"
        if busy and grant["state"] == "removing":
            yield f"; no removal is believed before {moment(busy)} UTC, for a lost call may still place it"


def _refused(grant: Json) -> Iterator[str | Text]:
    # A call without an answer may still have one.
    last = next(reversed(grant["calls"]), None)
    if last is not None and last["answer"] and last["asked"] == ASKED.get(grant["state"]):
        at = moment(last["answered_at"] or last["at"])
        yield f", {grant['vendor']}: "
        yield plain(in_words(last["answer"]), "yellow")
        yield f" at {at} UTC"


def _state(state: str) -> Text:
    return plain(state, STYLES.get(state, "dim"))
