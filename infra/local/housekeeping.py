"""What an embedded fleet does for its own file beside its work: the log is folded in, the old is dropped."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Final

from infra.local.storage.engine import Engine
from shared.kernel.log import Log
from shared.ports.documents import StorageFull

TIDY_EVERY: Final = timedelta(hours=1)
FOLD_EVERY: Final = timedelta(minutes=1)
"""For no longer can be read from the log what was deleted: a PIN, a name, a token."""
KEPT_FOR: Final = timedelta(days=90)
"""How long executions that ended and tasks that failed can be looked at."""

Purge = Callable[[], Awaitable[object]]


async def folding(engine: Engine) -> None:
    """Fold the log into the file each minute, so that what was destroyed is gone from both."""
    while True:
        await asyncio.sleep(FOLD_EVERY.total_seconds())
        with contextlib.suppress(StorageFull):  # the next fold finds it all the same
            await engine.fold()


async def tidying(purges: Sequence[Purge], log: Log) -> None:
    """Drop each hour what nobody may read any more."""
    while True:
        await asyncio.sleep(TIDY_EVERY.total_seconds())
        try:
            for purge in purges:
                await purge()
        except StorageFull as full:
            log.warning("could not tidy up", reason=str(full))
