"""`keyfleet up`: the embedded fleet in the foreground."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from textwrap import wrap
from typing import Annotated, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.cloud import Cloud, PlatformChoice, emulators_named, opener_of
from infra.cli.command import Announce, SimulatorPort
from infra.cli.listening import OURS, free_port_above, listens, who_listens
from infra.cli.losses import Loss, accepted_losses, losses_file, told_of
from infra.cli.polling import Patience
from infra.cli.problems import Failed, parted
from infra.cli.sim.simulator import Simulator, simulator_at
from infra.cli.sim.with_catchers import OUTBOX_PORT, catchers_beside, outbox_address, outbox_port
from infra.cli.sim.with_simulator import simulator_beside
from infra.local.ambient import keep_memory_private

WIDTH: Final = 66
"""Of a list of names, beside its head."""
AcceptLoss = Annotated[
    bool,
    typer.Option(
        "--accept-loss",
        help="Go on although the database is damaged, with what can still be read of it, which may be "
        "nothing: then no tenant, booking or key is known. What was found is kept.",
    ),
]
Sample = Annotated[
    bool,
    typer.Option("--sample", help="Move the sample hotel in, with its account at the simulator."),
]
CardHotel = Annotated[
    bool,
    typer.Option("--card-hotel", help="Add a second house to the sample, whose desk writes key cards."),
]
Wings = Annotated[
    bool,
    typer.Option("--wings", help="Add a wing of each other vendor's locks to the sample hotel."),
]
CellName = Annotated[
    str,
    typer.Option(
        "--cell",
        envvar="KEYFLEET_CELL",
        help="This cell's name, the same each time: only companies that are pinned to it are worked for.",
    ),
]
Simulators = Annotated[
    bool,
    typer.Option("--simulators", help="Simulate the sample hotel's doors too, for as long as this runs."),
]


def up(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    announce: Announce,
    accept_loss: AcceptLoss = False,
    sample: Sample = False,
    simulators: Simulators = False,
    sim_port: SimulatorPort = None,
    card_hotel: CardHotel = False,
    wings: Wings = False,
    platform: PlatformChoice = Cloud.EMBEDDED,
    cell: CellName = "local",
) -> None:
    """Run the fleet here, in the foreground, until Ctrl-C or SIGTERM; its log goes to stderr."""
    from infra.local.server import serve
    from infra.local.world import FleetConfig

    keep_memory_private()
    with _failures_named(at), emulators_named(at, platform):
        _refuse_taken_port(at)
        doors, new = simulator_at(at, sim_port) if simulators else None, not at.has_database()
        config = FleetConfig(
            at.home,
            at.port,
            cell=cell,
            accept_loss=accept_loss,
            sample=sample,
            card_hotel=card_hotel,
            wings=wings,
            simulator_port=sim_port,
            doors_anew=simulators and not new,
            outbox_port=_outbox_port(doors),
        )
        known, others = len(accepted_losses(at.home)), config.wing_addresses if wings and doors else {}
        with _simulated(doors), _simulated_wings(at, others), _caught(at, doors):

            def ready() -> None:
                losses = accepted_losses(at.home)[known:]
                announce(_ready(at, doors, others, losses, new=new, empty=new and not sample))

            serve(config, ready=ready, opened=opener_of(platform))


def _simulated(doors: Simulator | None) -> AbstractContextManager[None]:
    return nullcontext() if doors is None else simulator_beside(doors, Patience())


@contextmanager
def _simulated_wings(at: FleetAddress, addresses: Mapping[str, str]) -> Iterator[None]:
    """Simulate the other vendors' doors, each on a port of its own."""
    with ExitStack() as running:
        for vendor, address in addresses.items():
            beside = Simulator(at.home, int(address.rpartition(":")[2]))
            running.enter_context(simulator_beside(beside, Patience(), vendor))
        yield


def _outbox_port(doors: Simulator | None) -> int | None:
    """Return where messages to guests are caught: beside the doors, or where somebody does already."""
    given = os.environ.get(OUTBOX_PORT, "")
    return outbox_port(doors.port) if doors else int(given) if given.isdecimal() else None


def _caught(at: FleetAddress, doors: Simulator | None) -> AbstractContextManager[None]:
    return nullcontext() if doors is None else catchers_beside(at.home, outbox_port(doors.port))


def _refuse_taken_port(at: FleetAddress) -> None:
    if listens(at):
        raise port_taken(at)


def port_taken(at: FleetAddress) -> Failed:
    """Return the problem of a port that another has."""
    who = who_listens(at)
    return Failed(f"port {at.port} is in use by {who}", _way_past(at, ours=who == OURS))


def _way_past(at: FleetAddress, *, ours: bool) -> str:
    if ours:
        return f"look at it with keyfleet status{at.flags}, or stop it where it runs and start it again"
    if at.is_open():
        return f"{at.home} is open in a fleet on another port: name that with --port or KEYFLEET_PORT"
    free = free_port_above(at)
    if free is None:
        return "choose another port with --port or KEYFLEET_PORT"
    return f"take another port, such as keyfleet up{FleetAddress(at.home, free).flags}"


