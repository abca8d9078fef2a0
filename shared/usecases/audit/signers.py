"""Whose keys sign: each log's own, and the witness's; drawn here, sealed, opened by nobody but who signs.

A key is known by the id that stands in its signature lines. The one that is replaced is kept: a day that was
closed under it may have to be published again.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.audit.anchor import SignWith
from shared.audit.notes import Sign, SignatureType, VerifierKey
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref
from shared.ports.vault import Cipher, SealContext

KEYS: Final = "audit_keys"
LOGS, WITNESS = "audit-signing", "audit-witness"
"""The purposes: who signs for the log cannot sign for its witness."""
_SEED_BYTES: Final = 32


class KeyLost(Exception):
    """A key that a log names and nobody kept: nothing can be signed in its name."""


@dataclass(frozen=True, slots=True)
class Signers:
    """The keys of one purpose that are kept in a tenant's name."""

    sealed: DocumentStore
    cipher: Cipher
    tenant: TenantId
    purpose: str = LOGS

    async def draw(
        self, name: str, entropy: Entropy, kind: SignatureType = SignatureType.NOTE
    ) -> VerifierKey:
        """Draw a key for a name, keep it sealed, and return its public half."""
        seed = entropy.token(_SEED_BYTES)
        key = VerifierKey(name, _public(seed), kind)
        sealed = await self.cipher.seal(self._context(key), Secret(seed))
        data = {"schema_version": 1, "key": str(key), "sealed": base64.b64encode(sealed).decode()}
        store = self.sealed.tenant(self.tenant)
        try:
            await store.commit([Create(_ref(key), data)])
        except AlreadyExists:  # the very same, or another of the same id, which must never sign for it
            kept = await store.get(_ref(key))
            if kept is None or kept.data["key"] != str(key):
                raise
        return key

    async def signing(self, keys: Iterable[VerifierKey]) -> SignWith:
        """Return what signs with some keys."""
        found: Mapping[VerifierKey, Sign] = {key: await self._opened(key) for key in keys}
        return found.__getitem__

    async def _opened(self, key: VerifierKey) -> Sign:
        kept = await self.sealed.tenant(self.tenant).get(_ref(key))
        if kept is None:
            raise KeyLost(
                f"the key {key.id.hex()} of {key.name} is not kept here: restore the sealed database"
            )
        sealed = base64.b64decode(kept.data["sealed"])
        return _signing(await self.cipher.open(self._context(key), sealed))

    def _context(self, key: VerifierKey) -> SealContext:
        return SealContext(self.purpose, self.tenant, str(_ref(key)), "seed")


def check(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether a public key made this signature of this message."""
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def _signing(seed: Secret[bytes]) -> Sign:
    from nacl.signing import SigningKey

    key = SigningKey(seed.reveal())
    return lambda message: key.sign(message).signature


def _public(seed: bytes) -> bytes:
    from nacl.signing import SigningKey

    return bytes(SigningKey(seed).verify_key)


def _ref(key: VerifierKey) -> Ref:
    return Ref(KEYS, f"{key.type.name.lower()}.{key.id.hex()}")
