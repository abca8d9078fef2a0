"""The last alerts of a tenant: kept beside the log, for whoever asks later what somebody was woken for.

The line in the log is the alarm; this is a copy. What a process raised just before it died may be in the log
alone. What is of no tenant is kept in the name of the cell (decision 0072).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Self

from shared.domain.stored import Stored
from shared.ledger.reading import read_record
from shared.ports.documents import AlreadyExists, Ref, StaleVersion, TenantDocuments
from shared.streams.record import Record

LAST: Final = Ref("alerts", "last")
MOST_KEPT: Final = 50
LONGEST: Final = 300
RACES: Final = 8
_WHY: Final = ("because", "reason", "cause", "problem", "what", "risks")
"""Where an alert says why it was raised; the first that is there."""
_DEVICE: Final = ("deviceId", "device")
"""Where an alert names a lock or a desk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAlert:
    """One alert: when, what it said, the page that helps, and what it is about."""

    at: datetime
    message: str
    page: str
    reservation: Annotated[str | None, Stored(omitted=True)] = None
    key: Annotated[str | None, Stored(omitted=True)] = None
    device: Annotated[str | None, Stored(omitted=True)] = None
    event: Annotated[str | None, Stored(omitted=True)] = None
    because: Annotated[str | None, Stored(omitted=True)] = None
    remedy: Annotated[str | None, Stored(omitted=True)] = None

    @classmethod
    def of(cls, line: Mapping[str, Any], at: datetime) -> Self:
        """Read a line of the log; of its fields those are kept that are named here, and no other."""
        why, code = _text(_first(line, _WHY)), line.get("code")
        because = f"{why}, {code}" if why and code else why or code
        return cls(
            at=at,
            message=_text(line["message"]) or "",
            page=_text(line.get("runbook")) or "",
            reservation=_text(line.get("reservationId")),
            key=_text(line.get("keyCredentialId")),
            device=_text(_first(line, _DEVICE)),
            event=_text(line.get("eventId")),
            because=_text(because),
            remedy=_text(line.get("remedy")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAlerts(Record):
    """A tenant's last alerts, oldest first."""

    schema_version: ClassVar[int] = 1

    alerts: tuple[KeptAlert, ...] = ()

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return LAST


async def kept_alerts(store: TenantDocuments) -> KeptAlerts:
    """Return a tenant's last alerts."""
    found = await store.get(LAST)
    return KeptAlerts() if found is None else read_record(KeptAlerts, found)


async def keep_alerts(store: TenantDocuments, raised: Sequence[KeptAlert]) -> bool:
    """Add to a tenant's last alerts; return whether that went well, for others add to them too."""
    for _ in range(RACES):
        kept = await kept_alerts(store)
        try:
            await store.commit([replace(kept, alerts=(*kept.alerts, *raised)[-MOST_KEPT:]).write()])
        except (AlreadyExists, StaleVersion):
            continue
        return True
    return False


def _first(line: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((line[name] for name in names if line.get(name)), None)


def _text(value: object) -> str | None:
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value))
    return None if value is None else str(value)[:LONGEST]
