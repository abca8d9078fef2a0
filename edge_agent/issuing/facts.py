"""What a desk tells the cloud afterwards (B §7): rows signed by the desk, with what travels once beside them.

The signature covers the whole document, the vendor's reference included: RFC 8785 bytes with a purpose of
their own. The reference itself stands apart in the ledger, so that it can be wiped there once the cloud
has it.
"""

import base64
import json
from datetime import datetime, timedelta
from typing import Any, Final

from nacl.signing import SigningKey
from pydantic import SecretStr

from edge_agent.hardware.encoders.encoder import SessionFact
from edge_agent.hardware.radio import LockReading
from edge_agent.ledger.chain import LocalFact, OutboxRow
from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import ProvisionalKeyId
from shared.domain.kinds import RevokeReason
from shared.domain.secret import Secret
from shared.events.canonical import canonical_json
from shared.events.encoder_session import EncoderSessionOpenedV1
from shared.events.local import CredentialIssuedLocalV1, CredentialRevokedLocalV1
from shared.offline.radio_locks import RadioLock
from shared.offline.rows import (
    CLOSED,
    FORKED,
    ISSUED,
    OPENED,
    PURPOSE,
    READ,
    REFUSED,
    REVOKED,
    SIGNATURE,
)
from shared.offline.signing import message

REFERENCE: Final = "vendorRef"
_UNSIGNED: Final = "A" * 86


def issued(key: KeyCredential, reference: Secret[str], serial: str, device: SigningKey) -> LocalFact:
    """Return the row of a key that was made."""
    core = key.core
    told = CredentialIssuedLocalV1(
        local_id=str(core.id),
        tenant_id=str(core.tenant),
        property_id=str(core.property_id),
        reservation_id=_reservation(key),
        kind=core.plan.current.kind,
        rooms=tuple(str(room) for room in core.rooms),
        vendor_ref=SecretStr(reference.reveal()),
        cert_serial=serial,
        issued_at=key.changed_at,
        device_sig=_UNSIGNED,
        vendor=core.plan.current.vendor,
        replaces=core.replaces,
        valid_from=core.window.start,
        valid_until=core.window.end,
    )
    return _fact(ISSUED, key, _signed(told.for_sync(), device), reference)


def revoked(
    key: KeyCredential, reason: RevokeReason, removed: bool, serial: str, device: SigningKey
) -> LocalFact:
    """Return the row of a key that was withdrawn, and whether its card was erased."""
    provisional = isinstance(key.core.id, ProvisionalKeyId)
    told = CredentialRevokedLocalV1(
        local_id=str(key.core.id) if provisional else None,
        key_credential_id=None if provisional else str(key.core.id),
        tenant_id=str(key.core.tenant),
        property_id=str(key.core.property_id),
        reservation_id=_reservation(key),
        reason=reason,
        removed_at_lock=removed,
        cert_serial=serial,
        revoked_at=key.changed_at,
        device_sig=_UNSIGNED,
    )
    document = told.model_dump(mode="json", by_alias=True, exclude_none=True)
    return _fact(REVOKED, key, _signed(document, device))


def refused(reason: str, reservation: str, clerk: str, at: datetime, device: SigningKey) -> LocalFact:
    """Return the row of an attempt that the desk refused."""
    told = {"reason": reason, "reservationId": reservation, "userId": clerk, "at": at.isoformat()}
    return LocalFact(REFUSED, "", at, canonical_json(_signed(told, device)))


def given_up(key: KeyCredential, device: SigningKey) -> LocalFact:
    """Return the row of a key whose making broke off and was ended."""
    told = {"reason": "given_up", "reservationId": _reservation(key), "localId": str(key.core.id)}
    document = _signed({**told, "at": key.changed_at.isoformat()}, device)
    return LocalFact(REFUSED, str(key.core.id), key.changed_at, canonical_json(document))


def session(told: SessionFact, at: datetime, device: SigningKey) -> LocalFact:
    """Return the row of an encoder's session that began or ended (B §2.13)."""
    subject = OPENED if isinstance(told, EncoderSessionOpenedV1) else CLOSED
    document = told.model_dump(mode="json", by_alias=True, exclude_none=True)
    return LocalFact(subject, "", at, canonical_json(_signed(document, device)))


def fork_seen(reason: str, at: datetime, device: SigningKey) -> LocalFact:
    """Return the row of a log that this desk would not cosign, for it does not continue what it saw."""
    told = {"reason": reason, "at": at.isoformat()}
    return LocalFact(FORKED, "", at, canonical_json(_signed(told, device)))


def lock_read(lock: RadioLock, reading: LockReading, device: SigningKey) -> LocalFact:
    """Return the row of what was read of a lock."""
    told: dict[str, Any] = {
        "vendor": str(lock.vendor),
        "vendorDevice": lock.vendor_device,
        "at": reading.at.isoformat(),
        "clockSkewMs": reading.skew // timedelta(milliseconds=1),
        "clockSet": reading.clock_set,
    }
    told |= {} if reading.battery is None else {"batteryPct": reading.battery}
    return LocalFact(READ, "", reading.at, canonical_json(_signed(told, device)))


def for_push(row: OutboxRow) -> dict[str, Any]:
    """Return a row's document as /sync/v1/push carries it: the one place where the reference travels."""
    document: dict[str, Any] = json.loads(row.body)
    return document if row.secret is None else {**document, REFERENCE: row.secret.reveal().decode()}


def _fact(
    subject: str, key: KeyCredential, document: dict[str, Any], reference: Secret[str] | None = None
) -> LocalFact:
    apart = {name: value for name, value in document.items() if name != REFERENCE}
    secret = None if reference is None else Secret(reference.reveal().encode())
    return LocalFact(subject, str(key.core.id), key.changed_at, canonical_json(apart), secret)


def _signed(document: dict[str, Any], device: SigningKey) -> dict[str, Any]:
    unsigned = {name: value for name, value in document.items() if name != SIGNATURE}
    signature = device.sign(message(PURPOSE, unsigned)).signature
    return {**unsigned, SIGNATURE: base64.b64encode(signature).decode()}


def _reservation(key: KeyCredential) -> str:
    if not isinstance(key.core.holder, Guest):
        raise TypeError("a desk alone makes guests' keys only")
    return str(key.core.holder.reservation_id)
