"""Who is told of: a lot drawn from the unit's id, so that repetitions, joins and funnels agree.

| the unit | whose id | so that |
|---|---|---|
| session | `sessionId` | of a session all is told or nothing; who is in at 10 % is in at 25 % |
| device_hour | `deviceId` and the hour | not the same twentieth of the devices is heard for ever |
| none | | all of it is told |
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final

from shared.events.backoffice.catalogue import Telemetry, Unit

_PERSON: Final = b"bff-sample-v1"


@dataclass(frozen=True, slots=True)
class Told:
    """Whose doing an event is about, as far as its lot depends on it."""

    session_id: str | None
    device_id: str
    occurred_at: datetime


def _session(told: Told) -> str:
    return told.session_id or told.device_id


def _device_hour(told: Told) -> str:
    return f"{told.device_id}@{told.occurred_at:%Y-%m-%dT%H}"


_UNITS: Final[Mapping[Unit, Callable[[Told], str]]] = {
    Unit.SESSION: _session,
    Unit.DEVICE_HOUR: _device_hour,
}


def lot(unit: str) -> float:
    """The lot of a unit, from 0 up to 1: the same whenever and wherever it is drawn."""
    drawn = blake2b(unit.encode(), digest_size=8, person=_PERSON).digest()
    # The upper 53 bits, which a float holds exactly: the lot never rounds up to 1.
    return (int.from_bytes(drawn) >> 11) * 2**-53


def is_told(row: Telemetry, told: Told, rate: float) -> bool:
    """Say whether an event is published at a rate: the row's, or the one that overrides it."""
    if row.unit is None:
        return True
    return lot(_UNITS[row.unit](told)) < rate
