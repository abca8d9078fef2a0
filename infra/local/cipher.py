"""The cipher: XChaCha20-Poly1305 under a key per purpose, bound to the whole context of a field."""

import contextlib
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

from infra.local.key_notes import note
from infra.local.keyring import Key, Keyring, accept_lost_keys, open_keyring
from infra.local.storage.engine import Engine
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy
from shared.ports.vault import Cipher, PurposeRefused, SealBroken, SealContext, blind_index, names

MAGIC = b"kfs1"
HEADER = struct.Struct(">4s8sI")
"""Magic with the format's version, key id, key version."""
NONCE_BYTES, TAG_BYTES = 24, 16
Rights = Callable[[], frozenset[str]]

Parts = tuple[str, ...]
Stamp = Callable[[Parts, Secret[bytes]], bytes]
"""Seals once, wherever and whenever it is used: key and nonce are chosen already."""


class LocalCipher:
    """The cipher of the embedded cloud, on the keys of a key file."""

    def __init__(
        self, keyring: Keyring, entropy: Entropy, engine: Engine, *, accept_loss: bool = False
    ) -> None:
        self.keyring, self._entropy, self._engine = keyring, entropy, engine
        self._noted: set[tuple[str, int]] = set()
        self._losing = accept_loss

    @classmethod
    def at(cls, path: Path, entropy: Entropy, engine: Engine, *, accept_loss: bool = False) -> "LocalCipher":
        """Open the key file; refuse to make a new one where the database holds what another sealed."""
        keyring = open_keyring(path, entropy, engine, accept_loss=accept_loss)
        return cls(keyring, entropy, engine, accept_loss=accept_loss)

    async def begin(self) -> None:
        """Settle what was accepted to be lost, before anything is sealed."""
        if self._losing:
            await accept_lost_keys(self.keyring, self._engine)
            self._losing = False

    async def seal(self, context: SealContext, plaintext: Secret[bytes]) -> bytes:
        """Return sealed bytes whose header carries the key id and version."""
        parts = _parts(context)
        return _seal(await self._newest(context.purpose), self._entropy.token(NONCE_BYTES), parts, plaintext)

    async def open(self, context: SealContext, sealed: bytes) -> Secret[bytes]:
        """Return the plaintext, or raise SealBroken."""
        return self.unseal(context.purpose, _parts(context), sealed)

    async def index(self, context: SealContext, value: Secret[bytes]) -> tuple[str, ...]:
        """Return the blind indexes of a value, the newest key's first."""
        _parts(context)
        await self._newest(context.purpose)
        held = self.keyring.keys(context.purpose)
        return tuple(blind_index(key.material, context, value) for key in held)

    def keys_are_there(self) -> bool:
        """Return whether what was sealed could be opened after another start."""
        return self.keyring.is_there()

    async def stamp(self, purpose: str) -> Stamp:
        """Return a stamp under the newest key of a purpose."""
        return partial(_seal, await self._newest(purpose), self._entropy.token(NONCE_BYTES))

    async def _newest(self, purpose: str) -> Key:
        await self.begin()
        key = self.keyring.newest(purpose)
        if (purpose, key.version) not in self._noted:
            # On the disk before anything is sealed: a file that lacks this key is refused from then on.
            await self._engine.write(partial(note, self.keyring.id, purpose, key.version, key.id))
            self._noted.add((purpose, key.version))
        return key

    def unseal(self, purpose: str, parts: Parts, sealed: bytes) -> Secret[bytes]:
        """Return what a stamp of this purpose sealed for these parts, or raise SealBroken."""
        return _unseal(_key_of(self.keyring, purpose, sealed), parts, sealed)

    def rotate(self, purpose: str) -> int:
        """Seal with a new key version from now on, and return its number; older ones still open."""
        return self.keyring.rotate(purpose)


class GuardedCipher:
    """A cipher that does for its present caller only what the caller's descriptor names, as KMS holds to it.

    Whoever may open a purpose may seal for it too; whoever only writes a field (a subscriber a guest's
    contact, the backoffice a vendor's configuration) names it under `seals`. None is the platform itself.
    """

    def __init__(
        self, cipher: Cipher, opens: Rights, seals: Callable[[], frozenset[str] | None] = lambda: None
    ) -> None:
        self._cipher, self._opens, self._seals = cipher, opens, seals

    async def seal(self, context: SealContext, plaintext: Secret[bytes]) -> bytes:
        """Seal, or raise PurposeRefused."""
        seals = self._seals()
        if seals is not None and not names(self._opens() | seals, context.purpose):
            raise _refused("seal", context.purpose, "seals")
        return await self._cipher.seal(context, plaintext)

    async def open(self, context: SealContext, sealed: bytes) -> Secret[bytes]:
        """Return the plaintext, or raise PurposeRefused before looking at the bytes."""
        if not names(self._opens(), context.purpose):
            raise _refused("open", context.purpose, "opens")
        return await self._cipher.open(context, sealed)

    async def index(self, context: SealContext, value: Secret[bytes]) -> tuple[str, ...]:
        """Return the blind indexes, or raise PurposeRefused: who may ask may try out every PIN."""
        if not names(self._opens(), context.purpose):
            raise _refused("index by", context.purpose, "opens")
        return await self._cipher.index(context, value)


def _refused(verb: str, purpose: str, under: str) -> PurposeRefused:
    return PurposeRefused(
        f"this function may not {verb} {purpose}: if it must, name the purpose under `{under}` "
        "in its fleet.yaml"
    )


def _seal(key: Key, nonce: bytes, parts: Parts, plaintext: Secret[bytes]) -> bytes:
    header = HEADER.pack(MAGIC, key.id, key.version)
    return (
        header
        + nonce
        + crypto_aead_xchacha20poly1305_ietf_encrypt(
            plaintext.reveal(), header + _canonical(parts), nonce, key.material.reveal()
        )
    )


def _unseal(key: Key, parts: Parts, sealed: bytes) -> Secret[bytes]:
    header, nonce, ciphertext = _split(sealed)
    # Suppressed, and raised anew outside: the binding's own frame holds the key.
    with contextlib.suppress(CryptoError):
        return Secret(
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                ciphertext, header + _canonical(parts), nonce, key.material.reveal()
            )
        )
    raise SealBroken("the sealed bytes were altered, or belong to another purpose, tenant, record or field")


def _key_of(keyring: Keyring, purpose: str, sealed: bytes) -> Key:
    if len(sealed) < HEADER.size + NONCE_BYTES + TAG_BYTES:
        raise SealBroken("the sealed bytes are cut short")
    magic, id_, version = HEADER.unpack_from(sealed)
    if magic != MAGIC:
        raise SealBroken("these are not bytes this cipher sealed")
    key = keyring.find(purpose, id_, version)
    if key is None:
        raise SealBroken(f"sealed with a key that the key file does not hold for {purpose}")
    return key


def _split(sealed: bytes) -> tuple[bytes, bytes, bytes]:
    start = HEADER.size + NONCE_BYTES
    return sealed[: HEADER.size], sealed[HEADER.size : start], sealed[start:]


def _parts(context: SealContext) -> Parts:
    parts = (context.purpose, context.tenant, context.record, context.field)
    if not all(parts):
        raise InvalidInput("context", "an empty part", "Name purpose, tenant, record and field")
    return parts


def _canonical(parts: Parts) -> bytes:
    # Lengths first, so that no two contexts spell the same bytes.
    return b"".join([len(encoded).to_bytes(4) + encoded for encoded in [part.encode() for part in parts]])
