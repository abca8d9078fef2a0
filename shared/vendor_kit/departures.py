"""Whose keys are to be gone though nobody can take them from who carries them: the next guest ends them."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Final

from shared.ports.documents import AlreadyExists, Create, Ref, TenantDocuments

COLLECTION: Final = "departures"
SCHEMA_VERSION: Final = 1
OURS: Final = re.compile(r"MM-[0-9a-f]{12}")
"""What other systems call their keys is nothing we ever noted."""


class Departures:
    """One property's notes at one vendor; each is kept until its key opens nothing by itself."""

    def __init__(self, documents: TenantDocuments, vendor: str, property_id: str) -> None:
        self._documents, self._of = documents, f"{vendor}-{property_id}"

    async def note(self, name: str, until: datetime) -> None:
        """Note that nobody is to open with a key of this name any more."""
        with suppress(AlreadyExists):
            data = {"schema_version": SCHEMA_VERSION, "name": name}
            await self._documents.commit([Create(self._ref(name), data, until)])

    async def among(self, names: Iterable[str]) -> frozenset[str]:
        """Return which of these keys were to be gone."""
        ours = {name for name in names if OURS.fullmatch(name)}
        found = [name for name in sorted(ours) if await self._documents.get(self._ref(name)) is not None]
        return frozenset(found)

    def _ref(self, name: str) -> Ref:
        return Ref(COLLECTION, f"{self._of}-{name}")
