"""`keyfleet-edge`: pair this machine, run its agent, see how it stands, find out what is wrong with it."""

import asyncio
import json
import sys
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from edge_agent.agent.machine import HOME, EncoderUnclear, NamedEncoder, NamedSystem, this_machine
from edge_agent.agent.serve import ADDRESS, Serving, serve
from edge_agent.cloud.line import CloudRefused, CloudSilent, Introducing
from edge_agent.ledger.errors import LedgerError
from edge_agent.ledger.ledger import DeskLedger
from edge_agent.pairing.identity import DeskIdentity, NotPaired
from edge_agent.pairing.keychain import KeychainUnsafe
from edge_agent.pairing.pair import CERTIFICATE, pair, wipe
from edge_agent.release.manifest import ReleaseRefused
from edge_agent.release.shelf import ReleaseShelf
from edge_agent.release.update import ReleaseSource, update
from shared.domain.errors import InvalidInput
from shared.kernel.ambient import SystemClock
from shared.offline.arrivals import ArrivalsPack
from shared.offline.certificate import OfflineCertificate, why_not
from shared.offline.signing import SignedRefused
from shared.vendor_kit.http import HttpClient, checked_address

TROUBLES: Final = (
    CloudRefused,
    CloudSilent,
    EncoderUnclear,
    InvalidInput,
    KeychainUnsafe,
    LedgerError,
    NotPaired,
    HTTPException,
    OSError,
    ReleaseRefused,
    SignedRefused,
)
OF_THIS_MACHINE: Final = (EncoderUnclear, KeychainUnsafe, NotPaired)
UNSET: Final = 78
"""By this its service knows that no other release of the agent would fare better."""
Finding = tuple[str, str]
RELEASES: Final = Path("/var/lib/keyfleet-releases")
Releases = Annotated[Path, typer.Option(help="Where the machine's releases are.")]
Home = Annotated[Path, typer.Option(help="Where this desk keeps its ledger.")]

