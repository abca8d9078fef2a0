"""`keyfleet sim run VENDOR`: a simulator in the foreground, with the sample hotel's doors."""

import signal
from typing import Annotated, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.command import Announce
from infra.cli.listening import listens
from infra.cli.problems import Failed, Refused
from infra.cli.sim.simulator import Simulator
from infra.simulators.registry import simulated_vendor, simulated_vendors

VENDORS: Final = simulated_vendors()
Vendor = Annotated[str, typer.Argument(help=f"Whose locks: {', '.join(VENDORS)}.")]
Seed = Annotated[int, typer.Option(help="The same seed and the same calls give the same run.")]


def run(at: Simulator, announce: Announce, vendor: Vendor, seed: Seed = 0) -> None:
    """Simulate a vendor and its doors here, in the foreground, until Ctrl-C or SIGTERM."""
    if vendor not in VENDORS:
        raise Refused(f"no simulator of {vendor[:64]!r}", f"name one of: {', '.join(VENDORS)}")
    refuse_taken_port(at, "--port")
    at.token()
    announce(_beginning(at, vendor))
    play(at, vendor, seed)


def play(at: Simulator, vendor: str, seed: int = 0) -> None:
    """Play a vendor until told to stop."""
    from infra.local.home_clock import HomeClock
    from infra.simulators.kit.serve import serve

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ahead = HomeClock.of(at.home).ahead.total_seconds()
    options = ["--port", str(at.port), "--seed", str(seed), "--control-token", at.token()]
    options += ["--ahead", str(ahead)]
    try:
        serve(simulated_vendor(vendor), vendor, options)
    except KeyboardInterrupt:
        return


def refuse_taken_port(at: Simulator, option: str) -> None:
    """Stop before anything is made, if somebody else has the port; `option` is where another is named."""
    if listens(FleetAddress(at.home, at.port)):
        raise Failed(
            f"port {at.port}, where the simulator would listen, is in use",
            f"stop what uses it, or choose another with {option} or KEYFLEET_SIM_PORT",
        )


def _beginning(at: Simulator, vendor: str) -> Answer:
    facts = {"vendor": vendor, "base_url": at.base_url, "home": str(at.home.absolute())}
    said = (
        line(plain(f"Simulating {vendor}", "bold green"), " at ", plain(at.base_url, "bold")),
        line(f"  look  keyfleet sim locks{at.flags}"),
        line("  stop  Ctrl-C: the doors forget everything"),
    )
    return Answer(facts, said)
