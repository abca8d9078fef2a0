"""`keyfleet capacity`: a region's day, played by the virtual clock, beside what Google and vendors allow."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infra.cli.answer import Answer, line, plain, table

if TYPE_CHECKING:
    from infra.capacity.loads import Load
    from infra.capacity.sample_day import Played, Span

REGION = 10_000
ENOUGH = 2.0
Properties = Annotated[int, typer.Option(min=10, max=20_000, help="How large a region to play.")]
Houses = Annotated[
    int,
    typer.Option(
        min=0, max=100, help="Play so many properties' day with real code first, then twice as many."
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the run, for the page of capacity.")]


def capacity(properties: Properties = REGION, houses: Houses = 0, keep_run: Keep = False) -> Answer:
    """Play a region's day from what a few properties' really cost, and show what comes near its limits."""
    from infra.capacity.loads import linear, loads_of, operations
    from infra.capacity.profile import keep, kept
    from infra.capacity.region import a_day
    from infra.codegen.fleet_plan import fleet_plan

    profile = measured(houses) if houses else kept()
    day = a_day(profile, properties)
    if keep_run:
        keep({**profile, "day": asdict(day)})
    loads = loads_of(profile, day, fleet_plan(), properties)
    grown = [(what, f"{one:,}", f"{other:,}", f"{by:.3f}") for what, one, other, by in linear(profile)]
    done = [(what, f"{many:,.0f}", f"{second:,.0f}") for what, many, second in operations(day)]
    few, many = profile["houses"]
    facts: dict[str, Any] = {"properties": properties, "loads": [_fact(each) for each in loads]}
    return Answer(
        facts,
        (
            line(
                plain("Really played", "bold"),
                f": {few} and {many} properties",
            ),
            table(("of each run", "the small", "the large", "to the stays"), grown),
            line(plain(f"\nA region of {properties:,} properties", "bold"), " with 50 stays a day each"),
            table(("operation", "a day", "busiest second"), done),
            table(("what is limited", "load", "limit", "headroom", "how"), [_row(each) for each in loads]),
        ),
    )


def measured(houses: int) -> Mapping[str, Any]:
    """Play a day of so many properties, of twice as many, and of so many whose vendor is down for an hour."""
    from infra.capacity.profile import profile_of
    from infra.capacity.region import OUTAGE

    first, long = OUTAGE
    small, large = (_played(many) for many in (houses, 2 * houses))
    return profile_of(small, large, _played(houses, (first, first + long)))


def _played(houses: int, outage: "Span | None" = None) -> "Played":
    from infra.capacity.sample_day import played

    with tempfile.TemporaryDirectory(prefix="keyfleet-capacity-") as folder:
        return played(Path(folder) / "home", houses, outage=outage)


def _fact(each: "Load") -> dict[str, Any]:
    return {**asdict(each), "headroom": round(each.headroom, 2), "enough": each.headroom >= ENOUGH}


def _row(each: "Load") -> tuple[str, ...]:
    mark = "" if each.headroom >= ENOUGH else " !"
    return each.what, f"{each.load:,.1f}", f"{each.limit:,.0f}", f"{each.headroom:,.1f} ×{mark}", each.how
