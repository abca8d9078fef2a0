"""The radio under a TTLock, by bleak: find it, connect, write in pieces of 20 bytes, hear notifications."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

from edge_agent.hardware.errors import LinkLost, LockNotHeard, NoAnswer
from edge_agent.hardware.ttlock.advertisement import advertisement, suffix_matches
from edge_agent.hardware.ttlock.frames import LockVersion

PIECE: Final = 20
LISTEN_SECONDS: Final = 60.0
"""The caller's deadline is what ends the search; this is for a caller who has none."""
_SHORT: Final = "0000{}-0000-1000-8000-00805f9b34fb"


@dataclass(frozen=True, slots=True)
class GattLayout:
    """Which service a lock speaks through, and its two characteristics."""

    service: str
    write: str
    notify: str


LAYOUTS: Final = (
    GattLayout(_SHORT.format("1910"), _SHORT.format("fff2"), _SHORT.format("fff4")),
    GattLayout(
        "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
        "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
        "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
    ),
)
"""The vendor's own, and the Nordic serial port that some of its locks have instead."""


class BleLink:
    """A connected lock."""

    def __init__(self, address: Any, version: LockVersion) -> None:
        self.version = version
        self._client = BleakClient(address, disconnected_callback=lambda _: self._gone())
        self._came: asyncio.Queue[bytes] = asyncio.Queue()
        self._lost = False
        self._layout = LAYOUTS[0]

    async def connect(self) -> None:
        """Connect and listen; the caller's deadline bounds it."""
        with _radio():
            await self._client.connect()
            self._layout = self._found()
            await self._client.start_notify(self._layout.notify, self._heard)

    async def send(self, data: bytes) -> None:
        """Write bytes, a packet's worth at a time."""
        for at in range(0, len(data), PIECE):
            with _radio():
                await self._client.write_gatt_char(self._layout.write, data[at : at + PIECE], response=False)

    async def receive(self) -> bytes:
        """Wait for a notification."""
        data = b"" if self._lost and self._came.empty() else await self._came.get()
        if not data:
            raise LinkLost("the lock ended the connection")
        return data

    def discard(self) -> None:
        """Drop the notifications that nobody received."""
        while not self._lost and not self._came.empty():
            self._came.get_nowait()

    async def close(self) -> None:
        """Disconnect."""
        with suppress(LinkLost, NoAnswer), _radio():
            await self._client.disconnect()

    def _found(self) -> GattLayout:
        for layout in LAYOUTS:
            if self._client.services.get_service(layout.service) is not None:
                return layout
        raise LinkLost("the device is no lock of this vendor")

    def _heard(self, _: Any, data: bytearray) -> None:
        self._came.put_nowait(bytes(data))

    def _gone(self) -> None:
        self._lost = True
        self._came.put_nowait(b"")


async def open_ble(mac: str) -> BleLink:
    """Find a lock by its address and connect; the caller's deadline bounds both, and an end of it lets go."""
    heard: list[LockVersion] = []
    with _radio():
        device = await BleakScanner.find_device_by_filter(
            lambda device, told: _is_lock(mac, device, told, heard), timeout=LISTEN_SECONDS
        )
    if device is None:
        raise LockNotHeard("the lock is not heard: wake it by a touch of its keypad")
    link = BleLink(device, heard[-1] if heard else LockVersion())
    try:
        await link.connect()
    except BaseException:
        await asyncio.shield(link.close())
        raise
    return link


def _is_lock(mac: str, device: Any, told: Any, heard: list[LockVersion]) -> bool:
    """Say whether this is the lock, and note how it wants to be spoken to, where it says so."""
    states = [advertisement(company, payload) for company, payload in told.manufacturer_data.items()]
    mine = [state for state in states if state is not None and state.mac == mac.upper()]
    heard.extend(LockVersion(*state.protocol, state.scene) for state in mine)
    hidden = "-" in device.address and suffix_matches(device.name or "", mac)
    return bool(mine) or device.address.upper() == mac.upper() or hidden


@contextmanager
def _radio() -> Iterator[None]:
    """Say in our words what bleak says in each system's; a timeout of the caller's passes untouched."""
    try:
        yield
    except BleakError as error:
        # A connection that drops within a write reads as "service discovery has not been performed".
        raise LinkLost("the connection to the lock is lost, or this machine's Bluetooth is off") from error
    except (OSError, EOFError) as error:
        if isinstance(error, TimeoutError):
            raise
        raise LinkLost("this machine has no Bluetooth service") from error
