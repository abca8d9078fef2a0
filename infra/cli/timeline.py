"""`keyfleet timeline ID`: all that happened to a booking or a key, in order."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from functions.backoffice.console_reasons import in_words, said_in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, Outcome, line, moment, plain
from infra.cli.control import ControlPlane
from infra.cli.credentials import STYLES
from infra.cli.executions import MARKS
from infra.cli.polling import Patience
from infra.cli.problems import Refused
from infra.cli.two_stays import of_both
from infra.cli.vendor_words import meant
from infra.cli.wall import AT_THE_HOTEL, there

Json = Mapping[str, Any]
Id = Annotated[
    str | None,
    typer.Argument(
        help="A booking's id, a key's, or a staff key's (mky_…); with --follow a room's too, or none."
    ),
]
Follow = Annotated[
    bool,
    typer.Option("--follow", help="Go on with what happens, until Ctrl-C; without an id, to anybody's key."),
]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, where two tenants have the same id.")]
SOURCES: Final = {
    "booking": "magenta",
    "event": "green",
    "attempt": "yellow",
    "saga": "cyan",
    "vendor": "bright_yellow",
    "lock": "blue",
    "task": "red",
}
"""By whose account something happened, and how that looks."""
LOUD: Final = {
    "refused": "yellow",
    "residual": "bold red",
    "error": "red",
    "failed": "red",
    "resumed": "bold",
}
"""What must catch the eye."""


def timeline(at: FleetAddress, identity: Id = None, tenant: Tenant = None, follow: Follow = False) -> Outcome:
    """Show every event, saga step, vendor call, retry and change at a lock, in order."""
    if follow:
        from infra.cli.following import Followed, followed

        return followed(Followed(ControlPlane(at), identity, tenant), Patience())
    if identity is None:
        raise Refused("whose timeline is not said", "name a booking or a key, or pass --follow")
    facts = ControlPlane(at).get("timeline", identity, tenant=tenant)
    keys = ", ".join(facts["credentials"]) or "no key"
    head = line(plain(facts["id"], "bold"), f" of {facts['tenant']}: {keys}")
    told = said(facts["timeline"], facts.get("zone"))
    return Answer(facts, (head, *told, *_standing(facts)))


def _standing(facts: Json) -> Iterator[Text]:
    known = {key["id"] for key in facts.get("standing", [])}
    stay = None if facts["id"] in known else facts["id"]
    for key in facts.get("standing", []):
        reason = f": {in_words(key['reason'])}" if key["reason"] else ""
        state = plain(f"{key['state']}{reason}", STYLES.get(key["state"], "dim"))
        yield line("Now ", plain(key["id"], "bold"), " is ", state, ".")
        yield from of_both(key, stay)


def said(happened: list[Json], zone: str | None = None) -> Iterator[Text]:
    """Return what happened, a line each by both clocks, and a line for each new day."""
    day = ""
    for each in happened:
        date, _, time = moment(each["at"]).partition(" ")
        if date != day:
            yield line(plain(f"{date} (UTC{f', and {AT_THE_HOTEL}' if zone else ''})", "bold"))
        day = date
        yield _line(f"{time}.{_milliseconds(each['at'])}{_wall(each['at'], zone)}", each)


def _wall(instant: str, zone: str | None) -> str:
    """Return the time on the hotel's wall, with its date where that is another than by UTC."""
    wall = there(instant, zone)
    if wall is None:
        return ""
    return f" ({wall.partition(' ')[2]})" if wall[:10] == instant[:10] else f" ({wall})"


def _line(time: str, each: Json) -> Text:
    mark, _ = MARKS.get(each["kind"], ("▸", "")) if each["source"] == "saga" else ("▸", "")
    branch = f"  [{each['branch']}]" if each["branch"] else ""
    source = plain(f"{each['source']:<8}", SOURCES.get(each["source"], ""))
    kind = f"{each['kind']}: " if each["source"] in {"booking", "event"} else ""
    meaning = meant(each["what"]) if each["source"] == "vendor" else ""
    what = plain(f"{kind}{said_in_words(each['what'])}{meaning}", LOUD.get(each["kind"], ""))
    return line(plain(time, "dim"), "  ", source, f"{mark} ", what, plain(f"{branch}{_about(each)}", "dim"))


def _about(each: Json) -> str:
    # A booking names itself; of all else there may be several, told apart by the end of their ids.
    return "" if each["source"] == "booking" else f"  …{each['about'][-6:]}"


def _milliseconds(instant: str) -> str:
    digits = instant[20:].rstrip("Z").partition("+")[0] if instant[19:20] == "." else ""
    return f"{digits[:3]:0<3}"
