"""What a vendor tells of the keys at a lock, whoever made them: never what opens it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedKey:
    """A key as its vendor lists it; the name that people gave it may be a guest's, and is shown nowhere.

    `valid_until` is None where it has no end that the lock enforces. Where numbers are not `lasting`, the
    same one may be another key's by the next list.
    """

    kind: KeyCredentialKind
    name: str = field(repr=False)
    vendor_ref: Secret[str]
    valid_from: datetime
    valid_until: datetime | None
    resting: bool = False
    lasting: bool = True


@dataclass(frozen=True, slots=True)
class KeyList:
    """All keys at a lock of the kinds that its vendor lists; of other kinds it says nothing."""

    kinds: frozenset[KeyCredentialKind]
    keys: tuple[ListedKey, ...]


@runtime_checkable
class ListsKeys(Protocol):
    """A vendor that tells which keys are at a lock; both methods refuse as LockError."""

    async def list_keys(self, device_id: LockDeviceId) -> KeyList:
        """Return every key at a lock, as a poll; a list that is not whole is refused."""

    async def remove_listed(self, device_id: LockDeviceId, key: ListedKey) -> None:
        """See to it that this very key is not at the lock; other keys of its name stay."""
