"""This machine: where the agent's files are, its keychain, and the encoders that somebody named."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from edge_agent.hardware.encoders.encoder import DeskOfEncoders
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.shelf import EncoderShelf, everything_plugged_in
from edge_agent.hardware.encoders.usb import Sighting, UsbIdentity
from edge_agent.hardware.link import ByteLink
from edge_agent.hardware.property_systems.card_system import SYSTEMS, CardSystem
from edge_agent.hardware.radio import Radio
from edge_agent.hardware.serial_link import open_serial
from edge_agent.hardware.tcp_link import open_tcp
from edge_agent.pairing.device_keys import held_keys
from edge_agent.pairing.identity import DeskIdentity
from edge_agent.pairing.keychain import Keychain, open_keychain
from edge_agent.pairing.pair import Machine
from shared.kernel.ambient import SystemEntropy
from shared.ports.ambient import Clock

HOME: Final = Path.home() / ".keyfleet-edge"
SYSTEM_BAUD: Final = 9600
"""Lock systems on serial lines are older than fast ones."""
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


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A lock system as it was named: its dialect, where its line leads, which of its encoders is ours."""

    dialect: str
    place: str
    encoder: str

    @classmethod
    def of(cls, text: str) -> "NamedSystem":
        """Read `space=10.0.0.5:9100#desk`, or `kaba=/dev/ttyS0#1`."""
        dialect, _, rest = text.partition("=")
        place, _, encoder = rest.rpartition("#")
        _, _, port = place.rpartition(":")
        if dialect not in SYSTEMS or not encoder or not (place.startswith("/") or port.isdecimal()):
            known = ", ".join(SYSTEMS)
            raise EncoderUnclear(
                f"{text!r}: write DIALECT=HOST:PORT#ENCODER or DIALECT=/dev/PORT#ENCODER, of {known}"
            )
        return cls(dialect, place, encoder)

    def opened(self, clock: Clock) -> CardSystem:
        """Return the system; its line is opened when it is asked."""
        return SYSTEMS[self.dialect](self._connect, self.encoder, clock, self.place.startswith("/"))

    async def _connect(self) -> ByteLink:
        if self.place.startswith("/"):
            return await open_serial(self.place, SYSTEM_BAUD)
        host, _, port = self.place.rpartition(":")
        return await open_tcp(host, int(port))


def this_machine(home: Path) -> Machine:
    """Return this machine with its keychain tried out, or raise KeychainUnsafe."""
    entropy = SystemEntropy()
    return Machine(home, open_keychain(sys.platform, os.environ.get(CREDENTIALS), entropy), entropy)


def radio_of(identity: DeskIdentity, keychain: Keychain, clock: Clock) -> Radio:
    """Return this machine's Bluetooth; locks show the time of the hotel's wall."""
    return Radio(clock, ZoneInfo(identity.zone), held_keys(keychain).signing)


def shelf_of(named: Iterable[NamedEncoder], desk: DeskOfEncoders) -> EncoderShelf:
    """Return the encoders of the desk, wherever they are plugged in."""
    known = list(named)

    def look() -> list[Sighting]:
        ports = [seen for each in known for seen in each.seen()]
        by_usb = any(each.port is None for each in known)
        return [*ports, *(everything_plugged_in() if by_usb else [])]

    return EncoderShelf((each.setup for each in known), desk, look)
