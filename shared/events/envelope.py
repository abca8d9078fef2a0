"""The platform envelope of B §1: exact around what we publish, tolerant around what we receive."""

from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.events.catalogue import lookup
from shared.events.wire import (
    EventId,
    ForeignInstant,
    Instant,
    Maybe,
    OpaqueId,
    Published,
    Received,
    TenantId,
    TraceParent,
    WireModel,
)

SubjectName = Annotated[str, StringConstraints(pattern=r"^melmastoon(\.[a-z][a-z0-9_]*){2,5}\.v[1-9][0-9]*$")]
OurSource = Literal["/services/lock-integration-service"]
OUR_SOURCE: Final[OurSource] = "/services/lock-integration-service"
DataT = TypeVar("DataT", bound=WireModel)


def _same_as_subject(name: str, info: ValidationInfo) -> str:
    if name != info.data.get("subject", name):
        raise PydanticCustomError("type_differs", "the type differs from the subject")
    return name


def _of_one_tenant(data: Any, info: ValidationInfo) -> Any:
    inner = getattr(data, "tenant_id", None)
    if inner is not None and inner != info.data.get("tenant_id", inner):
        raise PydanticCustomError("tenant_differs", "its tenantId differs from the envelope's")
    return data


class ProducedEvent(Published, Generic[DataT]):
    """An event of ours, complete and exact."""

    spec_version: Literal["1.0"]
    id: EventId
    subject: SubjectName
    type: SubjectName
    source: OurSource
    time: Instant
    tenant_id: TenantId
    trace_id: TraceParent
    correlation_id: OpaqueId
    causation_id: Maybe[OpaqueId] = None
    schema_url: str
    data: DataT

    _type = field_validator("type")(_same_as_subject)

    @field_validator("schema_url")
    @classmethod
    def _names_its_schema(cls, url: str, info: ValidationInfo) -> str:
        subject = info.data.get("subject")
        if subject is not None and url != lookup(subject).schema_url:
            raise PydanticCustomError("schema_url", "the schemaUrl is not the one of this subject")
        return url


class ReceivedEvent(Received, Generic[DataT]):
    """An event of another service or of a desk: only what we rely on is required."""

    spec_version: Annotated[str, StringConstraints(pattern=r"^1\.[0-9]+$")] = "1.0"
    id: OpaqueId
    subject: SubjectName
    type: SubjectName
    source: Maybe[str] = None
    time: ForeignInstant
    tenant_id: TenantId
    trace_id: Maybe[str] = None
    correlation_id: Maybe[str] = None
    causation_id: Maybe[str] = None
    schema_url: Maybe[str] = None
    data: DataT

    _type = field_validator("type")(_same_as_subject)
    _tenant = field_validator("data")(_of_one_tenant)

    @model_validator(mode="before")
    @classmethod
    def _type_may_be_left_out(cls, document: Any) -> Any:
        if isinstance(document, dict) and document.get("type") is None and "subject" in document:
            return {**document, "type": document["subject"]}
        return document


Event = ProducedEvent[Any] | ReceivedEvent[Any]