app = typer.Typer(name="keyfleet-edge", no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def keyfleet_edge() -> None:
    """Work at a hotel's front desk, with the network and without it."""


@app.command("pair")
def pair_desk(
    code: Annotated[str, typer.Argument(help="What keyfleet desk invite printed.")],
    cloud: Annotated[str, typer.Option(help="Where the cloud is, as it was printed with the code.")],
    tenant: Annotated[str, typer.Option(help="Whose hotel it is.")],
    home: Home = HOME,
) -> None:
    """Make a desk of this machine, with a code that is good for ten minutes."""

    async def pairing() -> DeskIdentity:
        base, _, rest = cloud.partition("/edge-gateway")
        http = HttpClient(2)
        try:
            address = checked_address(base) + ("/edge-gateway" if "/edge-gateway" in cloud else "") + rest
            return await pair(this_machine(home), Introducing(http, address), tenant, code)
        finally:
            await http.close()

    identity = asyncio.run(pairing())
    print(f"This machine is {identity.device}, {identity.name} of {identity.property}.")
    print("Begin with: keyfleet-edge run --encoder NAME=MODEL@VENDOR:PRODUCT")


@app.command("run")
def run_desk(
    encoder: Annotated[
        list[str] | None, typer.Option(help="NAME=MODEL@VENDOR:PRODUCT; more than once.")
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option(help="DIALECT=HOST:PORT#ENCODER, or DIALECT=/dev/PORT#ENCODER.")
    ] = None,
    port: Annotated[int, typer.Option(help="The console's port; 0 takes a free one.")] = 0,
    automatic: Annotated[
        bool, typer.Option(help="Write the only open card on what is laid down, without a clerk.")
    ] = False,
    radio: Annotated[bool, typer.Option(help="Speak to locks in Bluetooth's reach.")] = False,
    home: Home = HOME,
) -> None:
    """Run the desk's agent until it is stopped."""
    named = [NamedEncoder.of(each) for each in encoder or ()]
    systems = [NamedSystem.of(each) for each in system or ()]
    asyncio.run(serve(this_machine(home), Serving(named, port, automatic, systems, radio)))


@app.command("status")
def show_status(home: Home = HOME) -> None:
    """Say how the running agent stands; 1 if it does not run, or is out of touch."""
    told = _told_by_the_agent(home)
    if told is None:
        print("The agent does not run: keyfleet-edge run")
        raise typer.Exit(1)
    print(json.dumps(told, indent=1))
    raise typer.Exit(int(not told["online"]))


@app.command("doctor")
def examine(home: Home = HOME) -> None:
    """Look for what is wrong with this desk; 1 if anything is."""
    found = list(_findings(home))
    for problem, remedy in found:
        print(f"✗ {problem}: {remedy}")
    if not found:
        print("✓ Nothing is wrong with this desk.")
    raise typer.Exit(int(bool(found)))


@app.command("wipe")
def forget(
    sure: Annotated[bool, typer.Option("--yes", help="Nothing that this desk did alone is needed any more.")],
    home: Home = HOME,
) -> None:
    """Forget that this machine was a desk; what the cloud has not heard is lost."""
    if not sure:
        raise typer.Exit(2)
    wipe(this_machine(home))
    print("This machine is no desk any more.")


@app.command("version")
def say_version() -> None:
    """Say which release of the agent this is."""
    print(version("keyfleet"))


@app.command("update")
def take_release(
    source: Annotated[str, typer.Option(help="The address beside which releases are offered.")],
    maker: Annotated[list[str], typer.Option(help="A public key of whoever makes releases, in hex.")],
    releases: Releases = RELEASES,
) -> None:
    """Take the release that is offered, if it is newer and proved; the service starts it by itself."""
    taken = update(ReleaseSource.at(source, maker), ReleaseShelf(releases), SystemClock().now())
    print("Nothing is newer." if taken is None else f"Release {taken.version} is in place.")


@app.command("back")
def take_back(releases: Releases = RELEASES) -> None:
    """Go back to the release before, and never take the present one again."""
    print(f"Release {ReleaseShelf(releases).back()} is current again.")


def _findings(home: Path) -> Iterator[Finding]:
    """Yield what is wrong, with what to do about it."""
    told = _told_by_the_agent(home)
    if told is not None:
        yield from _of_the_agent(told)
        return
    try:
        machine = this_machine(home)
        ledger = machine.open_ledger()
    except (KeychainUnsafe, LedgerError) as error:
        yield type(error).__name__, str(error)
        return
    try:
        yield from _of_the_ledger(ledger)
    finally:
        ledger.close()
    yield "the agent does not run", "keyfleet-edge run, or start its service"


def _of_the_agent(told: dict[str, Any]) -> Iterator[Finding]:
    if not told["online"]:
        yield "the cloud is out of reach", f"look at the network ({told['problem']})"
    if told["clock_untrue"]:
        yield "this machine's clock is wrong", "set it, or nothing can be made alone"
    if not told["arrivals_good"]:
        yield "the arrivals are too old", "bring the desk online, or no key can be made alone"
    if not told["encoders"] and not told["systems"]:
        yield "no encoder is named", "run with --encoder NAME=MODEL@VENDOR:PRODUCT"
    for name in (name for name, plugged in told["encoders"].items() if not plugged):
        yield f"encoder {name} is not plugged in", "seat its plug again"


def _of_the_ledger(ledger: DeskLedger) -> Iterator[Finding]:
    try:
        ledger.verify()
        identity = DeskIdentity.in_ledger(ledger)
        certificate = OfflineCertificate.open(
            (ledger.settings.get(CERTIFICATE) or "").encode(), identity.certificates
        )
        pack = ArrivalsPack.open((ledger.settings.get("arrivals") or "").encode(), identity.arrivals)
    except NotPaired as error:
        yield "not paired", str(error)
        return
    except SignedRefused:
        yield "certificate or arrivals are missing", "bring the desk online once"
        return
    except LedgerError as error:
        yield "the ledger's chain is broken", str(error)
        return
    now = SystemClock().now()
    reason = why_not(certificate, pack.revoked, certificate.device_key, now)
    if reason is not None:
        yield f"the certificate is {reason}", "bring the desk online, or pair it anew"
    if not pack.fresh(now):
        yield "the arrivals are too old", "bring the desk online, or no key can be made alone"


def _told_by_the_agent(home: Path) -> dict[str, Any] | None:
    try:
        port = int(json.loads((home / ADDRESS).read_text())["port"])
        address = f"http://127.0.0.1:{port}/status"
        with urllib.request.urlopen(address, timeout=3) as answer:
            told: dict[str, Any] = json.load(answer)
            return told
    except (OSError, ValueError, KeyError):
        return None


def main() -> None:
    """Run the command; what can be told is a line, and ends with 1, or 78 where it needs a person."""
    try:
        app()
    except TROUBLES as trouble:
        sys.stderr.write(f"✗ {str(trouble) or type(trouble).__name__}\n")
        sys.exit(UNSET if isinstance(trouble, OF_THIS_MACHINE) else 1)
