"""What is plugged in: devices by USB identity, wherever the system puts them this time.

A port's name changes with every unplugging, and on Windows its number stays dead; what stays is the
vendor, the product and the serial number. Many cheap adapters have no serial number: those are known by
the socket they are in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from edge_agent.hardware.errors import LinkLost


class Transport(Enum):
    """How an encoder is reached."""

    SERIAL = "usb_serial"
    HID = "usb_hid"


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """Which device it is: the same after unplugging, on whatever port."""

    vendor: int
    product: int
    serial: str = ""
    socket: str = ""

    def __str__(self) -> str:
        return f"{self.vendor:04x}:{self.product:04x}" + f" {self.serial or self.socket}".rstrip()

    def is_of(self, other: "UsbIdentity") -> bool:
        """Say whether another sighting is this device."""
        if (self.vendor, self.product) != (other.vendor, other.product):
            return False
        return self.serial == other.serial if self.serial else self.socket in ("", other.socket)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A device that is plugged in now, and where the system put it."""

    identity: UsbIdentity
    transport: Transport
    path: str
    product: str = ""


Look = Callable[[], Iterable[Sighting]]
"""Whoever can see what is plugged in."""


class _Port(Protocol):
    device: str
    vid: int | None
    pid: int | None
    serial_number: str | None
    location: str | None
    product: str | None


def serial_ports() -> list[Sighting]:
    """Return the serial ports of USB devices that are plugged in."""
    from serial.tools import list_ports

    return seen_ports(list_ports.comports())


def seen_ports(ports: Iterable[_Port]) -> list[Sighting]:
    """Return ports that have a USB identity; a port of the mainboard has none."""
    return [
        Sighting(
            UsbIdentity(port.vid, port.pid, port.serial_number or "", port.location or ""),
            Transport.SERIAL,
            port.device,
            port.product or "",
        )
        for port in ports
        if port.vid is not None and port.pid is not None
    ]


def hid_devices() -> list[Sighting]:
    """Return the HID devices that are plugged in."""
    from edge_agent.hardware.hid_reports.device import enumerated

    return [
        Sighting(
            UsbIdentity(row["vendor_id"], row["product_id"], row.get("serial_number") or ""),
            Transport.HID,
            row["path"].decode(),
            row.get("product_string") or "",
        )
        for row in enumerated()
    ]


def find(wanted: UsbIdentity, transport: Transport, look: Look) -> Sighting:
    """Return where a device is now; raise LinkLost where it is not, or where two could be it."""
    found = [seen for seen in look() if seen.transport is transport and wanted.is_of(seen.identity)]
    if not found:
        raise LinkLost(f"{wanted} is not plugged in")
    if len({seen.path for seen in found}) > 1:
        raise LinkLost(f"{len(found)} devices are {wanted}: unplug one, or name its socket")
    return found[0]


KNOWN_ADAPTERS: Final = {
    (0x0403, 0x6001): "FTDI FT232",
    (0x1A86, 0x7523): "WCH CH340",
    (0x10C4, 0xEA60): "Silicon Labs CP210x",
    (0x067B, 0x2303): "Prolific PL2303",
}
"""Serial adapters that encoders sit behind: they do not tell which, so a clerk names the model once."""