@contextmanager
def _failures_named(at: FleetAddress) -> Iterator[None]:
    from infra.local.keyfile import KeyFileRefused
    from infra.local.server import PortInUse
    from infra.local.storage.database import Damaged, InUse, Newer
    from infra.local.workflows.errors import WorkflowRefused
    from infra.manifest.load import ManifestRefused
    from shared.ports.documents import StorageFull

    try:
        yield
    except (StorageFull, Newer) as refusal:
        raise Failed(*parted(str(refusal))) from None
    except PortInUse:
        raise port_taken(at) from None
    except InUse:
        raise _home_taken(at) from None
    except Damaged as damage:
        raise damaged(at, damage.finding) from None
    except KeyFileRefused as refusal:
        raise _unfit_key(at, str(refusal)) from None
    except (ManifestRefused, WorkflowRefused) as refusal:
        raise Failed(str(refusal)) from None
    except OSError as error:
        raise Failed(
            f"cannot use {at.home}: {error.strerror}", "name a folder of yours with --home or KEYFLEET_HOME"
        ) from None


def _home_taken(at: FleetAddress) -> Failed:
    return Failed(
        f"another fleet has the database in {at.home} open",
        "use that one, by its own port: --port or KEYFLEET_PORT; "
        "or stop it; or give this one a folder of its own with --home or KEYFLEET_HOME",
    )


def _unfit_key(at: FleetAddress, refusal: str) -> Failed:
    # The key file knows neither the home nor the port; doctor looks at the same files, and knows both.
    from infra.cli.doctor.finding import Verdict
    from infra.cli.doctor.keys import check_keys

    found = check_keys(at)
    known = found.verdict is Verdict.FAILED
    return Failed(found.detail, found.remedy) if known else Failed(*parted(refusal))


def damaged(at: FleetAddress, finding: str) -> Failed:
    """Return the problem of a database that is not what was acknowledged."""
    return Failed(
        finding,
        f"restore the last backup into {at.home}; or accept the loss with "
        f"`keyfleet up --accept-loss{at.flags}`, which compares every lock with what is left",
    )


def _ready(
    at: FleetAddress,
    doors: Simulator | None,
    wings: Mapping[str, str],
    losses: list[Loss],
    *,
    new: bool,
    empty: bool,
) -> Answer:
    from infra.local.sample.load import sample_vendor
    from infra.manifest.load import load_manifest

    manifest, home = load_manifest(), str(at.home.absolute())
    names, topics = list(manifest.functions), list(manifest.topics())
    said = (
        line(plain("The fleet is up", "bold green"), " at ", plain(at.base_url, "bold")),
        line("  kept in    ", home, plain(", where no fleet was before", "yellow") if new else ""),
        *_told(at, losses),
        *_listed("functions", names),
        *_listed("topics", topics),
        line(f"  look       keyfleet status{at.flags}"),
        *(line(f"  wing       {vendor} at {address}") for vendor, address in wings.items()),
        *([_beside(doors, new=new), _outbox(at, doors), *_tried(at, empty=empty)] if doors else ()),
        line("  stop       Ctrl-C: whatever is under way goes on at the next start"),
    )
    simulators = {sample_vendor(): doors.base_url, **wings} if doors else {}
    facts = {"base_url": at.base_url, "home": home, "new": new, "functions": names, "topics": topics}
    return Answer({**facts, "simulators": simulators, "losses": losses}, said)


def _listed(head: str, names: Sequence[str]) -> Iterator[Text]:
    rows = wrap(", ".join(names), WIDTH, break_long_words=False, break_on_hyphens=False)
    for first, row in zip((head, *("" for _ in rows[1:])), rows, strict=True):
        yield line(f"  {first:<11}{row}")


def _beside(doors: Simulator, *, new: bool) -> Text:
    anew = "" if new else ", which start empty: the keys that belong there are placed again in a minute"
    return line(f"  doors      keyfleet sim locks{doors.flags}", plain(anew, "yellow"))


def _outbox(at: FleetAddress, doors: Simulator) -> Text:
    return line(f"  messages   {outbox_address(at.home, outbox_port(doors.port))}")


def _tried(at: FleetAddress, *, empty: bool) -> Iterator[Text]:
    """Name the sample hotel as events do, and what makes a first key there; or what brings a hotel in."""
    from infra.local.sample.load import read_sample

    if empty:
        yield line(f"  try        keyfleet hotel import FILE{at.flags}: nobody has these doors yet")
        return
    hotel = read_sample()
    rooms = ", ".join(room.id for room in hotel.rooms)
    yield line(f"  hotel      {hotel.property.id} of {hotel.tenant.id}, rooms {rooms}")
    yield line(f"  try        keyfleet trigger stay.booked{at.flags}, then keyfleet timeline of its booking")


def _told(at: FleetAddress, losses: list[Loss]) -> Iterator[Text]:
    for loss in losses:
        yield line(plain(f"  lost       {told_of(loss)}", "bold red"))
        yield line(f"             see keyfleet finding list{at.flags}, then delete {losses_file(at.home)}")
