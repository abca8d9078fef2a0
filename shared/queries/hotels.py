"""Whose hotels there are, for whoever may look at several: tenants of the cell, and their properties."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.domain.ids import PropertyId, TenantId
from shared.ledger.admission import MOVED_AWAY, RECORD
from shared.ledger.indexes import PROPERTIES
from shared.ledger.residents import residents
from shared.ports.documents import Document, DocumentStore, Index, Ref, TenantDocuments

PAGE: Final = 500
MOST_NAMED: Final = 10


class Unknown(LookupError):
    """Nothing of that name was ever heard of; the words end with what to do."""


@dataclass(frozen=True, slots=True)
class Cell:
    """All tenants' documents, and the cell whose tenants are looked at."""

    documents: DocumentStore
    name: str

    async def tenants(self) -> list[TenantId]:
        """Return all tenants of the cell."""
        return [tenant async for tenant in residents(self.documents, self.name)]

    async def departed(self) -> list[TenantId]:
        """Return the tenants that moved from here to another cell, and left their audit logs."""
        return [tenant async for tenant in residents(self.documents, MOVED_AWAY)]

    async def asked(self, tenant: str | None) -> list[TenantDocuments]:
        """Return the documents of the tenant that is asked for, or of all."""
        names = await self.tenants() if tenant is None else [TenantId(tenant)]
        return [self.documents.tenant(name) for name in names]

    async def known(self, tenant: str | None) -> list[TenantDocuments]:
        """Return the documents of the tenant that is asked for, or of all; raise Unknown if there is none."""
        stores = await self.asked(tenant)
        if tenant is not None and await stores[0].get(RECORD) is None:
            raise Unknown(f"no tenant {tenant[:80]!r}: {one_of(await self.tenants())}")
        return stores


def one_of(names: Sequence[str]) -> str:
    """Return which names there are, as a remedy."""
    more = " …" if len(names) > MOST_NAMED else ""
    return f"name one of {', '.join(names[:MOST_NAMED])}{more}" if names else "none is admitted yet"


async def properties(store: TenantDocuments) -> list[str]:
    """Return the ids of a tenant's properties."""
    return [found.ref.id async for found in every(store, PROPERTIES, {})]


async def has_property(store: TenantDocuments, name: str) -> bool:
    """Say whether a tenant has a property of this name."""
    return await store.get(Ref(PROPERTIES.collection, name)) is not None


@dataclass(frozen=True, slots=True)
class House:
    """A property as people know it: what it is called, and the clock on its wall."""

    id: PropertyId
    name: str
    zone: str = ""


async def houses(store: TenantDocuments) -> list[House]:
    """Return a tenant's properties; one that has no name is called by its id."""
    found = [each async for each in every(store, PROPERTIES, {})]
    return [
        House(PropertyId(each.ref.id), each.data.get("name") or each.ref.id, each.data.get("zone") or "")
        for each in found
    ]


async def zones(store: TenantDocuments) -> dict[str, str]:
    """Return the clock on the wall of each of a tenant's properties."""
    found = [each async for each in every(store, PROPERTIES, {})]
    return {each.ref.id: str(each.data["zone"]) for each in found if each.data.get("zone")}


async def every(store: TenantDocuments, index: Index, equals: Mapping[str, Any]) -> AsyncIterator[Document]:
    """Go through all that an index holds, page by page."""
    page = await store.query(index, equals, limit=PAGE)
    while page:
        for found in page:
            yield found
        page = await store.query(index, equals, after=page[-1], limit=PAGE) if len(page) == PAGE else ()


async def label_of(store: TenantDocuments, device: str) -> str | None:
    """Return what people call a lock."""
    found = await store.get(Ref("devices", device))
    return None if found is None else found.data.get("label")
