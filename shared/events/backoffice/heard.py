"""What the backoffice hears of its neighbours (C §15): names are C's, fields are what we rely on."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import AliasChoices, Field, StringConstraints, model_validator

from shared.domain.errors import InvalidInput
from shared.events.backoffice.decisions import AlertCategory, Provenance
from shared.events.backoffice.heard_subjects import ALSO_CALLED, ROOT
from shared.events.backoffice.vocabulary import AlertId, Role, SessionId, SuggestionId
from shared.events.codec import in_our_spelling, refusing
from shared.events.wire import (
    Code,
    ForeignInstant,
    Maybe,
    PropertyId,
    Received,
    ReservationId,
    RoomId,
    TenantId,
)
from shared.events.wire import UserId as WireUserId

Name = Annotated[str, StringConstraints(pattern="^evt_[0-9A-Za-z_-]{1,64}$")]
TaskName = Annotated[str, StringConstraints(pattern="^[0-9A-Za-z_-]{1,64}$")]
_WHO: Final = AliasChoices("userId", "operatorId")


class Told(Received):
    """What all of these have: perhaps a tenant, to be checked against the envelope's."""

    tenant_id: Maybe[TenantId] = None


class OfPerson(Told):
    """Something of one person's."""

    user_id: Annotated[Maybe[WireUserId], Field(validation_alias=_WHO)] = None
    session_id: Maybe[SessionId] = None


class OfProperty(Told):
    """Something that only makes what was shown of a property stale."""

    property_id: Maybe[PropertyId] = None


class OfStay(OfProperty):
    """A guest came or went."""

    reservation_id: ReservationId


class SuggestionCreated(OfProperty):
    """A model suggests something; what it says in words is not taken, for words may name guests."""

    property_id: PropertyId
    suggestion_id: SuggestionId
    category: Code
    severity: Code
    provenance: Provenance
    created_at: Maybe[ForeignInstant] = None


class SuggestionGone(Told):
    """A suggestion counts no more."""

    suggestion_id: SuggestionId


class AlertRaised(OfProperty):
    """Something is wrong at a property."""

    property_id: PropertyId
    alert_id: AlertId
    category: AlertCategory = "other"
    severity: Literal["info", "warning", "critical"]
    raised_at: Maybe[ForeignInstant] = None


class AlertGone(Told):
    """What was wrong is mended."""

    alert_id: AlertId


class Task(OfProperty):
    """Something is to be done in a room: for housekeeping or for maintenance."""

    task_id: Annotated[
        TaskName, Field(validation_alias=AliasChoices("taskId", "workOrderId", "workorderId", "id"))
    ]
    room: Annotated[Maybe[RoomId], Field(validation_alias=AliasChoices("roomId", "room"))] = None
    status: Annotated[
        Maybe[Code], Field(validation_alias=AliasChoices("status", "to", "toStatus", "state"))
    ] = None


class RoleUpdated(OfPerson):
    """What somebody may do has changed."""

    roles: tuple[Role, ...] = ()


MODELS: Final[Mapping[str, type[Told]]] = MappingProxyType(
    {
        f"{ROOT}iam.session.revoked.v1": OfPerson,
        f"{ROOT}iam.user.disabled.v1": OfPerson,
        f"{ROOT}ai.suggestion.created.v1": SuggestionCreated,
        f"{ROOT}ai.suggestion.invalidated.v1": SuggestionGone,
        f"{ROOT}alert.raised.v1": AlertRaised,
        f"{ROOT}alert.resolved.v1": AlertGone,
        f"{ROOT}theme.published.v1": OfProperty,
        f"{ROOT}reservation.checked_in.v1": OfStay,
        f"{ROOT}reservation.checked_out.v1": OfStay,
        f"{ROOT}housekeeping.task.created.v1": Task,
        f"{ROOT}housekeeping.task.transitioned.v1": Task,
        f"{ROOT}maintenance.workorder.opened.v1": Task,
        f"{ROOT}maintenance.workorder.transitioned.v1": Task,
        f"{ROOT}tenant.operator_role.updated.v1": RoleUpdated,
    }
)
"""The fourteen subjects of C §15."""


class _Envelope(Received):
    id: Name
    subject: str
    tenant_id: TenantId
    time: ForeignInstant
    data: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, document: Any) -> Any:
        """Take C's own envelope for B's: the same under other names."""
        if not isinstance(document, dict) or not isinstance(head := document.get("envelope"), dict):
            return document
        names = {"id": "eventId", "subject": "subject", "tenantId": "tenantId", "time": "occurredAt"}
        return {name: head.get(theirs) for name, theirs in names.items()} | {"data": document.get("payload")}


@dataclass(frozen=True, slots=True)
class HeardEvent:
    """One of the fourteen, as we understand it; its subject is C's name for it."""

    id: str
    subject: str
    tenant: str
    time: Any
    told: Any


def read_heard(body: bytes) -> HeardEvent:
    """Read an event of a neighbour's, or refuse it without repeating what it says."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidInput("body", "not JSON", "publish one event as JSON") from None
    with refusing():
        head = _Envelope.model_validate(document)
    subject = ALSO_CALLED.get(head.subject, head.subject)
    if subject not in MODELS:
        raise InvalidInput("subject", "none of those heard here", "publish it to its own topic")
    with refusing():
        told = MODELS[subject].model_validate(in_our_spelling(head.data))
    if told.tenant_id not in (None, head.tenant_id):
        raise InvalidInput("data.tenantId", "not the envelope's", "send one tenant's data in its envelope")
    return HeardEvent(head.id, subject, head.tenant_id, head.time, told)
