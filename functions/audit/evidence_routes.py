"""What people ask of the audit log over HTTP: how it stands, and evidence of a stay, of doors or of staff.

A door's evidence, or a person's, is a span of days, in which the headers of the whole company's entries
stand: only somebody who works at every property of the tenant may have it. A stay's holds that stay alone.
"""

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.events.wire import Instant, Maybe, Published, RoomId
from shared.kernel.identity import Forbidden
from shared.queries.audit import standing
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.audit import packs
from shared.usecases.audit.questions import DOOR, STAFF, STAY, properties_of_stay
from shared.usecases.audit.questions import Asked as Question
from shared.usecases.audit.services import AuditServices

Language = Literal["en", "fr", "ar", "ps", "fa-AF"]


class LogStanding(Published):
    """Up to which day the company's log is closed, and by which key."""

    closed: Maybe[str] = None
    entries: int
    key: Maybe[str] = None
    next: Maybe[str] = None
    overdue: bool


class StayEvidenceWanted(Published):
    """In which language the page is to be."""

    language: Language = "en"


class DoorEvidenceWanted(Published):
    """Whose doors, and from when until when."""

    rooms: Annotated[tuple[RoomId, ...], Field(min_length=1, max_length=50)]
    since: Instant
    until: Instant
    language: Language = "en"


class StaffEvidenceWanted(Published):
    """Of what a person of staff did or held, from when until when."""

    since: Instant
    until: Instant
    language: Language = "en"


class Evidence(Published):
    """A pack to verify, a page to read, and the keys that its maker says it is signed by."""

    export_id: str
    closed_up_to: str
    entries: int
    complete_for: Literal["span", "streams"]
    pack: str
    """Base64 of lines of JSON."""
    page: str
    policy: str


async def log_standing(asked: Asked, on: Platform) -> LogStanding:
    """Say how the company's log stands."""
    asked.where()
    told = await standing(on.documents.tenant(asked.principal.tenant), on.clock.now())
    shown = {name: told[name] for name in ("closed", "key", "next", "overdue")}
    return LogStanding(entries=told["size"], **shown)


async def evidence_of_stay(asked: Asked, on: Platform) -> Evidence:
    """Hand out the evidence of a stay."""
    services, stay = AuditServices.on(on), asked.ids["reservationId"]
    places = await properties_of_stay(stay, on.documents.tenant(asked.principal.tenant))
    if not places:
        raise NotThere("no such stay in the log")
    for place in places:
        asked.at(PropertyId(place))
    question = Question(asked.principal.tenant, STAY, stay)
    return await _handed_out(question, asked, services)


async def evidence_of_doors(asked: Asked, on: Platform) -> Evidence:
    """Hand out the evidence of some doors and a time."""
    return await _of_span(DOOR, asked.ids["propertyId"], asked, on, frozenset(asked.body.rooms))


async def evidence_of_staff(asked: Asked, on: Platform) -> Evidence:
    """Hand out the evidence of a person of staff and a time."""
    return await _of_span(STAFF, asked.ids["userId"], asked, on)


async def _of_span(
    kind: str, about: str, asked: Asked, on: Platform, rooms: frozenset[str] = frozenset()
) -> Evidence:
    if asked.where() is not None:
        raise Forbidden("a span shows every property of the company: ask who works at all of them")
    times: tuple[datetime, datetime] = (asked.body.since, asked.body.until)
    question = Question(asked.principal.tenant, kind, about, rooms, *times)
    return await _handed_out(question.checked(), asked, AuditServices.on(on))


async def _handed_out(question: Question, asked: Asked, services: AuditServices) -> Evidence:
    wish = packs.WantPack(question, asked.principal.id, asked.body.language)
    told: dict[str, Any] = await packs.hand_out(wish, services)
    return Evidence(export_id=told.pop("export"), **told)


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/audit",
        summary="How the audit log stands",
        use_case=log_standing,
        answer=LogStanding,
        permission=Permission.AUDIT_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/reservations/{reservationId}/evidence",
        summary="Evidence of a stay, to verify and to read",
        use_case=evidence_of_stay,
        request=StayEvidenceWanted,
        answer=Evidence,
        permission=Permission.AUDIT_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/properties/{propertyId}/evidence",
        summary="Evidence of doors and a time, to verify and to read",
        use_case=evidence_of_doors,
        request=DoorEvidenceWanted,
        answer=Evidence,
        permission=Permission.AUDIT_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/staff/{userId}/evidence",
        summary="Evidence of what a person of staff did or held, to verify and to read",
        use_case=evidence_of_staff,
        request=StaffEvidenceWanted,
        answer=Evidence,
        permission=Permission.AUDIT_READ,
    ),
)
