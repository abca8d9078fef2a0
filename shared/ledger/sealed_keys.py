"""What locks are told and guests are given: in the second database, sealed for those who may open it."""

import base64
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final

import orjson

from shared.domain.documents import to_document
from shared.domain.ids import CredentialId, PropertyId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.replacing import born_open, replace
from shared.domain.secret import Secret
from shared.domain.stored import UNSTORED, Json
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Delete, Document, Ref, TenantDocuments, Update
from shared.ports.vault import Cipher, SealContext

KEY_SECRETS: Final = "key_secrets"
ARTIFACT, REFS = "artifact", "refs"
BLIND_INDEX: Final = "blind-index"
"""The purpose of the key by which PINs and vendors' references are found again without being kept."""


@dataclass(frozen=True, slots=True)
class SecretName:
    """Which secret: every try at every kind has its own."""

    credential: CredentialId
    kind: KeyCredentialKind
    secret_try: int

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(KEY_SECRETS, f"{self.credential}.{self.kind}.{self.secret_try}")


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDocument:
    """What is stored of a secret: only ciphers read it."""

    schema_version: ClassVar[int] = 1

    artifact: str | None = None
    refs: str | None = None
    expires: datetime
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)


@born_open
@dataclass(frozen=True, slots=True)
class SealedKey:
    """The guest's secret, and the vendor's reference of each grant by its name, as they were opened.

    A card has no secret, and one that the vendor chooses is not there before it did. `as_kept` is the secret
    with its sealed form, as this process has kept or opened it: while it is the same, it is sealed once.
    """

    name: SecretName
    artifact: Secret[str] | None
    expires_at: datetime
    refs: Mapping[str, Secret[str]] = field(default_factory=dict, repr=False)
    version: str | None = None
    strays: Mapping[str, Json] | None = field(default=None, repr=False, compare=False)
    as_kept: tuple[Secret[str], str] | None = field(default=None, repr=False, compare=False)


class SealedKeys:
    """One tenant's secrets at one vendor."""

    def __init__(self, sealed: TenantDocuments, cipher: Cipher, vendor: VendorCode) -> None:
        self._sealed, self._cipher, self._vendor = sealed, cipher, vendor

    async def find(self, name: SecretName) -> SealedKey | None:
        """Return a secret, or None."""
        found = await self._sealed.get(name.ref)
        return None if found is None else await self._opened(name, found)

    async def artifact(self, name: SecretName) -> Secret[str] | None:
        """Return the guest's part of a secret alone, for whoever may open no vendor's references."""
        found = await self._sealed.get(name.ref)
        kept = None if found is None else read_stored(SealedDocument, found).artifact
        return None if kept is None else Secret((await self._open(name, ARTIFACT, kept)).reveal().decode())

    async def keep(self, key: SealedKey) -> SealedKey:
        """Keep a new secret; where there was one before, that one is returned and stands."""
        with contextlib.suppress(AlreadyExists):
            return await self._written(key)
        standing = await self.find(key.name)
        return key if standing is None else standing

    async def update(self, key: SealedKey) -> SealedKey:
        """Keep what a vendor chose or named; StaleVersion if somebody else was first."""
        return await self._written(key)

    async def destroy(self, name: SecretName) -> None:
        """Forget a secret for ever; one that is gone already is success."""
        found = await self._sealed.get(name.ref)
        if found is not None:
            await self._sealed.commit([Delete(name.ref, found.version)])

    async def pin_indexes(self, property_id: PropertyId, pin: Secret[str]) -> tuple[str, ...]:
        """Return the blind indexes of a PIN at a property, the one to keep first."""
        return await self._indexes(property_id, "pin", pin)

    async def ref_index(self, property_id: PropertyId, ref: Secret[str]) -> str:
        """Return the blind index of what a vendor calls a key."""
        return (await self._indexes(property_id, f"vendor-ref-{self._vendor}", ref))[0]

    async def _indexes(self, property_id: PropertyId, field: str, value: Secret[str]) -> tuple[str, ...]:
        context = SealContext(BLIND_INDEX, self._sealed.tenant, str(property_id), field)
        return await self._cipher.index(context, Secret(value.reveal().encode()))

    async def _written(self, key: SealedKey) -> SealedKey:
        named = {name: ref.reveal() for name, ref in key.refs.items()}
        artifact = None if key.artifact is None else await self._artifact(key, key.artifact)
        kept = SealedDocument(
            artifact=artifact,
            refs=await self._seal(key.name, REFS, orjson.dumps(named)) if named else None,
            expires=key.expires_at,
            strays=key.strays,
        )
        (version,) = await self._sealed.commit([_write(key, to_document(kept))])
        return replace(key, version=version, as_kept=_both(key.artifact, artifact))

    async def _artifact(self, key: SealedKey, secret: Secret[str]) -> str:
        if key.as_kept is not None and key.as_kept[0] is secret:
            return key.as_kept[1]
        return await self._seal(key.name, ARTIFACT, secret.reveal().encode())

    async def _opened(self, name: SecretName, found: Document) -> SealedKey:
        kept = read_stored(SealedDocument, found)
        artifact = None if kept.artifact is None else await self._open(name, ARTIFACT, kept.artifact)
        refs: dict[str, Secret[str]] = {}
        if kept.refs is not None:
            named = orjson.loads((await self._open(name, REFS, kept.refs)).reveal())
            refs = {grant: Secret(ref) for grant, ref in named.items()}
        secret = None if artifact is None else Secret(artifact.reveal().decode())
        as_kept = _both(secret, kept.artifact)
        return SealedKey(name, secret, kept.expires, refs, found.version, kept.strays, as_kept)

    async def _seal(self, name: SecretName, part: str, plain: bytes) -> str:
        sealed = await self._cipher.seal(self._context(name, part), Secret(plain))
        return base64.b64encode(sealed).decode()

    async def _open(self, name: SecretName, part: str, sealed: str) -> Secret[bytes]:
        return await self._cipher.open(self._context(name, part), base64.b64decode(sealed))

    def _context(self, name: SecretName, part: str) -> SealContext:
        purpose = {ARTIFACT: "guest-artifact", REFS: "vendor-ref"}[part]
        return SealContext(f"{purpose}-{self._vendor}", self._sealed.tenant, str(name.ref), part)


def says_artifact(found: Document) -> bool:
    """Say whether a stored secret has the guest's part; none who asks may open it for that."""
    return read_stored(SealedDocument, found).artifact is not None


def let_artifact_go(found: Document) -> Update:
    """Return what destroys the guest's part of a stored secret, and leaves the vendor's references."""
    kept = read_stored(SealedDocument, found)
    return Update(found.ref, to_document(replace(kept, artifact=None)), found.version, kept.expires)


def _both(secret: Secret[str] | None, sealed: str | None) -> tuple[Secret[str], str] | None:
    return None if secret is None or sealed is None else (secret, sealed)


def _write(key: SealedKey, data: Mapping[str, Any]) -> Create | Update:
    if key.version is None:
        return Create(key.name.ref, data, key.expires_at)
    return Update(key.name.ref, data, key.version, key.expires_at)
