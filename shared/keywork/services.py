"""What every command on keys works with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

from shared.domain.ids import TenantId
from shared.domain.replacing import born_open
from shared.kernel.log import Log
from shared.keywork.trouble_line import TroubleLine
from shared.ledger.hotel_directory import HotelDirectory
from shared.ledger.ledger import Ledger
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.bus import EventBus
from shared.ports.documents import AlreadyExists, StaleVersion
from shared.ports.sagas import Sagas

T = TypeVar("T")
U = TypeVar("U")
RACES: Final = 3
"""How often a command that lost a race begins anew before its caller is asked to come again."""


@born_open
@dataclass(frozen=True, slots=True)
class Services:
    """The ports of the ledger's commands."""

    hotels: HotelDirectory
    bus: EventBus
    sagas: Sagas
    ids: Ids
    clock: Clock
    entropy: Entropy
    log: Log
    line: TroubleLine = field(default_factory=TroubleLine)
    """In which order those are begun again that wait out a vendor's trouble."""

    @property
    def now(self) -> datetime:
        """The present instant."""
        return self.clock.now()

    async def ledger(self, tenant: str) -> Ledger:
        """Return the ledger of a tenant of this cell."""
        return Ledger(await self.hotels.admit(tenant), self.ids)

    def ledger_of_key(self, tenant: str) -> Ledger:
        """Return the ledger that a saga's key is kept in, if there is such a key: its stay was admitted."""
        return Ledger(self.hotels.admitted(TenantId(tenant)), self.ids)


async def retry_on_conflict(command: Callable[[], Awaitable[T]]) -> T:
    """Obey a command that decides by what it reads; where that changed meanwhile, it reads again."""
    for _ in range(RACES):
        try:
            return await command()
        except (AlreadyExists, StaleVersion):
            continue
    return await command()
