"""What may keep a key from opening a door, as far as is known without asking: its share there, and the lock.

| at the door | a risk |
|---|---|
| no vendor has said yet that the key is there as it is to be | yes, unless it is to rest |
| the lock is offline, missing, or another than was mapped | yes |
| its battery is nearly empty; its clock is wrong | yes |
| nobody has looked at the lock yet | no: nothing is known against it |
"""

from collections.abc import Iterator
from typing import Final

from shared.domain.device_health import Level
from shared.domain.grant_lifecycle import Placed
from shared.domain.ids import LockDeviceId
from shared.ledger.device_record import DeviceRecord, state_of
from shared.ledger.grant_record import GrantRecord

WELL: Final = frozenset({"online", "never looked at"})
MISSING: Final = "missing"


def placement_of(kept: GrantRecord) -> str:
    """Return how far a key has come at a door."""
    state = kept.grant.state
    return state.placement.value if isinstance(state, Placed) else MISSING


def risks_at(kept: GrantRecord, record: DeviceRecord | None) -> Iterator[str]:
    """Yield what may keep a key from opening a door, with the door's name."""
    if placement_of(kept) == MISSING:
        yield f"{kept.grant.device_id}: no key at the door yet"
    yield from risks_of(kept.grant.device_id, record)


def risks_of(device: LockDeviceId, record: DeviceRecord | None) -> Iterator[str]:
    """Yield what may keep any key from opening a door."""
    if record is None:
        return
    if (state := state_of(record)) not in WELL:
        yield f"{device}: {state}"
    if record.condition.battery_level == Level.CRITICAL:
        yield f"{device}: the battery is nearly empty"
    if record.condition.skew_level > Level.GOOD:
        yield f"{device}: the clock is wrong"
