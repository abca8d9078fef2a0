"""What is told of an operator's session: opened and closed (C §4, §5)."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from shared.events.backoffice.vocabulary import (
    MOST,
    AppVersion,
    CloseReason,
    Locale,
    OperatorId,
    Platform,
    PropId,
    Role,
    SessionId,
)
from shared.events.wire import Count, DesktopId, Instant, Published, Sha256, TenantId, in_order


class SessionOpenedV1(Published):
    """An operator signed in at a device; address and fingerprint are told as peppered hashes only."""

    operator_id: OperatorId
    device_id: DesktopId
    session_id: SessionId
    tenant_id: TenantId
    property_scope: Annotated[tuple[PropId, ...], Field(min_length=1, max_length=MOST)]
    primary_property_id: PropId
    roles: Annotated[tuple[Role, ...], Field(min_length=1, max_length=20)]
    locale: Locale
    app_version: AppVersion
    app_platform: Platform
    ip_hash: Sha256
    fingerprint_hash: Sha256
    opened_at: Instant


class SessionClosedV1(Published):
    """A session ended, with why and how much was done in it."""

    session_id: SessionId
    operator_id: OperatorId
    device_id: DesktopId
    opened_at: Instant
    closed_at: Instant
    reason: CloseReason
    activity_count: Count
    lock_proxy_count: Count
    mutation_proxy_count: Count

    @model_validator(mode="after")
    def _closed_after_it_opened(self) -> Self:
        if self.closed_at != self.opened_at:
            in_order(self.opened_at, self.closed_at)
        return self
