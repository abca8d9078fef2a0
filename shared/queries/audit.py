"""How the audit logs of a cell stand: closed up to which day, and whether somebody must look."""

from datetime import datetime, timedelta
from typing import Any, Final

from shared.audit.anchor import moved
from shared.audit.intake import Day
from shared.domain.ids import TenantId
from shared.ledger.admission import NOBODY
from shared.ledger.audit_log import LOGS, OF_CELL, OF_TENANT, LogRecord, log_record_from, streams_of_stay
from shared.ledger.indexes import DAYS
from shared.ports.documents import Ref, TenantDocuments
from shared.queries.hotels import Cell

OVERDUE: Final = timedelta(hours=26)
"""How long after its end a day may stay open before somebody is called (A §13.4)."""


async def anchors(cell: Cell, now: datetime) -> list[dict[str, Any]]:
    """Return how each log of the cell stands, the cell's own first."""
    names = [(TenantId(NOBODY), OF_CELL), *((tenant, OF_TENANT) for tenant in await cell.tenants())]
    return [await _standing(cell.documents.tenant(tenant), name, now) for tenant, name in names]


async def standing(documents: TenantDocuments, now: datetime) -> dict[str, Any]:
    """Return how a tenant's log stands."""
    return await _standing(documents, OF_TENANT, now)


async def overdue(cell: Cell, now: datetime) -> list[str]:
    """Return whose log has a day open for too long: tenants by their ids, and the cell."""
    found = await anchors(cell, now)
    return [each["log"] for each in found if each["overdue"]]


async def proof_of_stay(documents: TenantDocuments, stay: str) -> dict[str, Any]:
    """Return what of a stay lies in the tenant's log: each stream, its entries, and its last day."""
    found = await streams_of_stay(stay, documents)
    streams = [
        {"stream": each.stream, "entries": len(each.entries), "date": each.head.date} for each in found
    ]
    record = await documents.get(Ref(LOGS, OF_TENANT))
    closed = _closed(None if record is None else log_record_from(record))["closed"]
    return {"closed": closed, "streams": streams}


async def _standing(documents: TenantDocuments, name: str, now: datetime) -> dict[str, Any]:
    found = await documents.get(Ref(LOGS, name))
    record = None if found is None else log_record_from(found)
    due = await _first_open(documents, record)
    shown = {"log": OF_CELL if name == OF_CELL else str(documents.tenant)}
    late = due is not None and Day.of(NOBODY, due).end + OVERDUE < now
    return {**shown, **_closed(record), "next": due, "overdue": late}


def _closed(record: LogRecord | None) -> dict[str, Any]:
    if record is None or not record.begun:
        return {"closed": None, "size": 0, "closed_at": None, "key": None}
    at = record.anchored.checkpoint
    key = str(record.keys.good_for(at.size))
    return {"closed": record.anchored.date, "size": at.size, "closed_at": record.closed_at, "key": key}


async def _first_open(documents: TenantDocuments, record: LogRecord | None) -> str | None:
    """Return the day that is to be closed next; None where nothing was ever told."""
    if record is not None:
        return moved(record.anchored.date, 1)
    rows = await documents.query(DAYS, {}, limit=1)
    return next((str(row.data["day"]) for row in rows), None)
