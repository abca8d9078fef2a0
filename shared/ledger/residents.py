"""Who lives in a cell: all its companies, and all houses of each, page by page."""

from collections.abc import AsyncIterator
from typing import Final

from shared.domain.ids import PropertyId, TenantId
from shared.ledger.indexes import PROPERTIES, TENANTS
from shared.ledger.reading import from_value, standing_at
from shared.ports.documents import DocumentStore, TenantDocuments

PAGE: Final = 500
BEYOND: Final = "tnt_~"
"""After every tenant's id."""


async def residents(
    documents: DocumentStore, cell: str, since: TenantId | None = None, page: int = PAGE
) -> AsyncIterator[TenantId]:
    """Yield the tenants of a cell in the order of their ids, all, or from one on."""
    last, here = since, {"data_residency": cell}
    while True:
        found = await documents.sweep(TENANTS, here, until=BEYOND, since=last, limit=page)
        for tenant, _ in found:
            if tenant != last or tenant == since:
                yield tenant
        if len(found) < page:
            return
        since, last = None, found[-1][0]


async def houses_of(
    store: TenantDocuments, after: PropertyId | None = None, page: int = PAGE
) -> list[PropertyId]:
    """Return a tenant's properties in the order of their ids, all, or those after one."""
    houses = list[PropertyId]()
    last = from_value(PROPERTIES, "") if after is None else standing_at(PROPERTIES, after, after)
    while True:
        found = await store.query(PROPERTIES, {}, after=last, limit=page)
        houses += [PropertyId(each.ref.id) for each in found]
        if len(found) < page:
            return houses
        last = found[-1]
