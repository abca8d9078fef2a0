"""A key as a LockPort keeps it, and what follows from that for each lock."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.ids import CredentialId, KeyCredentialId, LockDeviceId, RoomId, ulid
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.ports.lock import KeyAtLock, LockKey


@dataclass(frozen=True, slots=True)
class KeptDoor:
    """One lock of a key: whether it is to open there, and under which name it may be there."""

    device_id: LockDeviceId
    name: str
    secret: Secret[str]
    wanted: bool = True
    vendor_ref: Secret[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKey:
    """A key as it ought to be; what the locks have of it may lag behind."""

    id: CredentialId
    idempotency_key: str
    kind: KeyCredentialKind
    rooms: tuple[RoomId, ...]
    valid_from: datetime
    valid_until: datetime
    doors: tuple[KeptDoor, ...]
    secret_try: int = 0
    resting: bool = False
    revoked: bool = False
    version: str | None = None

    @property
    def secret(self) -> Secret[str]:
        """What the holder has."""
        return self.doors[-1].secret


def id_for(idempotency_key: str) -> KeyCredentialId:
    """Return the id of the key that this idempotency key makes, however often it is asked for."""
    digest = hashlib.sha256(idempotency_key.encode()).digest()
    return KeyCredentialId.mint(ulid(int.from_bytes(digest[:6]), int.from_bytes(digest[6:16])))


def vendor_key(key: KeptKey, device_id: LockDeviceId) -> str:
    """Return what makes the placing of this key at this lock that request and no other."""
    parts = (key.idempotency_key, device_id, key.kind, str(key.secret_try))
    return hashlib.sha256("|".join(parts).encode()).hexdigest()


def lock_key(key: KeptKey, door: KeptDoor, *, predates: bool) -> LockKey:
    """Return one lock's share of a key."""
    return LockKey(
        device_id=door.device_id,
        kind=key.kind,
        name=door.name,
        valid_from=key.valid_from,
        valid_until=key.valid_until,
        idempotency_key=vendor_key(key, door.device_id),
        secret=door.secret,
        intent_predates=predates,
        any_secret=len(key.doors) == 1,
        vendor_ref=door.vendor_ref,
    )


def as_placed(door: KeptDoor, at_lock: KeyAtLock) -> KeptDoor:
    """Return a door as the lock has it now."""
    return replace(door, vendor_ref=at_lock.vendor_ref, secret=at_lock.secret or door.secret)
