"""Whether simulated doors and their fleet have the same time; a vendor refuses calls of another date."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from rich.text import Text

from infra.cli.address import PORT, FleetAddress
from infra.cli.answer import line, plain, span
from infra.cli.sim.simulator import Simulator
from infra.local.sample.account import simulator_port

TOLERATED_SECONDS: Final = 30.0


def at_odds(at: Simulator, clock: Mapping[str, Any]) -> Iterator[Text]:
    """Go through what is wrong with a simulator's clock beside that of its home's fleet."""
    seconds = apart(at, clock)
    if seconds is not None:
        yield line(plain(f"The fleet's clock is {said(-seconds)} this one", "bold yellow"), f": {remedy(at)}")


def apart(at: Simulator, clock: Mapping[str, Any]) -> float | None:
    """Return by how many seconds the doors are ahead of their fleet; None where the two agree."""
    from infra.local.home_clock import HomeClock

    if not FleetAddress(at.home).has_database():  # doors without a fleet agree with themselves
        return None
    seconds = (datetime.fromisoformat(clock["now"]) - HomeClock.of(at.home).now()).total_seconds()
    return seconds if abs(seconds) > TOLERATED_SECONDS else None


def said(seconds: float) -> str:
    """Return how far and on which side one clock is of another."""
    return f"{span(seconds)} {'ahead of' if seconds > 0 else 'behind'}"


def remedy(at: Simulator) -> str:
    """Return what makes the two agree again."""
    # A simulator on a port of its own choosing is named beside its fleet, whose port nobody knows here.
    fleet = FleetAddress(at.home, at.port - simulator_port(PORT) + PORT)
    return f"the vendor refuses its calls; keyfleet clock --by 0s{fleet.flags} sets the doors by the fleet"
