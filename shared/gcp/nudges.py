"""Nudges through Firestore: a ring writes a desk's document, and a listener is told over one open stream.

A ring costs a write, and a read for each listener; waiting costs nothing. Polling a document instead would
cost each desk a read a second, day and night.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from shared.domain.ids import TenantId
from shared.gcp.documents.connection import Connection
from shared.gcp.documents.form import EXPIRES, MARK, value
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import Ref
from shared.ports.nudges import Bell, check_desk, check_wait
from shared.ports.trouble import ServiceTrouble

NUDGES: Final = "nudges"
KEPT_FOR: Final = timedelta(days=1)
OPENS_WITHIN: Final = 20.0
FIRST_REST, LONGEST_REST = 0.5, 30.0
_CURRENT: Final = "CURRENT"


class StreamedBell:
    """Rings when its document changes; once more after every broken stream, for what may have been missed."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection, self._name = connection, name
        self._rung, self._open = asyncio.Event(), asyncio.Event()
        self._told = False

    async def heard(self, within: float) -> bool:
        """Wait until it rings, at most so many seconds."""
        check_wait(within)
        try:
            async with asyncio.timeout(within):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return True

    async def opened(self) -> None:
        """Return once no ring can be missed, or raise ServiceTrouble."""
        try:
            async with asyncio.timeout(OPENS_WITHIN):
                await self._open.wait()
        except TimeoutError:
            raise ServiceTrouble("firestore does not let us listen: ask again") from None

    async def listen(self) -> None:
        """Listen until cancelled, over as many streams as it takes."""
        rest = FIRST_REST
        while True:
            if await self._heard_out():
                rest = FIRST_REST
            if self._open.is_set():
                self._rung.set()
            await asyncio.sleep(rest)
            rest = min(2 * rest, LONGEST_REST)

    async def _heard_out(self) -> bool:
        """Hear a stream to its end, and return whether it told anything; why it broke is no matter."""
        self._told = False
        try:
            with contextlib.suppress(Exception):
                await self._hear_out()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # it is we who stop, and not a channel that was closed under us
        return self._told

    async def _hear_out(self) -> None:
        current = False
        async for told in await self._connection.listen(self._name):
            self._told = True
            if told.target_change.target_change_type.name == _CURRENT:
                current = True
                self._open.set()
            elif told.document_change.document.name and current:
                self._rung.set()


@dataclass(frozen=True, slots=True)
class FirestoreNudges:
    """The bells of every desk, on whatever machine somebody listens."""

    connection: Connection
    clock: Clock
    entropy: Entropy

    async def ring(self, tenant: TenantId, desk: str) -> None:
        """Ring whoever listens there; nobody may."""
        check_desk(tenant, desk)
        mark, expires = self.entropy.token(12).hex(), self.clock.now() + KEPT_FOR
        fields = {MARK: value(mark), EXPIRES: value(expires)}
        # Without a condition: two rings at once are one.
        await self.connection.commit([{"update": {"name": self._name(tenant, desk), "fields": fields}}])

    @asynccontextmanager
    async def listen(self, tenant: TenantId, desk: str) -> AsyncIterator[Bell]:
        """Listen for a while: once this is entered, no ring is missed."""
        check_desk(tenant, desk)
        bell = StreamedBell(self.connection, self._name(tenant, desk))
        listening = asyncio.ensure_future(bell.listen())
        try:
            await bell.opened()
            yield bell
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    def _name(self, tenant: TenantId, desk: str) -> Any:
        return self.connection.place.document(tenant, Ref(NUDGES, desk))
