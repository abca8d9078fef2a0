"""The cipher on Cloud KMS: fields are sealed here under data keys that only KMS can unwrap."""

import contextlib
import hashlib
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.gcp.index_keys import IndexKeys
from shared.gcp.keyring import DATA_KEY_BYTES, KeyRing, Wrapped
from shared.kernel.remembered import Remembered
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import DocumentStore
from shared.ports.vault import PurposeRefused, SealBroken, SealContext, blind_index, names

MAGIC: Final = b"kfg1"
HEADER: Final = struct.Struct(">4s8sIH")
"""Magic with the format's version, key id, key version, length of the wrapped data key that follows."""
NONCE_BYTES, TAG_BYTES = 24, 16
SEALS_FOR: Final = timedelta(hours=1)
OPENS_FOR: Final = timedelta(minutes=10)
_PURPOSE: Final = re.compile(r"[a-z][a-z0-9-]{1,62}")


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key of our own, and the header of everything sealed with it; its material is never printed."""

    header: bytes
    material: Secret[bytes]


class KmsCipher:
    """Envelope encryption: one call to KMS makes a data key for an hour, one opens it for ten minutes.

    Who may open is said twice: by KMS, which unwraps for whom the purpose's key may be used, and by the
    function's descriptor. Anybody may seal: that discloses nothing.
    """

    def __init__(
        self,
        ring: KeyRing,
        sealed: DocumentStore,
        clock: Clock,
        entropy: Entropy,
        opens: Callable[[], frozenset[str]],
    ) -> None:
        self._ring, self._entropy, self._opens = ring, entropy, opens
        self.index_keys = IndexKeys(ring, sealed, clock, entropy)
        self._sealing: Remembered[str, DataKey] = Remembered(clock.now, SEALS_FOR)
        self._opening: Remembered[tuple[str, bytes], DataKey] = Remembered(clock.now, OPENS_FOR)

    async def seal(self, context: SealContext, plaintext: Secret[bytes]) -> bytes:
        """Return sealed bytes whose header carries the key id and version."""
        parts = _parts(context)
        key = self._sealing.get(context.purpose)
        if key is None:
            key = await self._new_key(context.purpose)
        return _sealed(key, self._entropy.token(NONCE_BYTES), parts, plaintext)

    async def open(self, context: SealContext, sealed: bytes) -> Secret[bytes]:
        """Return the plaintext, or raise SealBroken or PurposeRefused."""
        parts = _parts(context)
        self._check("open", context.purpose)
        header = self._header(context.purpose, sealed)
        key = self._opening.get((context.purpose, header))
        if key is None:
            key = await self._unwrapped(context.purpose, header)
        return _opened(key, parts, sealed[len(header) :])

    async def index(self, context: SealContext, value: Secret[bytes]) -> tuple[str, ...]:
        """Return the blind indexes of a value, the newest key's first, or raise PurposeRefused."""
        _parts(context)
        self._check("index by", context.purpose)
        keys = await self.index_keys.of(context.purpose)
        return tuple(blind_index(key, context, value) for key in keys)

    def _check(self, verb: str, purpose: str) -> None:
        if not names(self._opens(), purpose):
            raise PurposeRefused(
                f"this function may not {verb} {purpose}: if it must, name the purpose under `opens` "
                "in its fleet.yaml"
            )

    async def _new_key(self, purpose: str) -> DataKey:
        material = Secret(self._entropy.token(DATA_KEY_BYTES))
        wrapped = await self._ring.wrap(purpose, material)
        id_ = _key_id(self._ring.name_of(purpose))
        header = HEADER.pack(MAGIC, id_, wrapped.version, len(wrapped.data)) + wrapped.data
        key = DataKey(header, material)
        self._sealing.put(purpose, key)
        return key

    async def _unwrapped(self, purpose: str, header: bytes) -> DataKey:
        _, _, version, _ = HEADER.unpack_from(header)
        key = DataKey(header, await self._ring.unwrap(purpose, Wrapped(version, header[HEADER.size :])))
        self._opening.put((purpose, header), key)
        return key

    def _header(self, purpose: str, sealed: bytes) -> bytes:
        if len(sealed) < HEADER.size:
            raise SealBroken("the sealed bytes are cut short")
        magic, id_, _, length = HEADER.unpack_from(sealed)
        if magic != MAGIC:
            raise SealBroken("these are not bytes this cipher sealed")
        if id_ != _key_id(self._ring.name_of(purpose)):
            raise SealBroken(f"sealed with a key that is not the one of {purpose}")
        end = HEADER.size + length
        if len(sealed) < end + NONCE_BYTES + TAG_BYTES:
            raise SealBroken("the sealed bytes are cut short")
        return sealed[:end]


def _sealed(key: DataKey, nonce: bytes, parts: tuple[str, ...], plaintext: Secret[bytes]) -> bytes:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt

    bound = key.header + _canonical(parts)
    return key.header + nonce + encrypt(plaintext.reveal(), bound, nonce, key.material.reveal())


def _opened(key: DataKey, parts: tuple[str, ...], rest: bytes) -> Secret[bytes]:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
    from nacl.exceptions import CryptoError

    nonce, ciphertext = rest[:NONCE_BYTES], rest[NONCE_BYTES:]
    # Suppressed, and raised anew outside: the binding's own frame holds the key.
    with contextlib.suppress(CryptoError):
        bound = key.header + _canonical(parts)
        return Secret(decrypt(ciphertext, bound, nonce, key.material.reveal()))
    raise SealBroken("the sealed bytes were altered, or belong to another purpose, tenant, record or field")


def _key_id(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:8]


def _parts(context: SealContext) -> tuple[str, ...]:
    parts = (context.purpose, context.tenant, context.record, context.field)
    if not all(parts):
        raise InvalidInput("context", "an empty part", "Name purpose, tenant, record and field")
    if not _PURPOSE.fullmatch(context.purpose):
        raise InvalidInput("purpose", "malformed", "Use 2 to 63 small letters, digits and '-'")
    return parts


def _canonical(parts: tuple[str, ...]) -> bytes:
    # Lengths first, so that no two contexts spell the same bytes.
    encoded = [part.encode() for part in parts]
    return b"".join(struct.pack(">I", len(part)) + part for part in encoded)
