"""Locks in Bluetooth's reach of the desk: a vendor's folder says how its door is opened, in `at_door`."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from nacl.signing import SigningKey

from edge_agent.hardware.errors import NotSupported
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.offline.arrivals import ArrivalsPack
from shared.offline.radio_locks import RadioLock
from shared.ports.ambient import Clock

Opener = Callable[[str], Callable[[], Awaitable[Any]]]
"""From a lock's address to what connects to it; a vendor's own, where nobody says another."""


@dataclass(frozen=True, slots=True)
class LockReading:
    """What a visit read of a lock: how far its clock was off, whether it was set, its battery's percent."""

    at: datetime
    skew: timedelta
    clock_set: bool
    battery: int | None = None
    """None where nothing that was asked told it."""


Tell = Callable[[LockReading], Awaitable[None]]
"""Takes what a visit read, however its errand ended."""


class PinDoor(Protocol):
    """A door's lock that takes PINs from the desk; its methods raise a HardwareError, PinTaken among them."""

    async def add_pin(self, pin: Secret[str], start: datetime, end: datetime, *, ours: bool = False) -> None:
        """Add a PIN for a window; one that is `ours` of an attempt without an answer is set anew."""

    async def remove_pin(self, pin: Secret[str]) -> None:
        """Take a PIN away; one that is not there is away."""


TellOf = Callable[[RadioLock, LockReading], Awaitable[None]]


@dataclass
class Radio:
    """The desk's radio: one visit at a time to each lock, whoever wants something of it."""

    clock: Clock
    zone: ZoneInfo
    device: SigningKey
    opener: Opener | None = None
    _known: dict[str, tuple[Secret[bytes], PinDoor]] = field(default_factory=dict)

    def doors(self, pack: ArrivalsPack, tell: TellOf) -> Mapping[str, PinDoor]:
        """Return the doors that we hold the keys of, by the names that the arrivals have for them."""
        return {lock.door: self.door(lock, tell) for lock in pack.radio if speaks(lock.vendor)}

    def door(self, lock: RadioLock, tell: TellOf) -> PinDoor:
        """Return a lock's door: the same one each time, so that visits wait for each other."""
        if not speaks(lock.vendor):
            raise NotSupported("no language of ours is spoken by this lock")
        told = lock.material(self.device)
        known = self._known.get(lock.vendor_device)
        if known is None or known[0] != told:
            at_door = import_module(_module(lock.vendor))
            to_tell = partial(tell, lock)
            door: PinDoor = at_door.open_door(told, self.clock, self.zone, self.opener, to_tell)
            known = self._known[lock.vendor_device] = told, door
        return known[1]


def speaks(vendor: VendorCode) -> bool:
    """Say whether we speak the language of a vendor's locks by radio."""
    folder = _module(vendor).rpartition(".")[0]
    return find_spec(folder) is not None and find_spec(_module(vendor)) is not None


def _module(vendor: VendorCode) -> str:
    return f"{__package__}.{vendor.replace('-', '_')}.at_door"
