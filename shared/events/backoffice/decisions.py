"""What is told of decisions: an AI suggestion, an alert, a lock's action (C §8, §9, §14)."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt

from shared.events.backoffice.vocabulary import (
    AlertEntryId,
    AlertId,
    AppVersion,
    ErrorCode,
    Milliseconds,
    ModelName,
    OperatorId,
    PropId,
    ResourceId,
    SuggestionEntryId,
    SuggestionId,
)
from shared.events.wire import (
    Code,
    DesktopId,
    DottedCode,
    Flag,
    Instant,
    Published,
    ReservationId,
    Sha256,
    TenantId,
    VendorCode,
)

Changed = StrictBool | StrictInt | StrictFloat | ResourceId
Delta = Annotated[
    dict[DottedCode, Changed],
    Field(min_length=1, max_length=40, json_schema_extra={"additionalProperties": False}),
]
AlertCategory = Literal[
    "lock_failed", "oversold", "payment_failed", "sync_lag", "device_offline", "security", "other"
]


class SuggestionDecision(Published):
    """How a suggestion was decided: that there are notes, never the notes, for they may name guests."""

    outcome: Literal["accepted", "rejected", "modified"]
    modified_delta: Delta | None
    notes_present: Flag


class Provenance(Published):
    """What model made a suggestion."""

    model: ModelName
    model_version: AppVersion
    prompt_version: ModelName
    model_class: Code
    signature_fingerprint: Sha256


class AiSuggestionDecidedV1(Published):
    """An operator took, refused or changed a suggestion."""

    suggestion_id: SuggestionId
    inbox_entry_id: SuggestionEntryId
    tenant_id: TenantId
    property_id: PropId
    operator_id: OperatorId
    device_id: DesktopId
    category: Code
    severity: Code
    decision: SuggestionDecision
    decided_at: Instant
    ms_since_created: Milliseconds
    provenance: Provenance


class AlertAcknowledgedV1(Published):
    """An operator took an alert on."""

    alert_id: AlertId
    inbox_entry_id: AlertEntryId
    tenant_id: TenantId
    property_id: PropId
    operator_id: OperatorId
    device_id: DesktopId
    category: AlertCategory
    severity: Literal["info", "warning", "critical"]
    raised_at: Instant
    acknowledged_at: Instant
    ms_from_raise_to_ack: Milliseconds
    notes_present: Flag


class LockActionProxiedV1(Published):
    """An operator's order to a lock was passed on; vendor and action are in C's spelling."""

    tenant_id: TenantId
    property_id: PropId
    operator_id: OperatorId
    device_id: DesktopId
    reservation_id: ReservationId
    vendor: VendorCode
    action: Literal["issue", "revoke", "rebind", "extend"]
    outcome: Literal["success", "failure"]
    error_code: ErrorCode | None
    mfa_attestation_used: Flag
    occurred_at: Instant
    upstream_latency_ms: Milliseconds
