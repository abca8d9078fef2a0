"""What passes between us and the vendors: webhooks and the health of adapters, B §2.15 to 2.17."""

from typing import Literal

from pydantic import Field

from shared.events.wire import (
    Code,
    Count,
    DottedCode,
    Flag,
    Instant,
    Maybe,
    OpaqueId,
    Percent,
    PropertyId,
    Published,
    VendorAdapterId,
    VendorCode,
    WebhookId,
)

BreakerState = Literal["closed", "open", "half_open"]


class VendorWebhookReceivedV1(Published):
    """A webhook came in; recorded before anything acts on it (B §2.15)."""

    webhook_id: WebhookId
    vendor: VendorCode
    external_event_id: OpaqueId
    type: DottedCode
    received_at: Instant
    signature_ok: Flag
    property_id: Maybe[PropertyId] = None


class VendorWebhookProcessedV1(Published):
    """What became of a webhook (B §2.16)."""

    webhook_id: WebhookId
    vendor: VendorCode
    type: DottedCode
    outcome: Literal["applied", "duplicate", "ignored"]
    processed_at: Instant
    property_id: Maybe[PropertyId] = None


class BreakerMetric(Published):
    """What moved the breaker."""

    error_rate_pct: Maybe[Percent] = None
    window_size: Maybe[Count] = None


class VendorAdapterHealthChangedV1(Published):
    """A circuit breaker changed state (B §2.17)."""

    vendor_adapter_id: VendorAdapterId
    vendor: VendorCode
    environment: Code
    before: BreakerState = Field(alias="from")
    after: BreakerState = Field(alias="to")
    reason: Code
    metric: BreakerMetric
    changed_at: Instant
