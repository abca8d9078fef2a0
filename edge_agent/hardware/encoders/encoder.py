"""One encoder of a desk: opened when it is needed, held by one job at a time, found again after unplugging.

A session lasts from opening to letting go, and both are told as facts (B §2.13). An encoder that is lost
or falls silent ends its session, so that the next job starts by looking for it: by its identity, never by
its last port.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from edge_agent.hardware.cards.reader import CardReader
from edge_agent.hardware.encoders.models import EncoderSetup
from edge_agent.hardware.encoders.usb import Look, Sighting, find
from edge_agent.hardware.errors import HardwareError, LinkLost, NoAnswer
from shared.domain.ids import DesktopDeviceId, EncoderSessionId, PropertyId
from shared.events.encoder_session import EncoderSessionClosedV1, EncoderSessionOpenedV1
from shared.ports.ambient import Clock, Ids

_T = TypeVar("_T")
SessionFact = EncoderSessionOpenedV1 | EncoderSessionClosedV1


class CloseReason(StrEnum):
    """Why a session ended."""

    GRACEFUL = "graceful"
    UNPLUGGED = "unplugged"
    SILENT = "no_answer"


@dataclass(frozen=True, slots=True)
class DeskOfEncoders:
    """Whose encoders they are, and who hears of their sessions."""

    property_id: PropertyId
    desktop_device_id: DesktopDeviceId
    clock: Clock
    ids: Ids
    tell: Callable[[SessionFact], None]


@dataclass(frozen=True, slots=True)
class _Session:
    id: EncoderSessionId
    reader: CardReader


class EncoderDoor(Protocol):
    """An encoder, as everything but its wire sees it."""

    async def plugged(self) -> bool:
        """Say whether it is there, without touching it."""

    async def run(self, job: Callable[[CardReader], Awaitable[_T]]) -> _T:
        """Give it to a job, and to no other meanwhile."""

    async def close(self) -> None:
        """Let go of it once its job is done."""


class Encoder:
    """An encoder by its name."""

    def __init__(self, setup: EncoderSetup, desk: DeskOfEncoders, look: Look) -> None:
        self.setup = setup
        self._desk, self._look = desk, look
        self._turn = asyncio.Lock()
        self._session: _Session | None = None

    async def plugged(self) -> bool:
        """Say whether the encoder is there, without touching it."""
        try:
            await self._sighted()
        except LinkLost:
            return False
        return True

    async def run(self, job: Callable[[CardReader], Awaitable[_T]]) -> _T:
        """Give the encoder to a job; no two jobs have it at a time."""
        async with self._turn:
            session = self._session or await self._open()
            try:
                return await job(session.reader)
            except LinkLost:
                await self._end(CloseReason.UNPLUGGED)
                raise
            except NoAnswer:
                await self._end(CloseReason.SILENT)
                raise

    async def tend(self) -> bool:
        """End the session of an encoder that is gone, unless a job has it; say whether it is there."""
        plugged = await self.plugged()
        if not plugged and not self._turn.locked():
            async with self._turn:
                await self._end(CloseReason.UNPLUGGED)
        return plugged

    async def close(self) -> None:
        """Let go of the encoder once its job is done."""
        async with self._turn:
            await self._end(CloseReason.GRACEFUL)

    async def _sighted(self) -> Sighting:
        model = self.setup.model
        return await asyncio.to_thread(find, self.setup.identity, model.transport, self._look)

    async def _open(self) -> _Session:
        link = await self.setup.model.connect((await self._sighted()).path)
        try:
            reader = await self.setup.model.wake(link)
        except BaseException:
            await link.close()
            raise
        self._session = _Session(EncoderSessionId(f"enc_{self._desk.ids.ulid()}"), reader)
        self._desk.tell(self._opened(self._session))
        return self._session

    def _opened(self, session: _Session) -> EncoderSessionOpenedV1:
        return EncoderSessionOpenedV1(
            encoder_session_id=session.id,
            property_id=self._desk.property_id,
            desktop_device_id=self._desk.desktop_device_id,
            encoder_model=self.setup.model.code,
            transport=self.setup.model.transport.value,
            opened_at=self._desk.clock.now(),
        )

    async def _end(self, reason: CloseReason) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            await session.reader.close()
        except HardwareError:
            reason = CloseReason.UNPLUGGED
        self._desk.tell(
            EncoderSessionClosedV1(
                encoder_session_id=session.id,
                closed_at=self._desk.clock.now(),
                close_reason=reason.value,
                property_id=self._desk.property_id,
            )
        )
