"""Secrets and the cipher: what is stored by us for vendors, and how a field is sealed."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from shared.domain.ids import TenantId
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


def names(patterns: Iterable[str], purpose: str) -> bool:
    """Return whether a purpose is among those named: whole, or by what it begins with and a star."""
    return any(fnmatchcase(purpose, pattern) for pattern in patterns)


class Cipher(Protocol):
    """Authenticated encryption bound to purpose, tenant, record and field."""

    async def seal(self, context: SealContext, plaintext: Secret[bytes]) -> bytes:
        """Return sealed bytes whose header carries the key id and version."""

    async def open(self, context: SealContext, sealed: bytes) -> Secret[bytes]:
        """Return the plaintext, or raise SealBroken or PurposeRefused."""
