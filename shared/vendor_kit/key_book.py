"""What a LockPort remembers of its keys: written down, sealed, before any vendor is told."""

import base64
import contextlib
from dataclasses import replace
from typing import Any, Final, Protocol

import orjson

from shared.domain.ids import CredentialId, LockDeviceId, RoomId, credential_id
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.secret import Secret
from shared.ports.documents import AlreadyExists, Create, Ref, TenantDocuments, Update
from shared.ports.vault import Cipher, SealContext
from shared.vendor_kit.kept_key import KeptDoor, KeptKey

COLLECTION: Final = "vendor_keys"
SCHEMA_VERSION: Final = 1


class KeyBook(Protocol):
    """Remembers keys."""

    async def find(self, id_: CredentialId) -> KeptKey | None:
        """Return a key, or None."""

    async def keep(self, key: KeptKey) -> KeptKey | None:
        """Write a key down; None if a new one was there already, StaleVersion if a known one has changed."""


class DocumentKeyBook:
    """Keys on any document store, sealed for their vendor's adapter."""

    def __init__(self, documents: TenantDocuments, cipher: Cipher, vendor: VendorCode) -> None:
        self._documents, self._cipher, self._purpose = documents, cipher, f"vendor-ref-{vendor}"

    async def find(self, id_: CredentialId) -> KeptKey | None:
        """Return a key, or None."""
        found = await self._documents.get(Ref(COLLECTION, id_))
        if found is None:
            return None
        sealed = base64.b64decode(found.data["sealed"])
        return replace(_key(await self._cipher.open(self._context(id_), sealed)), version=found.version)

    async def keep(self, key: KeptKey) -> KeptKey | None:
        """Write a key down; None if it is new and somebody wrote it down before."""
        sealed = await self._cipher.seal(self._context(key.id), _raw(key))
        data = {"schema_version": SCHEMA_VERSION, "sealed": base64.b64encode(sealed).decode()}
        ref = Ref(COLLECTION, key.id)
        write = Create(ref, data) if key.version is None else Update(ref, data, key.version)
        with contextlib.suppress(AlreadyExists):
            return replace(key, version=(await self._documents.commit([write]))[0])
        return None

    def _context(self, id_: CredentialId) -> SealContext:
        return SealContext(self._purpose, self._documents.tenant, f"{COLLECTION}/{id_}", "key")


def _raw(key: KeptKey) -> Secret[bytes]:
    plain = {name: getattr(key, name) for name in ("id", "idempotency_key", "kind", "rooms")}
    plain |= {name: getattr(key, name) for name in ("secret_try", "resting", "revoked")}
    plain |= {name: instant_to_text(getattr(key, name)) for name in ("valid_from", "valid_until")}
    doors = [[d.device_id, d.name, d.secret.reveal(), d.wanted, _revealed(d.vendor_ref)] for d in key.doors]
    return Secret(orjson.dumps({**plain, "doors": doors}, default=str))


def _key(raw: Secret[bytes]) -> KeptKey:
    plain: dict[str, Any] = orjson.loads(raw.reveal())
    read = {name: instant_from_text(plain[name], name) for name in ("valid_from", "valid_until")}
    typed = {"id": credential_id(plain["id"]), "kind": KeyCredentialKind(plain["kind"])}
    rooms = {"rooms": tuple(map(RoomId, plain["rooms"])), "doors": tuple(map(_door, plain["doors"]))}
    return KeptKey(**{**plain, **read, **typed, **rooms})


def _door(plain: list[Any]) -> KeptDoor:
    device, name, secret, wanted, ref = plain
    return KeptDoor(LockDeviceId(device), name, Secret(secret), wanted, None if ref is None else Secret(ref))


def _revealed(secret: Secret[str] | None) -> str | None:
    return None if secret is None else secret.reveal()
