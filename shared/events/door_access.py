"""Who tried which door: B §2.14."""

from typing import Literal

from shared.events.wire import (
    AttemptId,
    Code,
    DeviceId,
    Instant,
    KeyCredentialId,
    Maybe,
    OpaqueId,
    PropertyId,
    Published,
    VendorCode,
)


class AuditAttemptV1(Published):
    """A door-access event a vendor told us; the credential is left out when nobody knows it."""

    attempt_id: AttemptId
    property_id: PropertyId
    device_id: DeviceId
    key_credential_id: Maybe[KeyCredentialId] = None
    outcome: Literal["granted", "denied"]
    deny_reason: Code | None
    vendor: VendorCode
    vendor_event_id: OpaqueId
    attempted_at: Instant
    ingested_at: Instant
