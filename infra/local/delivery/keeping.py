"""Commits that must be noticed even when whoever asked for them stops waiting."""

import asyncio
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from infra.local.storage.engine import Engine

T = TypeVar("T")


class Keeping:
    """Writes, and tells once it is kept: who stops waiting does not undo a commit, nor what follows."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._under_way: dict[asyncio.Future[Any], None] = {}

    @property
    def quiet(self) -> bool:
        """Whether no commit is awaited."""
        return not self._under_way

    async def write(self, operation: Callable[[sqlite3.Connection], T], noticed: Callable[[T], None]) -> T:
        """Commit, call `noticed` with the result, and return it."""
        writing = self._engine.begin(operation)
        self._under_way[writing] = None
        writing.add_done_callback(partial(self._done, noticed))
        return await asyncio.shield(writing)

    async def idle(self) -> None:
        """Wait for what is under way."""
        if self._under_way:
            await asyncio.wait(self._under_way)
        await asyncio.sleep(0)

    def _done(self, noticed: Callable[[T], None], writing: "asyncio.Future[T]") -> None:
        del self._under_way[writing]
        if not writing.cancelled() and writing.exception() is None:
            noticed(writing.result())
