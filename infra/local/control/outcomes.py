"""What came of a published event: set aside, heard by its stay, and how the stay's keys stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.local.bus.bus import Bus
from infra.local.control.asked import after_of
from infra.local.control.executions import LocalExecutions
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.ledger.reservation import ref_of, reservation_from
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import Cell
from shared.queries.keys import keys_of_stay, shown_key
from shared.usecases.operations.letters import shown_letter

LOOKED_AT: Final = 1000
"""So many letters younger than the message are looked through for it."""
UNMADE: Final = frozenset({"requested", "pending"})
UNDER_WAY: Final = frozenset({"intended", "removing"})
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """Which event is asked about: its message, and the stay it tells of, if any."""

    message: str
    event: str
    tenant: str
    reservation: str

    @classmethod
    def of(cls, message: str, query: Mapping[str, str]) -> "Published":
        """Read a question, or refuse one that does not say which event is meant."""
        event, tenant = query.get("event"), query.get("tenant")
        if not event or not tenant:
            raise InvalidInput("event", "event and tenant are missing", "pass what publishing answered")
        return cls(after_of(message), event, tenant, query.get("reservation", ""))


async def outcome_of(it: Published, bus: Bus, cell: Cell, executions: LocalExecutions) -> dict[str, Any]:
    """Return what came of an event so far, and whether that is all."""
    # Asked in this order: what was delivered before the question is in all that is read after it.
    delivering = bus.delivers(it.message)
    letters = _set_aside(it, bus)
    heard, keys = await _at_its_stay(it, cell.documents.tenant(TenantId(it.tenant)))
    moving = [key["id"] for key in keys if _moves(key) or executions.busy(key["id"])]
    settled = bool(letters) or (not delivering and _is_over(it, heard, moving))
    return {"settled": settled, "delivering": delivering, "letters": letters, "heard": heard, "keys": keys}


def _set_aside(it: Published, bus: Bus) -> list[Facts]:
    younger = bus.dead_letters.page(after=it.message, limit=LOOKED_AT)
    shown = (shown_letter(each) for each in younger)
    return [each for each in shown if it.event == each["event_id"] or it.message == each["message_id"]]


async def _at_its_stay(it: Published, store: TenantDocuments) -> tuple[Facts | None, list[Facts]]:
    found = await store.get(ref_of(it.reservation)) if it.reservation else None
    if found is None:
        return None, []
    stay = reservation_from(found)
    notes = [each for each in stay.heard if each.event_id == it.event]
    keys: list[Facts] = [
        await shown_key(store, record) for record in await keys_of_stay(store, it.reservation)
    ]
    if not notes:
        return None, keys
    note, status = notes[-1], stay.status.value
    at = None if note.at is None else instant_to_text(note.at)
    return {"outcome": note.outcome.value, "because": note.because, "at": at, "stay": status}, keys


def _is_over(it: Published, heard: Facts | None, moving: list[str]) -> bool:
    if not it.reservation:
        return True
    return heard is not None and (heard["outcome"] != "applied" or not moving)


def _moves(key: Facts) -> bool:
    under_way = any(grant["state"] in UNDER_WAY for grant in key["grants"])
    return key["state"] in UNMADE or bool(key["unannounced"]) or under_way
