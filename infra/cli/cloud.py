"""On which platform a fleet runs on this machine: the embedded cloud, or Google's emulators."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from infra.cli.address import FleetAddress
from infra.cli.problems import Failed

if TYPE_CHECKING:
    from infra.local.server import Opened


class Cloud(StrEnum):
    """What stands behind the ports."""

    EMBEDDED = "embedded"
    GOOGLE = "google"


PlatformChoice = Annotated[
    Cloud,
    typer.Option(
        "--platform", help="On what: this process alone, or Google's own emulators and Google's wire."
    ),
]


def opener_of(platform: Cloud) -> "Opened":
    """Return what opens a fleet on a platform."""
    if platform is Cloud.GOOGLE:
        from infra.emulated.fleet import open_emulated

        return open_emulated
    from infra.local.fleet import open_fleet

    return open_fleet


@contextmanager
def emulators_named(at: FleetAddress, platform: Cloud) -> Iterator[None]:
    """Tell what keeps Google's emulators from serving this home; the embedded cloud has none."""
    if platform is not Cloud.GOOGLE:
        yield
        return
    try:
        from infra.emulated.bus import EmulatorsForgot
        from infra.emulated.installed import NotInstalled, NotStarted
    except ImportError:
        raise Failed("Google's clients are not installed", "pip install 'keyfleet[google]'") from None
    try:
        yield
    except (NotInstalled, NotStarted) as problem:
        raise Failed(str(problem), "or leave --platform google out: the embedded cloud needs none") from None
    except EmulatorsForgot:
        raise Failed(
            f"the emulators that kept {at.home} have ended, and with them what they kept",
            "begin in a new folder with --home: they keep nothing on the disk",
        ) from None


@contextmanager
def emulators_kept(platform: Cloud) -> Iterator[None]:
    """Keep the emulators running meanwhile, whatever becomes of the fleets that use them."""
    with ExitStack() as stack:
        if platform is Cloud.GOOGLE:
            from infra.emulated.installed import addresses_of

            addresses_of(stack)
        yield
