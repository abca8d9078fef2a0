"""`keyfleet clock`: what time it is at the fleet and at its simulated doors; in a sandbox, moved for both."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain
from infra.cli.command import SimulatorPort
from infra.cli.control import ControlPlane
from infra.cli.problems import Refused, Unreachable
from infra.cli.sim.odds import apart, at_odds
from infra.cli.sim.simulator import simulator_at

UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DISTANCE: Final = re.compile(r"\+?([0-9]{1,7})([smhd])")
Json = Mapping[str, Any]
To = Annotated[
    str | None, typer.Option(help="Go on to this time, such as 2027-05-01T09:30:00Z; in UTC unless it says.")
]
By = Annotated[
    str | None, typer.Option(help="Go on by so long: 90s, 30m, 5h or 2d. By 0s, the doors follow.")
]


def clock(at: FleetAddress, to: To = None, by: By = None, sim_port: SimulatorPort = None) -> Answer:
    """Tell the fleet's time, or move it with its simulated doors: a sandbox's alone, and never back."""
    if to is not None and by is not None:
        raise Refused("--to and --by both say when it shall be", "pass one of them")
    control = ControlPlane(at)
    facts = control.get("clock")
    if to is not None or by is not None:
        now = datetime.fromisoformat(facts["now"])
        facts = control.post("clock", body={"seconds": _distance(to, by, now).total_seconds()})
    moved = to is not None or by is not None
    doors, said = _doors(at, sim_port, datetime.fromisoformat(facts["now"]), moved=moved)
    told = line("The fleet: ", plain(moment(facts["now"]), "bold"), f" UTC, {_hotels(facts)}")
    return Answer({**facts, "doors": doors}, (told, *said))


def _doors(
    at: FleetAddress, port: int | None, now: datetime, *, moved: bool
) -> tuple[Json | None, list[Text]]:
    doors = simulator_at(at, port)
    try:
        facts = doors.get("clock")
        if moved:
            step = (now - datetime.fromisoformat(facts["now"])).total_seconds()
            facts = doors.post("clock", {"advanceSeconds": step})
    except Unreachable:
        return None, [line(plain("No simulated doors answer beside it.", "dim"))]
    odds: Iterator[Text] = at_odds(doors, facts)
    agrees = apart(doors, facts) is None
    said = [line(f"The doors: {moment(facts['now'])} UTC")] if agrees else list(odds)
    return facts, said


def _hotels(facts: Json) -> str:
    from zoneinfo import ZoneInfo

    from infra.local.sample.load import read_sample

    if not facts["movable"]:
        return "as the machine's clock"
    zone = read_sample().property.zone
    there = datetime.fromisoformat(facts["now"]).astimezone(ZoneInfo(zone))
    return f"{there:%H:%M} in {zone}"


def _distance(to: str | None, by: str | None, now: datetime) -> timedelta:
    if by is not None:
        found = _DISTANCE.fullmatch(by)
        if found is None:
            raise Refused(f"--by: {by[:64]!r} is no distance", "write it as 90s, 30m, 5h or 2d")
        return timedelta(**{UNITS[found[2]]: int(found[1])})
    try:
        read = datetime.fromisoformat(to or "")
    except ValueError:
        raise Refused(f"--to: {str(to)[:64]!r} is no time", "write it as 2027-05-01T09:30:00Z") from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)) - now
