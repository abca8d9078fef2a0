"""What is told of the desktops: their heartbeat, cursors and handshakes (C §11 to §13)."""

from typing import Annotated, Literal

from pydantic import Field

from shared.events.backoffice.vocabulary import (
    AppVersion,
    Capability,
    Cursor,
    Load,
    Milliseconds,
    OperatorId,
    Platform,
    PropId,
)
from shared.events.wire import Count, DesktopId, DottedCode, Flag, Instant, Published, TenantId


class OutboxHint(Published):
    """How much of a kind a desktop has not sent yet."""

    aggregate: DottedCode
    count: Count
    oldest_age_seconds: Count


class DeviceHeartbeatV1(Published):
    """A desktop is alive, and how it fares."""

    tenant_id: TenantId
    property_id: PropId
    device_id: DesktopId
    operator_id: OperatorId
    occurred_at: Instant
    app_version: AppVersion
    app_platform: Platform
    network_profile: Literal["good", "flaky", "offline-recently"]
    memory_rss_mb: Count
    cpu_pct_one_min: Load
    outbox_hints: Annotated[tuple[OutboxHint, ...], Field(max_length=40)]
    last_sync_cursor_present: Flag


class SyncCursorAdvancedV1(Published):
    """A desktop has caught up some way."""

    tenant_id: TenantId
    device_id: DesktopId
    operator_id: OperatorId
    advance_kind: Literal["pull", "push", "both"]
    cursor_before: Cursor | None
    cursor_after: Cursor
    advanced_at: Instant
    ms_since_last_advance: Milliseconds


class SyncHandshakeCompletedV1(Published):
    """A desktop was let in to sync, or told why not."""

    tenant_id: TenantId
    device_id: DesktopId
    operator_id: OperatorId
    app_version: AppVersion
    capabilities: Annotated[tuple[Capability, ...], Field(max_length=40)]
    outcome: Literal["ok", "reauth_required", "version_blocked"]
    latency_ms: Milliseconds
    occurred_at: Instant
    cursor_accepted: Cursor | None
