"""The catalogue of B §2, §3, §4 and §7: pure data, so that importing it costs no pydantic and no model."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from shared.events.errors import UnknownSubject
from shared.events.subject import Direction, Retention, Subject

if TYPE_CHECKING:
    from shared.events.wire import WireModel

OURSELVES = "lock-integration-service"
DESK = "edge-agent"

_AUDIT, _ANALYTICS = "audit-service", "analytics-service"
_NOTIFICATION, _SYNC = "notification-service", "sync-service"
_RECORD = (_AUDIT, _ANALYTICS)
_DESKTOP = (*_RECORD, _SYNC)
_EVERYONE = (_NOTIFICATION, *_DESKTOP)

_OPERATIONAL, _REGULATED = Retention.OPERATIONAL, Retention.REGULATED


def _ours(
    name: str,
    model: str,
    retention: Retention = _OPERATIONAL,
    consumers: tuple[str, ...] = _RECORD,
    *,
    anchored: bool = False,
    extension: bool = False,
) -> Subject:
    return Subject(
        name=f"melmastoon.lock.{name}",
        direction=Direction.PRODUCED,
        producer=OURSELVES,
        consumers=consumers,
        model=f"shared.events.{model}",
        retention=retention,
        merkle_anchored=anchored,
        extension=extension,
    )


def _theirs(name: str, model: str, producer: str, recipe: str | None, *, extension: bool = False) -> Subject:
    return Subject(
        name=f"melmastoon.{name}",
        direction=Direction.CONSUMED,
        producer=producer,
        consumers=(OURSELVES,),
        model=f"shared.events.{model}",
        recipe=recipe,
        extension=extension,
    )


def _task(name: str, model: str) -> Subject:
    """Return what C §15 names, and A §12.1 computes assigned rooms from."""
    service = f"{name.partition('.')[0]}-service"
    return _theirs(name, f"organisation:{model}", service, None, extension=True)


def _desk(name: str, model: str) -> Subject:
    return Subject(
        name=f"melmastoon.lock.{name}",
        direction=Direction.LOCAL,
        producer=DESK,
        consumers=(_SYNC, OURSELVES),
        model=f"shared.events.local:{model}",
    )


# Every credential event but `requested` (and our operational `pending`) is regulated, and what moves the
# lifecycle is Merkle-anchored too (B §4). Where B names no consumers, A §13.4 does: audit takes everything.
_PRODUCED = (
    _ours("credential.requested.v1", "credential:CredentialRequestedV1"),
    _ours("credential.pending.v1", "credential:CredentialPendingV1", consumers=_DESKTOP, extension=True),
    _ours("credential.issued.v1", "credential:CredentialIssuedV1", _REGULATED, _EVERYONE, anchored=True),
    _ours("credential.failed.v1", "credential:CredentialFailedV1", _REGULATED, _EVERYONE, anchored=True),
    _ours("credential.updated.v1", "credential:CredentialUpdatedV1", _REGULATED, _EVERYONE, anchored=True),
    _ours("credential.revoked.v1", "credential:CredentialRevokedV1", _REGULATED, _DESKTOP, anchored=True),
    _ours("credential.suspended.v1", "credential:CredentialSuspendedV1", _REGULATED, _DESKTOP, anchored=True),
    _ours(
        "credential.unsuspended.v1", "credential:CredentialUnsuspendedV1", _REGULATED, _DESKTOP, anchored=True
    ),
    _ours(
        "credential.revoke_settled.v1",
        "credential:CredentialRevokeSettledV1",
        _REGULATED,
        _DESKTOP,
        anchored=True,
        extension=True,
    ),
    _ours("device.registered.v1", "device:DeviceRegisteredV1", consumers=_DESKTOP),
    _ours("device.health_alert.v1", "device:DeviceHealthAlertV1", consumers=_EVERYONE),
    _ours("device.battery_low.v1", "device:DeviceBatteryLowV1", consumers=_EVERYONE),
    _ours("device.offline.v1", "device:DeviceOfflineV1", consumers=_DESKTOP),
    _ours("device.online.v1", "device:DeviceOnlineV1", consumers=_DESKTOP),
    _ours("master_key.issued.v1", "master_key:MasterKeyIssuedV1", _REGULATED, _DESKTOP),
    _ours("master_key.expired.v1", "master_key:MasterKeyExpiredV1", _REGULATED, _DESKTOP),
    _ours("encoder_session.opened.v1", "encoder_session:EncoderSessionOpenedV1"),
    _ours("encoder_session.closed.v1", "encoder_session:EncoderSessionClosedV1"),
    _ours("audit.attempt.v1", "door_access:AuditAttemptV1", _REGULATED, anchored=True),
    _ours("audit.exported.v1", "door_access:AuditExportedV1", _REGULATED, anchored=True, extension=True),
    _ours(
        "vendor_account.handled.v1",
        "vendor_account:VendorAccountHandledV1",
        _REGULATED,
        (_AUDIT,),
        anchored=True,
        extension=True,
    ),
    _ours("vendor_webhook.received.v1", "vendor_traffic:VendorWebhookReceivedV1"),
    _ours("vendor_webhook.processed.v1", "vendor_traffic:VendorWebhookProcessedV1"),
    _ours("vendor_adapter.health_changed.v1", "vendor_traffic:VendorAdapterHealthChangedV1"),
)

_STAFF = "staff-service / iam-service"  # whichever knows the shifts (B §3)
_BOOKINGS = "reservation-service"
_CONSUMED = (
    _theirs("reservation.booking.confirmed.v1", "reservation:BookingConfirmedV1", _BOOKINGS, "issue"),
    _theirs("reservation.booking.cancelled.v1", "reservation:BookingCancelledV1", _BOOKINGS, "revoke"),
    _theirs(
        "reservation.booking.checked_in.v1",
        "reservation:BookingCheckedInV1",
        _BOOKINGS,
        None,
        extension=True,
    ),
    _theirs("reservation.booking.checked_out.v1", "reservation:BookingCheckedOutV1", _BOOKINGS, "revoke"),
    _theirs(
        "reservation.booking.early_checkout.v1", "reservation:BookingEarlyCheckoutV1", _BOOKINGS, "revoke"
    ),
    _theirs("reservation.booking.dates_changed.v1", "reservation:BookingDatesChangedV1", _BOOKINGS, "update"),
    _theirs("reservation.booking.no_show.v1", "reservation:BookingNoShowV1", _BOOKINGS, "suspend-noshow"),
    _theirs(
        "reservation.booking.fraud_flagged.v1",
        "reservation:BookingFraudFlaggedV1",
        _BOOKINGS,
        "suspend-fraud",
    ),
    _theirs("staff.shift.started.v1", "organisation:ShiftStartedV1", _STAFF, "issue-master"),
    _theirs("staff.shift.ended.v1", "organisation:ShiftEndedV1", _STAFF, "revoke-master"),
    _task("housekeeping.task.created.v1", "HousekeepingTaskCreatedV1"),
    _task("housekeeping.task.transitioned.v1", "HousekeepingTaskTransitionedV1"),
    _task("maintenance.workorder.opened.v1", "WorkOrderOpenedV1"),
    _task("maintenance.workorder.transitioned.v1", "WorkOrderTransitionedV1"),
    _theirs("iam.user.deactivated.v1", "organisation:UserDeactivatedV1", "iam-service", "mass-revoke-iam"),
    _theirs(
        "tenant.property.deactivated.v1",
        "organisation:PropertyDeactivatedV1",
        "tenant-service",
        "mass-revoke-property",
    ),
    _theirs("tenant.config_updated.v1", "organisation:TenantConfigUpdatedV1", "tenant-service", None),
)

_LOCAL = (
    _desk("credential.issued.local.v1", "CredentialIssuedLocalV1"),
    _desk("credential.revoked.local.v1", "CredentialRevokedLocalV1"),
)

CATALOGUE: Mapping[str, Subject] = MappingProxyType(
    {row.name: row for row in (*_PRODUCED, *_CONSUMED, *_LOCAL)}
)

# The short names of spec A and the neighbours' spellings in spec C, to the canonical ones of B (design §5).
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "reservation.confirmed.v1": "melmastoon.reservation.booking.confirmed.v1",
        "reservation.dates_changed.v1": "melmastoon.reservation.booking.dates_changed.v1",
        "reservation.no_show.v1": "melmastoon.reservation.booking.no_show.v1",
        "reservation.early_checkout.v1": "melmastoon.reservation.booking.early_checkout.v1",
        "reservation.checkout.v1": "melmastoon.reservation.booking.checked_out.v1",
        "reservation.cancelled.v1": "melmastoon.reservation.booking.cancelled.v1",
        "reservation.fraud_flagged.v1": "melmastoon.reservation.booking.fraud_flagged.v1",
        "melmastoon.reservation.checked_in.v1": "melmastoon.reservation.booking.checked_in.v1",
        "melmastoon.reservation.checked_out.v1": "melmastoon.reservation.booking.checked_out.v1",
        "melmastoon.iam.user.disabled.v1": "melmastoon.iam.user.deactivated.v1",
        "lock.credential.issued.v1": "melmastoon.lock.credential.issued.v1",
        "lock.credential.failed.v1": "melmastoon.lock.credential.failed.v1",
        "lock.credential.revoked.v1": "melmastoon.lock.credential.revoked.v1",
        "lock.key.issued.v1": "melmastoon.lock.credential.issued.v1",
        "lock.key.issued.local.v1": "melmastoon.lock.credential.issued.local.v1",
        "lock.credential.issued.local.v1": "melmastoon.lock.credential.issued.local.v1",
        "lock.credential.revoked.local.v1": "melmastoon.lock.credential.revoked.local.v1",
    }
)

# A's one name for what B tells as two facts: no single subject, so `canonical` refuses it and lists both.
COMPOSITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "lock.vendor.error.v1": (
            "melmastoon.lock.credential.failed.v1",
            "melmastoon.lock.vendor_adapter.health_changed.v1",
        ),
    }
)


def subjects(direction: Direction) -> Iterator[Subject]:
    """The rows of one direction, in the order of the specification."""
    return (row for row in CATALOGUE.values() if row.direction is direction)


def spellings(name: str) -> tuple[str, ...]:
    """What the neighbours call a subject that we consume: each spelling is a topic of its own beside it."""
    if CATALOGUE[name].direction is not Direction.CONSUMED:
        return ()
    return tuple(alias for alias, of in ALIASES.items() if of == name and alias.startswith("melmastoon."))


def topics(wanted: Subject) -> tuple[str, ...]:
    """The topics on which a subject travels: its own, and one for each of the neighbours' spellings."""
    return () if wanted.topic is None else (wanted.topic, *spellings(wanted.name))


def canonical(name: str) -> str:
    """The canonical subject of a name or alias."""
    known = ALIASES.get(name, name)
    if known not in CATALOGUE:
        raise UnknownSubject(name, COMPOSITES.get(name) or _close_to(name))
    return known


def lookup(name: str) -> Subject:
    """The row of a subject, by its canonical name or an alias."""
    return CATALOGUE[canonical(name)]


def model_for(name: str) -> "type[WireModel]":
    """The payload model of a subject; imports that family's module and no other."""
    return _load(lookup(name).model)


@cache
def _load(path: str) -> "type[WireModel]":
    module, _, class_name = path.partition(":")
    model: type[WireModel] = getattr(import_module(module), class_name)
    return model


def _close_to(name: str) -> list[str]:
    from difflib import get_close_matches

    ending = [each for each in CATALOGUE if f".{name}.v" in each or each.endswith(f".{name}")]
    return ending[:2] or get_close_matches(name, [*CATALOGUE, *ALIASES], n=2)
