"""Which gateway reaches which lock: noted whenever the locks are listed, asked whenever a turn is taken."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, TenantDocuments, Update

COLLECTION: Final = "vendor_gateways"
SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Reach:
    """The gateway of a lock, and whether the vendor hears from it."""

    gateway: str
    online: bool


class Gateways:
    """One property's map from locks to gateways."""

    def __init__(self, documents: TenantDocuments, vendor: str, property_id: str) -> None:
        self._documents, self._vendor = documents, vendor
        self._ref = Ref(COLLECTION, f"{vendor}-{property_id}")
        self._whole = f"gateway:{vendor}:{property_id}"
        self._known: Mapping[str, str] | None = None

    async def turn_at(self, lock: str) -> str:
        """Return the name of the turn to take; of a lock nobody noted, the whole property's."""
        if self._known is None:
            found = await self._documents.get(self._ref)
            self._known = {} if found is None else found.data["gateways"]
        gateway = self._known.get(lock)
        return self._whole if gateway is None else f"gateway:{self._vendor}:{gateway}"

    async def note(self, reaches: Mapping[str, Reach]) -> None:
        """Keep the map, if it has changed."""
        noted = {lock: reaches[lock].gateway for lock in sorted(reaches)}
        found = await self._documents.get(self._ref)
        if found is None or found.data["gateways"] != noted:
            # Who notes it at the same moment has seen the same locks.
            with suppress(AlreadyExists, StaleVersion):
                await self._documents.commit([self._write(noted, found)])
        self._known = noted

    def _write(self, noted: Mapping[str, str], over: Document | None) -> Create | Update:
        data = {"schema_version": SCHEMA_VERSION, "gateways": dict(noted)}
        return Create(self._ref, data) if over is None else Update(self._ref, data, over.version)
