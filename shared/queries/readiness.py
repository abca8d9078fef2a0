"""Arrivals from today to three days ahead, and what puts them at risk at each door: the readiness board.

How ready a stay is, `coming.py` tells; here its doors stand beside it, each with its lock's own troubles.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.grant_lifecycle import Placement
from shared.domain.instants import instant_to_text
from shared.domain.states import Failed
from shared.keywork.door_risks import risks_of
from shared.ledger.device_record import DeviceRecord, kept_of
from shared.ledger.grant_record import GrantRecord
from shared.ports.documents import TenantDocuments
from shared.queries.coming import Coming, Span, at_door, coming
from shared.queries.hotels import Cell, properties, zones

AHEAD: Final = timedelta(hours=72)
UTC: Final = "Etc/UTC"
_SAID: Final = {
    "waiting": "no key at the door yet",
    "resting": "the key rests",
    Placement.ACCEPTED.value: "nobody has read the key back",
}


async def readiness(cell: Cell, tenant: str | None, now: datetime, only: str | None = None) -> dict[str, Any]:
    """Return the stays that arrive from today to three days ahead and are not over, the next first."""
    shown = list[dict[str, Any]]()
    for store in await cell.known(tenant):
        walls, board = await zones(store), _Board(store)
        for house in [only] if only else await properties(store):
            span = Span(Span.today(now, walls.get(house, UTC)).begins, now + AHEAD)
            found = [each for each in await coming(store, house, span) if now < each.stay.end]
            shown += [await board.arrival(each) for each in found]
    shown.sort(key=lambda each: str(each["arrives"]))
    return {"arrivals": shown}


@dataclass(slots=True)
class _Board:
    """What is shown of one tenant, each lock read once."""

    store: TenantDocuments
    _locks: dict[str, DeviceRecord | None] = field(default_factory=dict)

    async def arrival(self, comes: Coming) -> dict[str, Any]:
        doors = [await self._door(key.id, kept) for key in comes.keys for kept in comes.wanted(key)]
        risks = [risk for door in doors for risk in door["risks"]]
        failed = [key.credential.state for key in comes.keys if isinstance(key.credential.state, Failed)]
        waits = "no key at a door yet" if comes.keys else "no key"
        none = [f"the key failed: {each.reason}" for each in failed] or [waits]
        return {
            "tenant": self.store.tenant,
            "property": comes.stay.property_id,
            "reservation": comes.record.id,
            "arrives": instant_to_text(comes.stay.start),
            "ready": comes.readiness,
            "risks": list(dict.fromkeys(risks)) or ([] if doors else none),
            "doors": doors,
        }

    async def _door(self, key: str, kept: GrantRecord) -> dict[str, Any]:
        device = kept.grant.device_id
        if device not in self._locks:
            self._locks[device] = await kept_of(self.store, device)
        placement = at_door(kept)
        own = [f"{device}: {_SAID[placement]}"] if placement in _SAID else []
        risks = [*own, *risks_of(device, self._locks[device])]
        return {"key": key, "device": str(device), "placement": placement, "risks": risks}
