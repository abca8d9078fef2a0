"""Secrets and the cipher: what is stored by us for vendors, and how a field is sealed."""

import hmac
import struct
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.replacing import born_open
from shared.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class SecretVersion:
    """One version of a secret; its value is redacted wherever it is printed."""

    version: int
    value: Secret[bytes]


class SecretMissing(LookupError):
    """No such secret, or no such version."""


class Secrets(Protocol):
    """Named secrets with numbered versions."""

    async def latest(self, secret: str) -> SecretVersion:
        """Return the newest version that is not destroyed."""

    async def version(self, secret: str, version: int) -> SecretVersion:
        """Return one version."""

    async def add(self, secret: str, value: Secret[bytes]) -> int:
        """Add a version and return its number; versions count from 1."""

    async def destroy(self, secret: str, version: int) -> None:
        """Make one version unreadable for ever."""


@born_open
@dataclass(frozen=True, slots=True)
class SealContext:
    """What a sealed field belongs to; opening with any other context fails."""

    purpose: str
    tenant: TenantId
    record: str
    field: str


class SealBroken(Exception):
    """The bytes were not sealed in this context, or were altered."""


class PurposeRefused(Exception):
    """The caller's descriptor does not name this purpose under `opens`."""


def names(patterns: Collection[str], purpose: str) -> bool:
    """Return whether a purpose is among those named: whole, or by what it begins with and a star."""
    return purpose in patterns or any(fnmatchcase(purpose, pattern) for pattern in patterns)


def blind_index(key: Secret[bytes], context: SealContext, value: Secret[bytes]) -> str:
    """Return a value's index under one key: 64 hex digits."""
    parts = (context.purpose, context.tenant, context.record, context.field)
    if not all(parts):
        raise InvalidInput("context", "an empty part", "Name purpose, tenant, record and field")
    # Lengths first, so that no two contexts spell the same bytes.
    spelt = b"".join(struct.pack(">I", len(each)) + each for each in (part.encode() for part in parts))
    return hmac.digest(key.reveal(), spelt + value.reveal(), "sha256").hex()


class Cipher(Protocol):
    """Authenticated encryption bound to purpose, tenant, record and field."""

    async def seal(self, context: SealContext, plaintext: Secret[bytes]) -> bytes:
        """Return sealed bytes whose header carries the key id and version."""

    async def open(self, context: SealContext, sealed: bytes) -> Secret[bytes]:
        """Return the plaintext, or raise SealBroken or PurposeRefused."""

    async def index(self, context: SealContext, value: Secret[bytes]) -> tuple[str, ...]:
        """Return the blind indexes of a value, one for each key version that is held, the newest first.

        The first is what is kept; by all of them is found what was kept before a rotation. The same value has
        the same index in the same context, and in no other; who lacks the key can tell nothing by it.
        """
