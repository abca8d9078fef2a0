"""One look at a property's locks, as it goes on: what is known, what was listed, which locks were asked."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from shared.domain.device_health import Level
from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import LockError
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSession
from shared.ledger.device_record import DeviceRecord
from shared.ports.documents import TenantDocuments
from shared.ports.lock import DeviceHealth, ListedDevice
from shared.ports.lock_causes import LockCause

CLOCKS_A_LOOK: Final = 5
CLOCK_EVERY: Final = timedelta(hours=20)
CLOCK_AGAIN_AFTER: Final = timedelta(hours=1)
"""A clock that was wrong is asked more often, so that it is told when it is worse."""
OF_THE_LOCK: Final = frozenset({LockCause.LOCK_FROZEN, LockCause.GATEWAY_OFFLINE, LockCause.NO_GATEWAY})
"""What is said of a lock that was asked; the rest is said of the way there, and tells nothing of it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One look: whose locks, what is kept of them, and what the vendor's list says."""

    desk: VendorSession
    known: dict[str, DeviceRecord]
    listed: dict[str, ListedDevice]
    store: TenantDocuments
    services: Services
    healths: dict[str, DeviceHealth]
    named: LockDeviceId | None = None
    refusals: dict[str, str] = field(default_factory=dict)
    """Why those locks did not answer that were asked themselves."""

    @property
    def doors(self) -> tuple[LockDevice, ...]:
        """The locks that are looked at: the one that is named, or all."""
        devices = self.desk.binding.devices
        return devices if self.named is None else tuple(each for each in devices if each.id == self.named)


async def ask_clocks(round_: Round) -> None:
    """Ask the locks for their clocks that were asked longest ago, and can be reached."""
    due = _due_clocks(round_, round_.services.now) if round_.named is None else _named(round_)
    for name in due[:CLOCKS_A_LOOK]:
        try:
            health = await round_.desk.port.health_check(round_.listed[name].device_id)
        except LockError as error:
            if error.cause.kind in OF_THE_LOCK:
                round_.refusals[name] = error.cause.kind
            continue
        round_.healths[name] = health
        if not health.online:
            round_.refusals[name] = LockCause.GATEWAY_OFFLINE


def _named(round_: Round) -> list[str]:
    return [name for name in round_.listed if name == round_.named]


def _due_clocks(round_: Round, now: datetime) -> list[str]:
    asked = {
        name: record.condition.skew_at if (record := round_.known.get(name)) else None
        for name, listed in round_.listed.items()
        if listed.online
    }
    due = [
        name
        for name, at in asked.items()
        if at is None or now >= at + (CLOCK_AGAIN_AFTER if _wrong(round_.known[name]) else CLOCK_EVERY)
    ]
    return sorted(due, key=lambda name: (asked[name] is not None, asked[name] or now, name))


def _wrong(record: DeviceRecord) -> bool:
    return record.condition.skew_level > Level.GOOD
