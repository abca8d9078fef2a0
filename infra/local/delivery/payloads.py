"""What messages say, as it lies in the file: sealed, for it may be a guest's name or an address."""

from typing import Final, Protocol

from infra.local.cipher import MAGIC, LocalCipher
from shared.domain.secret import Secret

PURPOSE: Final = "messages"
CONTEXT: Final = (PURPOSE, "bus", "data")


class Payloads(Protocol):
    """Shuts what is kept, and opens what is pushed or looked at."""

    async def seal(self, data: bytes) -> bytes:
        """Return what to keep."""

    def open(self, kept: bytes) -> bytes:
        """Return what was published, or raise SealBroken."""


class Bare:
    """Keeps messages as they are: for parts that are run without a key file."""

    async def seal(self, data: bytes) -> bytes:
        """Return the same."""
        return data

    def open(self, kept: bytes) -> bytes:
        """Return the same."""
        return kept


class Sealed:
    """Keeps messages under a key of their own, which is destroyed with the key file."""

    def __init__(self, cipher: LocalCipher) -> None:
        self._cipher = cipher

    async def seal(self, data: bytes) -> bytes:
        """Return what to keep."""
        return (await self._cipher.stamp(PURPOSE))(CONTEXT, Secret(data))

    def open(self, kept: bytes) -> bytes:
        """Return what was published; what an earlier release kept in the clear, as it is."""
        if not kept.startswith(MAGIC):
            return kept
        return self._cipher.unseal(PURPOSE, CONTEXT, kept).reveal()
