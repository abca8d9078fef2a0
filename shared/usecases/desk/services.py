"""What the commands on desks work with."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from shared.domain.ids import TenantId
from shared.ports.documents import DocumentStore, TenantDocuments
from shared.ports.vault import Cipher

if TYPE_CHECKING:
    from shared.keywork.services import Services  # a desk that is refused needs nothing of it


class DeskRefused(Exception):
    """A desk, or what says that it is one, is not let in; `reason` says why in a word, and quotes nothing."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DeskServices:
    """The services of keys, and what seals the secrets of desks."""

    keys: "Services"
    sealed: DocumentStore
    cipher: Cipher

    @property
    def now(self) -> datetime:
        """The present instant."""
        return self.keys.now

    async def store(self, tenant: TenantId) -> TenantDocuments:
        """Return the documents of a tenant of this cell, or refuse it."""
        return await self.keys.hotels.admit(tenant)
