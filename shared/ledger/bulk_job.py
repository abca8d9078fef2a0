"""A bulk revocation as it is kept: how far it came, and in pages the keys that are yet to go from locks."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self
from uuid import UUID

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import SAGA, Actor, RevokeReason
from shared.domain.stored import Json, Stored
from shared.ledger.key_record import Cause
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record
from shared.streams.telling import DUE_AT

BULK_JOBS: Final = "bulk_jobs"
BULK_PAGES: Final = "bulk_pages"
STALLED_AFTER: Final = timedelta(minutes=20)
"""Whoever works on a job says so more often."""
TOLD_AFTER: Final = timedelta(hours=24)
"""A job that is not done by then is somebody's to look at (A §13.2: within a day)."""


class Stage(StrEnum):
    """How far a bulk revocation is."""

    REVOKING = "revoking"
    """Keys end in the ledger, and are told, page by page."""
    REMOVING = "removing"
    """Every key is over; locks are yet to let go of them."""
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkJob(Record):
    """Which keys end, why, and how many did; `page` is the one whose keys are being taken off their locks.

    `execution` is the one that works on it, of a `generation`; another is refused until it is stalled.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("newest",)

    id: str
    property_id: PropertyId
    reason: RevokeReason
    cause: Cause
    began_at: Moment
    moved_at: Moment
    device_id: LockDeviceId | None = None
    by: Actor = SAGA
    stage: Stage = Stage.REVOKING
    event_id: str | None = None
    pages: int = 0
    page: int = 0
    revoked: int = 0
    removed: int = 0
    residual: int = 0
    rests: int = 0
    """How often in a row nobody could be asked."""
    generation: int = 1
    execution: str | None = None
    due: Annotated[Moment | None, Stored(DUE_AT, omitted=True)] = None
    told_late: bool = False

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(BULK_JOBS, self.id)

    @property
    def execution_name(self) -> str:
        """What its work on each key goes by: whichever execution goes on with it, it is the same work."""
        named = hashlib.sha256(f"{self.id} {milliseconds(self.began_at)}".encode()).digest()
        return str(UUID(bytes=named[:16]))

    def indexed(self) -> dict[str, Json]:
        """Return what lists read."""
        return {"newest": -milliseconds(self.began_at)}

    def moved(self, now: datetime, **news: object) -> Self:
        """Return it come further: while somebody works on it nobody else need look."""
        return replace(self, moved_at=now, due=now + STALLED_AFTER, **news)  # type: ignore[arg-type]  # fields of ours, by name

    def follows(self, generation: int, execution: str) -> bool:
        """Say whether this execution is the one to go on, or may become it."""
        return self.generation == generation and self.execution in (None, execution)


@dataclass(frozen=True, slots=True)
class OwedKey:
    """A key that is over and may still open its locks, and the vendor that is asked next."""

    key: str
    vendor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkPage(Record):
    """Keys that were revoked in one commit, and are yet to go from their locks.

    `told`: their ends are published, so that who takes them off their locks need not say it again.
    """

    schema_version: ClassVar[int] = 1

    job: str
    number: int
    keys: Annotated[tuple[OwedKey, ...], Stored(rows=True)]
    told: bool = False
    removed: int = 0
    residual: int = 0

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return page_at(self.job, self.number)


def page_at(job: str, number: int) -> Ref:
    """Return where a page of a job is kept."""
    return Ref(BULK_PAGES, f"{job}.{number:06d}")


async def find_job(documents: TenantDocuments, name: str) -> BulkJob | None:
    """Return a job, or None."""
    found = await documents.get(Ref(BULK_JOBS, name))
    return None if found is None else job_from(found)


async def find_page(documents: TenantDocuments, job: str, number: int) -> BulkPage | None:
    """Return a page of a job, or None."""
    found = await documents.get(page_at(job, number))
    return None if found is None else read_record(BulkPage, found)


def job_from(found: Document) -> BulkJob:
    """Read a job."""
    return read_record(BulkJob, found)
