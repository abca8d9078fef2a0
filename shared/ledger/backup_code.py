"""The backup code of a set of rooms: a key that is made before anybody needs it, and whose it became."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Final, Self

from shared.domain.core import Staff
from shared.domain.ids import (
    CredentialId,
    LockDeviceId,
    PropertyId,
    ReservationId,
    RoomId,
    UserId,
)
from shared.domain.instants import Moment
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref
from shared.streams.record import Record

BACKUP_CODES: Final = "backup_codes"
KEEPER: Final = Staff(UserId("usr_backup"))
"""Who holds a backup code until it is handed out: nobody, by a name of its own."""
MOST_REMEMBERED: Final = 20


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A backup code that a desk handed out: which key it was, to whose stay, on whose word, and why."""

    key: CredentialId
    reservation: ReservationId
    by: UserId
    because: str
    at: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCode(Record):
    """The code of the rooms behind one lock of their own; `made` counts those that there were."""

    schema_version: ClassVar[int] = 1

    device: LockDeviceId
    property_id: PropertyId
    rooms: tuple[RoomId, ...]
    key: CredentialId | None = None
    made: int = 0
    made_at: Moment | None = None
    handed_out: tuple[HandedOut, ...] = ()

    def with_key(self, key: CredentialId | None, now: datetime) -> Self:
        """Return it with another key, or with none."""
        return replace(self, key=key, made=self.made + (key is not None), made_at=now)

    def handed(self, out: HandedOut) -> Self:
        """Return it with one hand-out more, the latest first."""
        return replace(self, handed_out=(out, *self.handed_out)[:MOST_REMEMBERED])

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return ref_of(self.device)


def ref_of(device: str) -> Ref:
    """Return where the backup code of the rooms behind a lock is kept."""
    return Ref(BACKUP_CODES, str(device))


def backup_code_from(found: Document) -> BackupCode:
    """Read a backup code's record."""
    return read_record(BackupCode, found)
