"""The keys of blind indexes on Google Cloud: kept sealed, wrapped by Cloud KMS, opened for a while.

Cloud KMS would sign each value itself, at a call of some ten milliseconds a value. A key of our own, which
only KMS can unwrap, costs one call in ten minutes. Whoever is first creates it; a rotation adds one.
"""

import base64
import contextlib
from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.gcp.keyring import DATA_KEY_BYTES, KeyRing, Wrapped
from shared.kernel.remembered import Remembered
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref

INDEX_KEYS: Final = "index_keys"
OURSELVES: Final = TenantId("tnt_platform")
KNOWN_FOR: Final = timedelta(minutes=10)


class IndexKeys:
    """The keys of each purpose, the newest first."""

    def __init__(self, ring: KeyRing, sealed: DocumentStore, clock: Clock, entropy: Entropy) -> None:
        self._ring, self._sealed, self._entropy = ring, sealed, entropy
        self._known: Remembered[str, tuple[Secret[bytes], ...]] = Remembered(clock.now, KNOWN_FOR)

    async def of(self, purpose: str) -> tuple[Secret[bytes], ...]:
        """Return a purpose's keys, making its first one."""
        return await self._known.recall(purpose, lambda: self._read(purpose))

    async def rotate(self, purpose: str) -> int:
        """Add a key for what is indexed from now on, and return its number; by older ones is still found."""
        number = len(await self._read(purpose)) + 1
        await self._add(purpose, number)
        self._known.put(purpose, await self._read(purpose))
        return number

    async def _read(self, purpose: str) -> tuple[Secret[bytes], ...]:
        found: list[Secret[bytes]] = []
        for number in count(1):
            kept = await self._sealed.tenant(OURSELVES).get(_ref(purpose, number))
            if kept is None and number == 1:
                await self._add(purpose, number)
                kept = await self._sealed.tenant(OURSELVES).get(_ref(purpose, number))
            if kept is None:
                break
            found.insert(0, await self._ring.unwrap(purpose, _wrapped(kept.data)))
        return tuple(found)

    async def _add(self, purpose: str, number: int) -> None:
        wrapped = await self._ring.wrap(purpose, Secret(self._entropy.token(DATA_KEY_BYTES)))
        data = {"key": base64.b64encode(wrapped.data).decode(), "wrapped_by": wrapped.version}
        with contextlib.suppress(AlreadyExists):  # somebody else was first, and theirs is the key
            await self._sealed.tenant(OURSELVES).commit([Create(_ref(purpose, number), data)])


def _ref(purpose: str, number: int) -> Ref:
    return Ref(INDEX_KEYS, f"{purpose}.{number}")


def _wrapped(data: Mapping[str, Any]) -> Wrapped:
    return Wrapped(data["wrapped_by"], base64.b64decode(data["key"]))
