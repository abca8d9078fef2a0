"""Pairing: somebody with the right is given a code, and the machine that shows it becomes a desk.

1. A code has 56 secret bits, ten minutes and five tries. What is kept of it is a hash.
2. The machine sends the code with its own public key, and proves that it has the private one.
3. One commit makes the desk under the name that the code was given for. An answer that was lost is asked for
   again with the same code and key, and is the same; another machine's key is refused from then on.

A refused try is told in the log and counted; after the fifth the code is worth nothing.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Self

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import KeyCredentialKind
from shared.offline.signing import message
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, TenantDocuments, Update
from shared.usecases.desk.authority import DeskAuthority
from shared.usecases.desk.certificates import certificate_of, new_serial
from shared.usecases.desk.desks import DeskRecord, desk_of
from shared.usecases.desk.services import DeskRefused, DeskServices

INVITATIONS: Final = "desk_invitations"
PURPOSE: Final = "keyfleet desk pairing"
GOOD_FOR: Final = timedelta(minutes=10)
TRIES: Final = 5
NAME_BYTES, SECRET_BYTES = 4, 7
LONGEST_NAME: Final = 60
KINDS: Final = (KeyCredentialKind.RFID_CARD, KeyCredentialKind.NFC_TAG, KeyCredentialKind.PIN_CODE)


@dataclass(frozen=True, slots=True)
class Invite:
    """Which property is to have a desk, by which name, on whose word."""

    tenant: TenantId
    property_id: PropertyId
    by: UserId
    name: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        name = body.get("name")
        if not isinstance(name, str) or not 0 < len(name.strip()) <= LONGEST_NAME:
            raise InvalidInput("name", "missing or too long", f"name the desk, in {LONGEST_NAME} characters")
        ids = (
            TenantId.parse(body.get("tenant"), "tenant"),
            PropertyId.parse(body.get("property"), "property"),
        )
        return cls(*ids, UserId.parse(body.get("by"), "by"), name.strip())


@dataclass(frozen=True, slots=True)
class Pair:
    """What a machine sends to become a desk."""

    tenant: TenantId
    code: str = field(repr=False)
    key: bytes
    signature: bytes = field(repr=False)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read what came, or refuse it in a word."""
        try:
            key, signature = (base64.b64decode(body[name], validate=True) for name in ("key", "signature"))
            return cls(TenantId(body["tenant"]), str(body["code"]), key, signature)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise DeskRefused("malformed") from None

    def prove(self) -> None:
        """Refuse who does not have the private half of the key."""
        told = {"tenant": self.tenant, "code": self.code, "key": base64.b64encode(self.key).decode()}
        try:
            VerifyKey(self.key).verify(message(PURPOSE, told), self.signature)
        except (BadSignatureError, ValueError, TypeError):
            raise DeskRefused("signature") from None


async def invite(command: Invite, on: DeskServices) -> dict[str, Any]:
    """Return a code for one machine; it is shown once and kept nowhere."""
    store = await on.store(command.tenant)
    await on.keys.hotels.premises(command.tenant, command.property_id)
    name, secret = (_letters(on.keys.entropy.token(size)) for size in (NAME_BYTES, SECRET_BYTES))
    device, ends = DesktopDeviceId(f"dev_{on.keys.ids.ulid()}"), on.now + GOOD_FOR
    data = {
        "schema_version": 1,
        "hash": _hashed(name, secret),
        "property": command.property_id,
        "by": command.by,
        "name": command.name,
        "device": device,
        "tries": TRIES,
        "ends": instant_to_text(ends),
    }
    await store.commit([Create(Ref(INVITATIONS, name), data, ends)])
    on.keys.log.info("a desk may be paired", tenant=command.tenant, device=device, by=command.by)
    return {"code": f"{name}-{secret}", "device": device, "ends": instant_to_text(ends)}


async def pair(command: Pair, on: DeskServices) -> dict[str, Any]:
    """Make a desk of a machine that shows a code, and return what it works with; or refuse it."""
    try:
        command.prove()
        store = await _tenants(command, on)
        found = await _invitation(command, store)
        record = await _made(found, command, store, on)
    except DeskRefused as refusal:
        on.keys.log.seldom("a machine was not paired", refusal.reason, tenant=str(command.tenant))
        raise
    return await introduction(command.tenant, record, on)


async def introduction(tenant: TenantId, record: DeskRecord, on: DeskServices) -> dict[str, Any]:
    """Return all that a desk needs to know of itself and of whom it is to believe."""
    setup = await on.keys.hotels.premises(tenant, record.property_id)
    authority = DeskAuthority(tenant, on)
    return {
        "tenant": tenant,
        "propertyId": record.property_id,
        "property": setup.property.name,
        "zone": setup.property.zone,
        "device": record.id,
        "name": record.name,
        "certificate": await certificate_of(tenant, record, on),
        "authorities": await authority.public(),
        "cards": await authority.cards_for(record.property_id, bytes(record.public)),
    }


async def _tenants(command: Pair, on: DeskServices) -> TenantDocuments:
    try:
        return await on.store(command.tenant)
    except InvalidInput:
        raise DeskRefused("code") from None


async def _invitation(command: Pair, store: TenantDocuments) -> Document:
    """Return the invitation that a code is for; a try is spent before the code is looked at."""
    name, _, secret = command.code.strip().upper().partition("-")
    found = await _tried(name, store) if name.isalnum() and name.isascii() else None
    if found is None or not hmac.compare_digest(found.data["hash"], _hashed(name, secret)):
        raise DeskRefused("code")
    return found


async def _tried(name: str, store: TenantDocuments) -> Document | None:
    """Spend a try, and return what it is a try at: a thousand at once spend no fewer than one each."""
    while True:
        found = await store.get(Ref(INVITATIONS, name))
        if found is None or found.data["tries"] < 1:
            return None
        ends = instant_from_text(found.data["ends"], "ends")
        spent = {**found.data, "tries": found.data["tries"] - 1}
        with suppress(StaleVersion):
            await store.commit([Update(found.ref, spent, found.version, ends)])
            return found


async def _made(found: Document, command: Pair, store: TenantDocuments, on: DeskServices) -> DeskRecord:
    data, key = found.data, base64.b64encode(command.key).decode()
    now = on.now.replace(microsecond=0)
    record = DeskRecord(
        id=DesktopDeviceId(data["device"]),
        property_id=PropertyId(data["property"]),
        key=key,
        name=data["name"],
        paired_by=UserId(data["by"]),
        paired_at=now,
        kinds=KINDS,
        certified_at=now,
        serials=(new_serial(on),),
    )
    try:
        await store.commit([record.write()])
    except AlreadyExists:
        known = await desk_of(store, record.id)
        if known is None or known.key != key or known.stopped_at is not None:
            raise DeskRefused("used") from None
        return known
    on.keys.log.info("a desk was paired", tenant=command.tenant, device=record.id, by=record.paired_by)
    return record


def _letters(drawn: bytes) -> str:
    return base64.b32encode(drawn).decode().rstrip("=")


def _hashed(name: str, secret: str) -> str:
    return hashlib.sha256(f"{PURPOSE}|{name}|{secret}".encode()).hexdigest()
