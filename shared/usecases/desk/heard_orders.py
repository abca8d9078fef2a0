"""A clerk's order that is repeated because its answer was lost: it means what it meant, and makes no more.

The desk draws an id for each order and keeps to it until it hears an answer. Under it is written down, before
anything is done, which key the order is about and how many copies there are to be; and what came of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, credential_id
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, Update
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.services import DeskServices

ORDERS: Final = "desk_orders"
KEPT: Final = timedelta(hours=48)
_ID: Final = re.compile(r"[0-9a-f]{16,64}")


@dataclass(frozen=True, slots=True)
class Meant:
    """Which key an order is about, and how many copies of it there are to be."""

    key: CredentialId
    copies: int = 0


@dataclass(slots=True)
class HeardOrder:
    """One order by its desk and id; of an order without an id nothing is known, nor kept."""

    desk: KnownDesk
    id: str | None
    asked: Mapping[str, Any]
    on: DeskServices
    _found: Document | None = field(default=None, repr=False)

    async def made(self) -> list[str] | None:
        """Return what came of the order when it was heard before, or None; refuse another of its id."""
        self._found = None if self.id is None else await self.desk.store.get(self._ref)
        if self._found is None:
            return None
        if self._found.data["asked"] != self.asked:
            raise InvalidInput("id", "of another order", "draw an id for each order")
        made: list[str] | None = self._found.data["made"]
        return made

    async def meaning(self, meant: Meant) -> Meant:
        """Write down what is meant, or return what was."""
        if self.id is None:
            return meant
        if self._found is None or self._found.data["key"] is None:
            await self._keep(None, meant)
        kept = self._found.data if self._found is not None else {}
        return meant if kept.get("key") is None else Meant(credential_id(kept["key"]), kept["copies"])

    async def keep(self, made: list[str]) -> None:
        """Write down what came of it."""
        if self.id is not None:
            await self._keep(made, None)

    async def _keep(self, made: list[str] | None, meant: Meant | None) -> None:
        before = self._found
        data = {"schema_version": 1, "asked": self.asked, "key": None, "copies": 0}
        data |= {} if before is None else before.data
        data |= {"made": made} | ({} if meant is None else {"key": str(meant.key), "copies": meant.copies})
        until = self.on.now + KEPT
        write = (
            Create(self._ref, data, until)
            if before is None
            else Update(self._ref, data, before.version, until)
        )
        try:
            (version,) = await self.desk.store.commit([write])
        except (AlreadyExists, StaleVersion):
            # It came twice at once: the first one's word counts.
            self._found = await self.desk.store.get(self._ref)
        else:
            self._found = Document(self._ref, data, version)

    @property
    def _ref(self) -> Ref:
        return Ref(ORDERS, f"{self.desk.record.id}.{self.id}")


def order_id(said: object) -> str | None:
    """Read an order's id; a desk of a release before draws none."""
    if said is None:
        return None
    if not isinstance(said, str) or not _ID.fullmatch(said):
        raise InvalidInput("id", "malformed", "draw 16 to 64 hex digits")
    return said
