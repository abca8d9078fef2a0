"""Which key of the ledger a key of a desk became: kept for both directions, until its time is long over."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from shared.domain.ids import CredentialId, ProvisionalKeyId, credential_id
from shared.ledger.indexes import LOCAL_KEYS
from shared.ports.documents import Create, Document, Ref, TenantDocuments

COLLECTION: Final = "desk_local_keys"
KEPT_AFTER: Final = timedelta(days=60)
MOST: Final = 50


@dataclass(frozen=True, slots=True)
class LocalKey:
    """A key that a desk made alone, and the ledger's key that it is."""

    local: ProvisionalKeyId
    key: CredentialId
    desk: str
    number: int
    """The issue number on its card, in milliseconds since 1970; 0 where it is no card."""

    def write(self, ends: datetime) -> Create:
        """Return what keeps it; a second of its name is refused."""
        data = {"schema_version": 1, "local": self.local, "key": self.key, "desk": self.desk}
        data |= {"number": self.number}
        return Create(_ref(self.local), data, ends + KEPT_AFTER)

    @classmethod
    def read(cls, found: Document) -> Self:
        """Read what was kept."""
        data = found.data
        return cls(ProvisionalKeyId(data["local"]), credential_id(data["key"]), data["desk"], data["number"])


async def local_key(local: str, store: TenantDocuments) -> LocalKey | None:
    """Return what became of a desk's key, if that is decided."""
    found = await store.get(_ref(local))
    return None if found is None else LocalKey.read(found)


async def local_keys_of(key: str, store: TenantDocuments) -> list[LocalKey]:
    """Return the keys of desks that became a key."""
    found = await store.query(LOCAL_KEYS, {"key": key}, limit=MOST)
    return [LocalKey.read(each) for each in found]


def _ref(local: str) -> Ref:
    return Ref(COLLECTION, local)
