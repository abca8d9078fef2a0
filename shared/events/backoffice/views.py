"""What is told of looking and doing: dashboard, workbench and an operator's activity (C §6, §7, §10)."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.events.backoffice.vocabulary import (
    ErrorCode,
    Milliseconds,
    OperatorId,
    Outcome,
    PropId,
    RenderMode,
    ResourceId,
    Role,
    SessionId,
    View,
)
from shared.events.wire import Code, Count, DesktopId, DottedCode, Flag, Instant, Maybe, Published, TenantId

ActivityCategory = Literal[
    "view",
    "mutation_proxy",
    "lock_action",
    "ai_decision",
    "alert_ack",
    "sync_handshake",
    "preferences_changed",
    "auth",
    "other",
]


class DashboardViewedV1(Published):
    """A dashboard was shown, whole or without the widgets that came too late."""

    tenant_id: TenantId
    property_id: PropId
    operator_id: OperatorId
    operator_role: Role
    viewed_at: Instant
    render_mode: RenderMode
    partial: Flag
    missing_widgets: Annotated[tuple[Code, ...], Field(max_length=40)]
    latency_ms: Milliseconds

    @model_validator(mode="after")
    def _partial_says_what_is_missing(self) -> Self:
        if self.partial != bool(self.missing_widgets):
            raise PydanticCustomError("partial_differs", "partial differs from whether widgets are missing")
        return self


class WorkbenchOpenedV1(Published):
    """A view of the workbench was opened."""

    tenant_id: TenantId
    property_id: PropId
    operator_id: OperatorId
    view: View
    opened_at: Instant
    render_mode: RenderMode
    items_rendered: Count
    latency_ms: Milliseconds


class ResourceRef(Published):
    """What an action was about: its kind and id, nothing of what it holds."""

    kind: Code
    id: ResourceId


class OperatorActivityV1(Published):
    """An operator did something, with how it ended."""

    tenant_id: TenantId
    property_id: Maybe[PropId] = None
    operator_id: OperatorId
    device_id: DesktopId
    session_id: SessionId
    occurred_at: Instant
    category: ActivityCategory
    action: DottedCode
    resource_ref: Maybe[ResourceRef] = None
    outcome: Outcome
    latency_ms: Milliseconds
    error_code: ErrorCode | None
