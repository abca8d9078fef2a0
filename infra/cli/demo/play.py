"""The command: the story told as it happens, scene by scene, then the timeline, and a verdict."""

import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.cloud import Cloud, PlatformChoice, emulators_kept, emulators_named
from infra.cli.control import ControlPlane
from infra.cli.demo.claim import Claim
from infra.cli.demo.doors import Doors
from infra.cli.demo.front_desk import FrontDesk
from infra.cli.demo.guest import Guest
from infra.cli.demo.process import LAST_WORDS, fleet_process, vendor_process
from infra.cli.demo.scene import played
from infra.cli.demo.scenes import SCENES
from infra.cli.demo.stage import Json, Stage
from infra.cli.demo.stay import TENANT, Stay
from infra.cli.listening import free_port_above
from infra.cli.polling import Patience
from infra.cli.problems import Failed, Problem
from infra.cli.sim.simulator import Simulator
from infra.cli.sim.with_catchers import OUTBOX_PORT, catchers_beside
from infra.cli.timeline import said

STAY: Final = "rsv_demo"
CONSOLE: Final = "backoffice-console"
PORTS_FROM, PORTS = 20000, 10000
"""Below the ports that systems lend to outgoing calls, which could take one before we listen on it."""
APART: Final = 6
"""So many ports lie between the first of two demos that were started one after the other."""
Week = Annotated[bool, typer.Option("--week", help="Play a week of a small hotel instead, in seconds.")]
Mixed = Annotated[bool, typer.Option("--mixed", help="With --week: one stay in wings of several vendors.")]
COUNTED: Final = {
    "deliveries": "deliveries",
    "kills": "kill -9",
    "attempts": "attempts at the vendor",
    "keys": "key",
    "locks": "locks",
    "events": "events",
}


def demo(week: Week = False, mixed: Mixed = False, platform: PlatformChoice = Cloud.EMBEDDED) -> Telling:
    """Book a stay and check out again, through an outage, a hundred duplicates and two kill -9, for real."""
    if mixed:
        from infra.cli.demo.week_mixed import mixed_week  # as below

        return (yield from mixed_week())
    if week:
        from infra.cli.demo.week import week as play_week  # a fleet on one thread: another demo's alone

        return (yield from play_week())
    # Told to stop, or left alone by its terminal, the demo must not leave a process behind.
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    with emulators_named(FleetAddress(), platform), emulators_kept(platform):
        return (yield from _a_bad_day(platform))


def _a_bad_day(platform: Cloud) -> Telling:
    patience = Patience()
    began, claims = patience.seconds(), list[Claim]()
    with staged(patience, platform) as stage:
        yield line(
            plain("keyfleet demo", "bold"), ": a booking becomes a key and is taken back, on this machine."
        )
        for part in played(SCENES, stage):
            yield part.said()
            if isinstance(part, Claim):
                claims.append(part)
        timeline = _timeline(stage)
        yield from _retold(timeline)
        last_words = stage.fleet.words[-LAST_WORDS:]
    return _verdict(claims, stage, timeline, round(patience.seconds() - began, 3), last_words)


@contextmanager
def staged(patience: Patience, platform: Cloud = Cloud.EMBEDDED) -> Iterator[Stage]:
    """Set the stage in a folder of its own: the vendor and the fleet are there, and not started."""
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="keyfleet-demo-")))
        at = FleetAddress(folder / "home", _port_above(PORTS_FROM + APART * os.getpid() % PORTS))
        simulator = Simulator(at.home, _port_above(at.port))
        simulator.token()
        vendor = vendor_process(simulator, folder / "vendor.log", patience)
        undo.callback(vendor.stop)
        outbox = _port_above(simulator.port)
        undo.enter_context(catchers_beside(at.home, outbox))
        undo.enter_context(_environment(OUTBOX_PORT, str(outbox)))
        fleet = fleet_process(at, simulator, folder / "fleet.log", patience, platform)
        undo.callback(fleet.stop)
        stay = Stay(STAY, patience.clock.now().replace(microsecond=0))
        guest = Guest(at.home, outbox)
        desk = FrontDesk(at, folder / "desk", patience, undo)
        control, doors = ControlPlane(at), Doors(simulator)
        yield Stage(fleet, vendor, control, doors, patience, stay, guest, at.home, desk, platform)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Say something to every process that is started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _port_above(taken: int) -> int:
    port = free_port_above(FleetAddress(port=taken))
    if port is None:
        raise Failed(f"no port near {taken} is free", "run the demo again")
    return port


def _timeline(stage: Stage) -> list[Json]:
    try:
        return stage.timeline()
    except Problem:
        return []


def _retold(timeline: Sequence[Json]) -> Iterator[Text]:
    if timeline:
        yield line("\n", plain("The stay, as it happened", "bold"))
        yield line(f"What keyfleet timeline {STAY} would show, without the names of the sagas' steps.")
        yield from said([each for each in timeline if (each["source"], each["kind"]) != ("saga", "step")])


def _verdict(
    claims: list[Claim], stage: Stage, timeline: list[Json], seconds: float, last_words: str
) -> Answer:
    wanted = [act.name for scene in SCENES for act in scene.acts]
    held = [claim.name for claim in claims if claim.held] == wanted
    facts = {
        "held": held,
        "seconds": seconds,
        "claims": [claim.described() for claim in claims],
        "counts": dict(stage.counts),
        "timeline": timeline,
    }
    if held:
        return Answer(facts, _success(len(wanted), stage, seconds))
    unproven = f"✗ {claims[-1].text} It was not so" if claims else "✗ Nothing was proven"
    text = line("\n", plain(unproven, "bold red"), f", after {seconds:.1f} s.")
    return Answer(facts, (text,), 1, complaints=(f"The fleet's last words were:\n{last_words.strip()}",))


def _success(claims: int, stage: Stage, seconds: float) -> tuple[Text, ...]:
    counts = ", ".join(f"{stage.counts[name]} {what}" for name, what in COUNTED.items())
    return (
        line("\n", plain(f"✓ All {claims} claims hold", "bold green"), f", after {seconds:.1f} s: {counts}."),
        line("Keep one running: keyfleet up --sample --simulators, then keyfleet --help."),
        line(f"Its console: {FleetAddress().base_url}/{CONSOLE}, by keyfleet console --tenant {TENANT}."),
    )
