"""This machine: where the agent's files are, its keychain, and the encoders that somebody named."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.hardware.encoders.encoder import DeskOfEncoders
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.shelf import EncoderShelf, everything_plugged_in
from edge_agent.hardware.encoders.usb import Sighting, UsbIdentity
from edge_agent.pairing.keychain import open_keychain
from edge_agent.pairing.pair import Machine
from shared.kernel.ambient import SystemEntropy

HOME: Final = Path.home() / ".keyfleet-edge"
CREDENTIALS: Final = "CREDENTIALS_DIRECTORY"
"""Set by systemd, where it decrypts our keys for us."""


class EncoderUnclear(ValueError):
    """An encoder that is named in no form of ours; the message says which forms there are."""


@dataclass(frozen=True, slots=True)
class NamedEncoder:
    """An encoder as it was named: by its USB identity, or by a port that is always its own."""

    setup: EncoderSetup
    port: Path | None

    @classmethod
    def of(cls, text: str) -> "NamedEncoder":
        """Read `left=pn532_serial@0403:6001:A5`, or `left=pn532_serial@/dev/ttyS0`."""
        name, _, rest = text.partition("=")
        model, _, place = rest.partition("@")
        if not name or model not in MODELS or not place:
            known = ", ".join(MODELS)
            raise EncoderUnclear(
                f"{text!r}: write NAME=MODEL@VENDOR:PRODUCT[:SERIAL], the model one of {known}"
            )
        if place.startswith("/"):
            return cls(EncoderSetup(name, MODELS[model], UsbIdentity(0, 0, "", place)), Path(place))
        try:
            vendor, product, *serial = place.split(":")
            identity = UsbIdentity(int(vendor, 16), int(product, 16), ":".join(serial))
        except ValueError:
            raise EncoderUnclear(f"{text!r}: give vendor and product as four hex digits each") from None
        return cls(EncoderSetup(name, MODELS[model], identity), None)

    def seen(self) -> list[Sighting]:
        """Return where it is, if it was named by its port and that is there."""
        if self.port is None or not self.port.exists():
            return []
        return [Sighting(self.setup.identity, self.setup.model.transport, str(self.port))]


def this_machine(home: Path) -> Machine:
    """Return this machine with its keychain tried out, or raise KeychainUnsafe."""
    entropy = SystemEntropy()
    return Machine(home, open_keychain(sys.platform, os.environ.get(CREDENTIALS), entropy), entropy)


def shelf_of(named: Iterable[NamedEncoder], desk: DeskOfEncoders) -> EncoderShelf:
    """Return the encoders of the desk, wherever they are plugged in."""
    known = list(named)

    def look() -> list[Sighting]:
        ports = [seen for each in known for seen in each.seen()]
        by_usb = any(each.port is None for each in known)
        return [*ports, *(everything_plugged_in() if by_usb else [])]

    return EncoderShelf((each.setup for each in known), desk, look)
