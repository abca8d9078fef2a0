"""An attempt at a door as it is kept: who tried, so far as anybody knows, and what came of it; no secret.

Its id follows from its lock and the vendor's name for it, so that it is kept, and told, once.
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.ids import (
    AccessAttemptId,
    CredentialId,
    LockDeviceId,
    PropertyId,
    TenantId,
    ulid,
)
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref
from shared.ports.door_records import Means
from shared.streams.stream import Stream

ATTEMPTS: Final = "attempts"
TOLD_AFTER: Final = timedelta(minutes=2)
"""Whoever keeps an attempt tells of it at once; after this, the sweeper does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Stream):
    """One attempt; `refused` says why it did not open, `alarm` what is wrong about one that did."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("of_key", "newest")

    id: AccessAttemptId
    tenant: TenantId
    property_id: PropertyId
    device_id: LockDeviceId
    vendor: VendorCode
    event: str
    at: Moment
    heard_at: Moment
    opened: bool
    means: Means
    credential_id: CredentialId | None = None
    staff: Annotated[bool, Stored(omitted=True)] = False
    refused: Annotated[str | None, Stored(omitted=True)] = None
    alarm: Annotated[str | None, Stored(omitted=True)] = None
    challenge: Annotated[LockDeviceId | None, Stored(omitted=True)] = None
    """The lock that was challenged by what was typed here."""
    sequence: int = 1

    def indexed(self) -> dict[str, Json]:
        """Return what indexes read that is no field; they go upwards, so that age below zero comes first."""
        of_key = {} if self.credential_id is None else {"of_key": str(self.credential_id)}
        return {**of_key, "newest": -milliseconds(self.at)}

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(ATTEMPTS, str(self.id))

    @property
    def _sequence(self) -> int:
        return self.sequence


def attempt_id(device: LockDeviceId, event: str, at_ms: int) -> AccessAttemptId:
    """Return the id of an attempt: the same for the same, however often it is told."""
    digest = hashlib.sha256(f"{device}|{event}|{at_ms}".encode()).digest()
    return AccessAttemptId.mint(ulid(max(0, at_ms), int.from_bytes(digest[:10])))


def attempt_from(found: Document) -> Attempt:
    """Read an attempt."""
    return read_record(Attempt, found)
