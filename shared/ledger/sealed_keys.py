"""What locks are told and guests are given: in the second database, sealed for those who may open it."""

import base64
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import orjson

from shared.domain.ids import CredentialId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.secret import Secret
from shared.ports.documents import AlreadyExists, Create, Delete, Document, Ref, TenantDocuments, Update
from shared.ports.vault import Cipher, SealContext

KEY_SECRETS: Final = "key_secrets"
SCHEMA_VERSION: Final = 1
ARTIFACT, REFS = "artifact", "refs"


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


@dataclass(frozen=True, slots=True)
class SealedKey:
    """The guest's secret, and the vendor's reference of each grant by its name, as they were opened."""

    name: SecretName
    artifact: Secret[str]
    expires_at: datetime
    refs: Mapping[str, Secret[str]] = field(default_factory=dict, repr=False)
    version: str | None = None


class SealedKeys:
    """One tenant's secrets at one vendor."""

    def __init__(self, sealed: TenantDocuments, cipher: Cipher, vendor: VendorCode) -> None:
        self._sealed, self._cipher, self._vendor = sealed, cipher, vendor

    async def find(self, name: SecretName) -> SealedKey | None:
        """Return a secret, or None."""
        found = await self._sealed.get(name.ref)
        return None if found is None else await self._opened(name, found)

    async def keep(self, key: SealedKey) -> SealedKey:
        """Keep a new secret; where there was one before, that one is returned and stands."""
        with contextlib.suppress(AlreadyExists):
            return await self._written(key)
        standing = await self.find(key.name)
        return key if standing is None else standing

    async def update(self, key: SealedKey) -> None:
        """Keep what a vendor chose or named; StaleVersion if somebody else was first."""
        await self._written(key)

    async def destroy(self, name: SecretName) -> None:
        """Forget a secret for ever; one that is gone already is success."""
        found = await self._sealed.get(name.ref)
        if found is not None:
            await self._sealed.commit([Delete(name.ref, found.version)])

    async def _written(self, key: SealedKey) -> SealedKey:
        data: dict[str, Any] = {"schema_version": SCHEMA_VERSION, REFS: None}
        data[ARTIFACT] = await self._seal(key.name, ARTIFACT, key.artifact.reveal().encode())
        if key.refs:
            named = {name: ref.reveal() for name, ref in key.refs.items()}
            data[REFS] = await self._seal(key.name, REFS, orjson.dumps(named))
        data["expires"] = key.expires_at.isoformat()
        write = _write(key, data)
        (version,) = await self._sealed.commit([write])
        return SealedKey(key.name, key.artifact, key.expires_at, key.refs, version)

    async def _opened(self, name: SecretName, found: Document) -> SealedKey:
        artifact = await self._open(name, ARTIFACT, found.data[ARTIFACT])
        refs: dict[str, Secret[str]] = {}
        if found.data[REFS] is not None:
            named = orjson.loads((await self._open(name, REFS, found.data[REFS])).reveal())
            refs = {grant: Secret(ref) for grant, ref in named.items()}
        expires = datetime.fromisoformat(found.data["expires"])
        return SealedKey(name, Secret(artifact.reveal().decode()), expires, refs, found.version)

    async def _seal(self, name: SecretName, part: str, plain: bytes) -> str:
        sealed = await self._cipher.seal(self._context(name, part), Secret(plain))
        return base64.b64encode(sealed).decode()

    async def _open(self, name: SecretName, part: str, sealed: str) -> Secret[bytes]:
        return await self._cipher.open(self._context(name, part), base64.b64decode(sealed))

    def _context(self, name: SecretName, part: str) -> SealContext:
        purpose = {ARTIFACT: "guest-artifact", REFS: "vendor-ref"}[part]
        return SealContext(f"{purpose}-{self._vendor}", self._sealed.tenant, str(name.ref), part)


def _write(key: SealedKey, data: Mapping[str, Any]) -> Create | Update:
    if key.version is None:
        return Create(key.name.ref, data, key.expires_at)
    return Update(key.name.ref, data, key.version, key.expires_at)
