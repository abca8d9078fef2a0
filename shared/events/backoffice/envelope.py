"""The envelope of C §2: exact around what the backoffice publishes."""

from functools import cache
from importlib import import_module
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.events.backoffice.catalogue import PRODUCER, TELEMETRY, RetentionClass, Telemetry
from shared.events.backoffice.vocabulary import (
    AppVersion,
    Cause,
    Instance,
    OperatorId,
    PepperId,
    Platform,
    PropId,
    Rate,
    RequestId,
    SessionId,
)
from shared.events.canonical import canonical_json
from shared.events.codec import refusing
from shared.events.errors import UnknownSubject
from shared.events.wire import (
    DesktopId,
    EventId,
    Instant,
    Maybe,
    Published,
    TenantId,
    TraceParent,
)

PayloadT = TypeVar("PayloadT", bound=Published)


class TelemetryHead(Published):
    """Who, where, when and by what share: the same around every subject.

    `samplingRate` is the share that decided, overrides included: an analyst weighs by its inverse.
    `pepperId` names the pepper of the hashes inside, where there are any (an addition of ours).
    """

    event_id: EventId
    subject: str = Field(json_schema_extra={"enum": [*TELEMETRY]})
    version: int = Field(strict=True, ge=1)
    occurred_at: Instant
    published_at: Instant
    producer: Literal["bff-backoffice-service"] = PRODUCER
    producer_instance: Instance
    tenant_id: TenantId
    operator_id: OperatorId
    device_id: DesktopId
    session_id: Maybe[SessionId] = None
    property_id: Maybe[PropId] = None
    request_id: RequestId
    trace_id: TraceParent
    causation_id: Maybe[Cause] = None
    correlation_id: Cause
    schema_uri: str = Field(json_schema_extra={"enum": [row.schema_uri for row in TELEMETRY.values()]})
    retention_class: RetentionClass
    sampling_rate: Rate
    app_version: AppVersion
    app_platform: Platform
    pepper_id: Maybe[PepperId] = None

    @field_validator("subject")
    @classmethod
    def _is_told(cls, subject: str) -> str:
        if subject not in TELEMETRY:
            raise PydanticCustomError("subject_unknown", "the table does not hold it")
        return subject

    @model_validator(mode="after")
    def _agrees_with_the_table(self) -> Self:
        row = row_of(self.subject)
        told = (self.version, self.schema_uri, self.retention_class)
        if told != (row.version, row.schema_uri, row.retention):
            raise PydanticCustomError(
                "row_differs", "version, schemaUri or retentionClass is not the subject's"
            )
        if self.published_at < self.occurred_at:
            raise PydanticCustomError("instant_order", "it is published before it occurred")
        return self


class TelemetryEvent(Published, Generic[PayloadT]):
    """A telemetry event, complete and exact."""

    envelope: TelemetryHead
    payload: PayloadT

    @field_validator("payload")
    @classmethod
    def _of_one_tenant_and_operator(cls, payload: Any, info: ValidationInfo) -> Any:
        head = info.data.get("envelope")
        for field in ("tenant_id", "operator_id", "device_id", "session_id", "property_id"):
            inner = getattr(payload, field, None)
            if head is not None and inner is not None and inner != getattr(head, field):
                raise PydanticCustomError("head_differs", "its ids differ from the envelope's")
        return payload


def row_of(subject: str) -> Telemetry:
    """The row of a subject."""
    if subject not in TELEMETRY:
        raise UnknownSubject(subject, ())
    return TELEMETRY[subject]


@cache
def payload_model(subject: str) -> type[Published]:
    """The payload's model; imports that family's module and no other."""
    module, _, name = row_of(subject).model.partition(":")
    model: type[Published] = getattr(import_module(f"shared.events.backoffice.{module}"), name)
    return model


@cache
def telemetry_model(subject: str) -> type[TelemetryEvent[Any]]:
    """The model of the whole event."""
    model: Any = payload_model(subject)
    return TelemetryEvent[model]


def encode_telemetry(event: TelemetryEvent[Any]) -> bytes:
    """The bytes to publish: checked once more as a reader would, and in the one canonical spelling."""
    written = event.model_dump(mode="json", by_alias=True, warnings="none")
    with refusing():
        telemetry_model(event.envelope.subject).model_validate(written, by_alias=True, by_name=False)
    return canonical_json(written)
