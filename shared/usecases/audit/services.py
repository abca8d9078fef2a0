"""What the commands on the audit log work with."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.events.subject import RETENTION_RULES, Retention
from shared.kernel.log import Log
from shared.ledger.admission import MOVED_AWAY, NOBODY, PIN, RECORD
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.bus import EventBus
from shared.ports.documents import Document, DocumentStore, Ref, TenantDocuments
from shared.ports.objects import Objects
from shared.ports.vault import Cipher

SETTINGS: Final = "audit_settings"
RETENTION: Final = Ref(SETTINGS, "retention")
LEAST_DAYS: Final = RETENTION_RULES[Retention.AUDIT].sink_days
"""Seven years (A §17.1): a tenant may ask for longer."""
PLATFORM: Final = TenantId(NOBODY)
"""In whose name the cell's own log is kept, and what is told of vendors' applications."""


class AuditPorts(Protocol):
    """What the audit log needs of a platform, by the names it has there."""

    @property
    def documents(self) -> DocumentStore:
        """The main database."""

    @property
    def sealed(self) -> DocumentStore:
        """The sealed one."""

    @property
    def objects(self) -> Objects:
        """Where files are kept until their time."""

    @property
    def bus(self) -> EventBus:
        """Where it is told who was shown what."""

    @property
    def cipher(self) -> Cipher:
        """What seals keys and guests."""

    @property
    def entropy(self) -> Entropy:
        """Chance."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> Ids:
        """New names."""

    @property
    def log(self) -> Log:
        """Where somebody is called from."""

    @property
    def cell(self) -> str:
        """Where we are."""


@dataclass(frozen=True, slots=True)
class AuditServices:
    """The ports of the audit log, and the cell it is of."""

    documents: DocumentStore
    sealed: DocumentStore
    objects: Objects
    bus: EventBus
    cipher: Cipher
    entropy: Entropy
    clock: Clock
    ids: Ids
    log: Log
    cell: str

    @classmethod
    def on(cls, platform: "AuditPorts") -> Self:
        """Return what a platform offers of it."""
        stores = (platform.documents, platform.sealed, platform.objects, platform.bus, platform.cipher)
        around = (platform.entropy, platform.clock, platform.ids, platform.log)
        return cls(*stores, *around, platform.cell)

    @property
    def now(self) -> datetime:
        """What time it is."""
        return self.clock.now()

    async def admitted(self, tenant: TenantId, *, to_go_on: bool = False) -> TenantDocuments:
        """Return the documents of a tenant of this cell, or refuse a stranger's before anything is read.

        The log of one that moved to another cell is read here for its time; it goes on there.
        """
        store = self.documents.tenant(tenant)
        if tenant == PLATFORM:
            return store
        record, known = await store.get(RECORD), {self.cell} if to_go_on else {self.cell, MOVED_AWAY}
        if record is None or record.data.get(PIN) not in known:
            raise InvalidInput("tenant", "no tenant of this cell", "name one that is admitted here")
        return store

    async def kept_for(self, tenant: TenantId) -> timedelta:
        """Return how long a tenant's audit is kept."""
        found: Document | None = await self.documents.tenant(tenant).get(RETENTION)
        days = LEAST_DAYS if found is None else max(LEAST_DAYS, int(found.data["days"]))
        return timedelta(days=days)
