"""An anomaly: something in the attempts at doors that somebody should look at, with the facts behind it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar, Final

from shared.domain.documents import to_document
from shared.domain.ids import AccessAttemptId, CredentialId, LockDeviceId, PropertyId
from shared.domain.instants import Moment, milliseconds
from shared.domain.stored import UNSTORED, Json
from shared.ledger.reading import read_stored
from shared.ports.documents import Create, Document, Ref

ANOMALIES: Final = "anomalies"


class AnomalyKind(StrEnum):
    """What is odd: the first are doors that opened and should not have."""

    UNKNOWN_KEY_OPENED = "unknown_key_opened"
    REVOKED_KEY_OPENED = "revoked_key_opened"
    RESTING_KEY_OPENED = "resting_key_opened"
    KEY_OPENED_ANOTHER_DOOR = "key_opened_another_door"
    OPENED_BEFORE_ITS_TIME = "opened_before_its_time"
    OPENED_AFTER_ITS_TIME = "opened_after_its_time"
    USED_AFTER_CHECKOUT = "used_after_checkout"
    OFF_SHIFT_USE = "off_shift_use"
    REPEATED_DENIALS = "repeated_denials"
    STAFF_IN_OCCUPIED_ROOM = "staff_in_occupied_room"
    TWO_PLACES_AT_ONCE = "two_places_at_once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """What is odd, where and by which key, and the attempts that show it, the newest last."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("newest",)

    id: str
    kind: AnomalyKind
    property_id: PropertyId
    device_id: LockDeviceId
    at: Moment
    said: str
    facts: tuple[AccessAttemptId, ...]
    credential_id: CredentialId | None = None
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)

    def indexed(self) -> dict[str, Json]:
        """Return what the index reads: what is newest comes first by its age below zero."""
        return {"newest": -milliseconds(self.at)}

    def write(self) -> Create:
        """Return what keeps it: once, whoever finds it again."""
        return Create(Ref(ANOMALIES, self.id), to_document(self))


def anomaly_id(kind: AnomalyKind, *about: object) -> str:
    """Return the id of an anomaly: the same for the same thing, whoever finds it."""
    return hashlib.sha256("|".join([kind, *map(str, about)]).encode()).hexdigest()[:32]


def anomaly_from(found: Document) -> Anomaly:
    """Read an anomaly."""
    return read_stored(Anomaly, found)
