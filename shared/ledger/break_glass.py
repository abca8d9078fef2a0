"""Broken glass as it is kept: an incident for which a person is shown a vendor's account (A §13.1; 0161).

| stage | means | ends |
|---|---|---|
| asked | two others have half an hour to agree | open, refused by one of them, or expired |
| open | the account lies sealed to the one who asked | closed by them, or by the clock |
| closed | nobody is shown it any more, and it is being replaced | |

The record stays: it is the documentation of the incident.
"""

import base64
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import BreakGlassId, PropertyId, UserId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.stored import Json, Stored
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.reading import read_record
from shared.ports.documents import Create, Delete, Document, Ref, TenantDocuments, Update
from shared.streams.record import Record

BREAK_GLASS: Final = "break_glass"
BOXES: Final = "opened_accounts"
APPROVERS: Final = 2
ASKED_FOR: Final = timedelta(minutes=30)
LONGEST: Final = timedelta(minutes=60)


class GlassStage(StrEnum):
    """How far it is."""

    ASKED = "asked"
    OPEN = "open"
    CLOSED = "closed"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Approval:
    """Who agreed, and when."""

    by: UserId
    at: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakGlass(Record):
    """One incident; `until` is when nobody else having done so, the clock decides.

    At `due` somebody looks: then, or sooner while no execution has taken it up.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("newest",)

    id: BreakGlassId
    vendor: VendorCode
    property_id: PropertyId
    incident: str
    because: str
    asked_by: UserId
    asked_at: Moment
    minutes: int
    seal_to: str
    stage: GlassStage = GlassStage.ASKED
    approvals: tuple[Approval, ...] = ()
    ended_by: Annotated[str | None, Stored(omitted=True)] = None
    ended_at: Annotated[Moment | None, Stored(omitted=True)] = None
    execution: Annotated[str | None, Stored(omitted=True)] = None
    until: Annotated[Moment | None, Stored(omitted=True)] = None
    due: Annotated[Moment | None, Stored("due_at", omitted=True)] = None

    def indexed(self) -> dict[str, Json]:
        """Return what the list goes by: the newest first."""
        return {"newest": -milliseconds(self.asked_at)}

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(BREAK_GLASS, self.id)

    def approved(self, by: UserId, now: datetime) -> Self:
        """Return it with one more who agrees; with the second it is open, for as long as was asked for."""
        self._may_judge(by, now)
        approvals = (*self.approvals, Approval(by, now))
        if len(approvals) < APPROVERS:
            return replace(self, approvals=approvals)
        opened = replace(self, approvals=approvals, stage=GlassStage.OPEN)
        return opened.lasting(now + timedelta(minutes=self.minutes), now)

    def lasting(self, until: datetime, now: datetime) -> Self:
        """Return it with so much time, and looked at sooner while nobody has taken it up."""
        return replace(self, until=until, due=until if self.execution else min(until, now + STARTED_WITHIN))

    def taken_up(self, execution: str) -> Self:
        """Return it with the execution that sees to it."""
        return replace(self, execution=execution, due=self.ends)

    @property
    def ends(self) -> datetime | None:
        """When the clock decides; an earlier release looked only then."""
        return None if self.due is None else self.until or self.due

    def refused(self, by: UserId, now: datetime) -> Self:
        """Return it as one who was asked refused it."""
        self._may_judge(by, now)
        return self._ended(GlassStage.REFUSED, by, now)

    def closed(self, by: str, now: datetime) -> Self:
        """Return it closed."""
        if self.stage is not GlassStage.OPEN:
            raise InvalidInput("breakGlassId", "not open", "Look at it: it is over, or not agreed to")
        return self._ended(GlassStage.CLOSED, by, now)

    def overdue(self, now: datetime) -> Self | None:
        """Return what the clock makes of it, or None while it has time."""
        if self.ends is None or now < self.ends:
            return None
        over = GlassStage.EXPIRED if self.stage is GlassStage.ASKED else GlassStage.CLOSED
        return self._ended(over, "clock", now)

    def shows(self, now: datetime) -> bool:
        """Say whether the account may be shown at this moment."""
        return self.stage is GlassStage.OPEN and self.ends is not None and now < self.ends

    async def keep_box(self, box: bytes, sealed: TenantDocuments) -> None:
        """Keep the account as it is sealed to who asked, until the time is over."""
        ref, data = Ref(BOXES, self.id), {"schema_version": 1, "box": base64.b64encode(box).decode()}
        found = await sealed.get(ref)
        write = Create(ref, data, self.ends) if found is None else Update(ref, data, found.version, self.ends)
        await sealed.commit([write])

    def _ended(self, stage: GlassStage, by: str, now: datetime) -> Self:
        return replace(self, stage=stage, ended_by=by, ended_at=now, due=None)

    def _may_judge(self, by: UserId, now: datetime) -> None:
        if self.stage is not GlassStage.ASKED or self.overdue(now) is not None:
            raise InvalidInput("breakGlassId", "not waiting for anybody", "Ask anew, if it is needed still")
        if by == self.asked_by:
            raise InvalidInput("by", "the one who asked", "Two others must agree")
        if by in {each.by for each in self.approvals}:
            raise InvalidInput("by", "agreed already", "Somebody else must agree too")


def glass_from(found: Document) -> BreakGlass:
    """Read a record."""
    return read_record(BreakGlass, found)


async def find_glass(store: TenantDocuments, name: str) -> BreakGlass | None:
    """Return one, or None."""
    found = await store.get(Ref(BREAK_GLASS, name))
    return None if found is None else glass_from(found)


async def find_box(sealed: TenantDocuments, name: str) -> str | None:
    """Return the account as it is sealed to who asked, or None."""
    found = await sealed.get(Ref(BOXES, name))
    return None if found is None else str(found.data["box"])


async def destroy_box(sealed: TenantDocuments, name: str) -> None:
    """Destroy what was sealed."""
    found = await sealed.get(Ref(BOXES, name))
    if found is not None:
        await sealed.commit([Delete(found.ref, found.version)])
