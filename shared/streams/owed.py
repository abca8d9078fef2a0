"""What is owed of a record that was saved and perhaps not told: the sweeper follows who died between."""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from shared.ports.documents import Document, Ref, StaleVersion, TenantDocuments, Write
from shared.streams.stream import Stream

S = TypeVar("S", bound=Stream)


async def owed(
    read: Callable[[Document], S], ref: Ref, documents: TenantDocuments, now: datetime
) -> S | None:
    """Return a record at which somebody must look by now; None where it is gone, or nothing is owed of it."""
    found = await documents.get(ref)
    record = None if found is None else read(found)
    return record if record is not None and record.is_due(now) else None


async def nothing_owed(
    records: Sequence[Stream], commit: Callable[[Sequence[Write]], Awaitable[Any]]
) -> None:
    """Keep of records that were told that nothing is owed of them.

    Where one was changed meanwhile, all of them stay due, and the sweeper tells them once more.
    """
    if records:
        with contextlib.suppress(StaleVersion):
            await commit([replace(each, due=None).write() for each in records])
