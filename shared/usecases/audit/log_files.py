"""A log's files among the objects of the cell: created once, and kept until their time.

| name below `audit/<log>/` | holds |
|---|---|
| `tile/…` | tiles, bundles of entries, bundles of sealed bodies |
| `intake/2026/11/18/000001` | which rows a page of the day has: it is frozen before it is used |
| `anchors/2026/11/18` | the signed checkpoint of the day |
| `cosigned/2026/11/18/…` | the line of a witness under it |

A question to the files is asked twice or thrice: first of blank files, which tells which ones it reads, then
of those. So the logic that reads files need not wait for any.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

from shared.audit.errors import AuditError, NotProven
from shared.audit.tiles import Read, blank
from shared.domain.ids import TenantId
from shared.ports.objects import Objects

T = TypeVar("T")
ROOT: Final = "audit"
CELL: Final = "cell"
_AT_ONCE: Final = 32


def folder_of(tenant: TenantId) -> str:
    """Return the name of a tenant's folder: no two tenants share one, though names are of small letters."""
    small = tenant.lower().replace("_", "=")
    return small if tenant == tenant.lower() else f"{small}={hashlib.sha256(tenant.encode()).hexdigest()[:8]}"


class LogFiles:
    """The files of one log; what is written is kept until a time."""

    def __init__(self, objects: Objects, folder: str, kept_until: datetime) -> None:
        self._objects, self._until = objects, kept_until
        self.folder = f"{ROOT}/{folder}"

    async def put(self, path: str, content: bytes) -> None:
        """Create a file; the same bytes again are no matter, others raise ObjectExists."""
        await self._objects.add(f"{self.folder}/{path}", content, self._until)

    async def find(self, path: str) -> bytes | None:
        """Return a file, or None."""
        found = await self._objects.read(f"{self.folder}/{path}")
        return None if found is None else found.data

    async def fetch(self, path: str) -> bytes:
        """Return a file that has to be there."""
        content = await self.find(path)
        if content is None:
            raise NotProven(f"the file {path} is missing: restore it from the store with retention")
        return content

    async def names(self, prefix: str, *, after: str = "", limit: int = 1000) -> list[str]:
        """Return the paths that begin so, in order."""
        start = f"{self.folder}/{after}" if after else ""
        found = await self._objects.listed(f"{self.folder}/{prefix}", after=start, limit=limit)
        return [name.removeprefix(f"{self.folder}/") for name in found]

    async def answer(self, question: Callable[[Read], T]) -> T:
        """Return the answer to a question, by the files that it reads."""
        return await answered(question, self)


async def answered(question: Callable[..., T], *logs: LogFiles) -> T:
    """Return the answer to a question to the files of some logs."""
    held: dict[_Place, bytes] = {}
    while True:
        lacking = dict[_Place, None]()
        reads = [partial(_read, held, lacking, files) for files in logs]
        try:
            answer = question(*reads)
        except AuditError:
            if not lacking:
                raise
        if not lacking:
            return answer
        places = [*lacking]
        found = await gathered([files.fetch(path) for files, path in places])
        held |= dict(zip(places, found, strict=True))


_Place = tuple[LogFiles, str]


def _read(held: dict[_Place, bytes], lacking: dict[_Place, None], files: LogFiles, path: str) -> bytes:
    """Read a file at hand, or a blank one where it is not; note which those are."""
    if (files, path) in held:
        return held[files, path]
    lacking[files, path] = None
    return blank(path)


async def gathered(work: Sequence[Awaitable[T]]) -> list[T]:
    """Do some things at once, and not too many: few hands take one after the other."""
    due, done = enumerate(work), dict[int, T]()

    async def hand() -> None:
        for place, each in due:
            done[place] = await each

    await asyncio.gather(*(hand() for _ in work[:_AT_ONCE]))
    return [done[place] for place in range(len(work))]
