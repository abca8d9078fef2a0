"""Who tried which door (B §2.14), and who was shown what the audit log knows."""

from typing import Literal

from shared.events.wire import (
    AttemptId,
    Code,
    DeviceId,
    ExportId,
    GuestId,
    Instant,
    KeyCredentialId,
    Maybe,
    OpaqueId,
    PropertyId,
    Published,
    ReservationId,
    UserId,
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


class AuditExportedV1(Published):
    """Evidence left the log, or what is kept of a guest left us: about whom or what, and for which time."""

    export_id: ExportId
    kind: Literal["door", "guest", "staff", "stay"]
    property_id: Maybe[PropertyId] = None
    reservation_id: Maybe[ReservationId] = None
    guest_id: Maybe[GuestId] = None
    staff_user_id: Maybe[UserId] = None
    since: Maybe[Instant] = None
    exported_at: Instant
