"""What sending events outside works with."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, Self

from shared.domain.ids import TenantId
from shared.kernel.log import Log
from shared.ledger.hotel_directory import HotelDirectory
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.documents import DocumentStore, TenantDocuments
from shared.ports.sagas import Sagas
from shared.ports.vault import Cipher
from shared.vendor_kit.http import Http

WORKFLOW: Final = "deliver_webhook"


class OutboundPorts(Protocol):
    """What sending needs of a platform, by the names it has there."""

    @property
    def documents(self) -> DocumentStore:
        """The main database."""

    @property
    def sealed(self) -> DocumentStore:
        """The sealed one."""

    @property
    def cipher(self) -> Cipher:
        """What seals the secrets that events are signed with."""

    @property
    def sagas(self) -> Sagas:
        """What sends, and sends again."""

    @property
    def hotels(self) -> HotelDirectory:
        """Whose tenants are this cell's."""

    @property
    def outward(self) -> Http:
        """Calls to addresses that tenants name."""

    @property
    def sandbox(self) -> bool:
        """Whether addresses of this machine may be named."""

    @property
    def kept(self) -> dict[str, Any]:
        """What this process keeps from one call to the next."""

    @property
    def entropy(self) -> Entropy:
        """Chance."""

    @property
    def ids(self) -> Ids:
        """New names."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def log(self) -> Log:
        """Where somebody is called from."""


@dataclass(frozen=True, slots=True)
class Outbound:
    """The ports of sending, for one tenant."""

    tenant: TenantId
    on: OutboundPorts

    @classmethod
    def of(cls, tenant: TenantId, on: OutboundPorts) -> Self:
        """Return what sends for a tenant."""
        return cls(tenant, on)

    @property
    def store(self) -> TenantDocuments:
        """The tenant's documents."""
        return self.on.documents.tenant(self.tenant)

    @property
    def now(self) -> datetime:
        """What time it is."""
        return self.on.clock.now()

    async def begin(self, sending: str) -> None:
        """Have an event sent; twice does no harm, for each try is claimed before it is made."""
        await self.on.sagas.start(WORKFLOW, {"tenant": str(self.tenant), "sending": sending})
