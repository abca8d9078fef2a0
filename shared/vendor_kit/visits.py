"""Visits: what one request does at several locks holds its turn from one lock to the next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from typing import Final

from shared.vendor_kit.calm.urgency import Urgency
from shared.vendor_kit.turns import PATIENCE, Turn, TurnNotCome, Turns


class Visit:
    """At most one turn, kept for whoever of the request wants it next.

    Never two: who gives one back before waiting for another cannot wait for somebody who waits for him.
    """

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        self._kept = AsyncExitStack()
        self._turn: tuple[Turns, str, Turn] | None = None
        self.over = False

    @asynccontextmanager
    async def turn(self, turns: Turns, name: str, holder: str, urgency: Urgency) -> AsyncIterator[Turn]:
        """Go on with the turn that is held, or take it; the tasks of one request exclude each other too."""
        await self._come_to_the_front(name)
        try:
            yield await self._standing(turns, name, urgency) or await self._taken(
                turns, name, holder, urgency
            )
        finally:
            self._alone.release()

    async def end(self) -> None:
        """Give back what is held, when nobody uses it any more."""
        self.over = True
        async with self._alone:
            await self._give_back()

    async def _come_to_the_front(self, name: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._alone.acquire()
        except TimeoutError:
            raise TurnNotCome(f"{name} is busy") from None

    async def _standing(self, turns: Turns, name: str, urgency: Urgency) -> Turn | None:
        """Return the turn that is held, unless somebody needs it more."""
        if self._turn is None or self._turn[:2] != (turns, name):
            return None
        turn, place = self._turn[2], turns.place(urgency)
        if not turn.lasts or turns.wanted(name, place) or await turn.wanted_elsewhere(place):
            return None
        return None if turns.overlong(name, turn) else turn

    async def _taken(self, turns: Turns, name: str, holder: str, urgency: Urgency) -> Turn:
        await self._give_back()
        turn = await self._kept.enter_async_context(turns.take(name, holder, urgency))
        self._turn = (turns, name, turn)
        return turn

    async def _give_back(self) -> None:
        self._turn = None
        await self._kept.aclose()


_UNDER_WAY: Final[ContextVar[Visit | None]] = ContextVar("visit", default=None)


@asynccontextmanager
async def visiting() -> AsyncIterator[None]:
    """Keep the turn taken last until another is wanted or all is done; a visit on a visit is part of it."""
    if _present() is not None:
        yield
        return
    visit = Visit()
    token = _UNDER_WAY.set(visit)
    try:
        yield
    finally:
        try:
            await visit.end()
        finally:
            _UNDER_WAY.reset(token)


@asynccontextmanager
async def turn_at(
    turns: Turns, name: str, holder: str, urgency: Urgency = Urgency.ISSUE
) -> AsyncIterator[Turn]:
    """Hold a turn inside: on a visit the visit's own, otherwise one for this alone."""
    visit, how = _present(), (name, holder, urgency)
    async with turns.take(*how) if visit is None else visit.turn(turns, *how) as turn:
        yield turn


def _present() -> Visit | None:
    # A task may outlive the visit it was begun on.
    visit = _UNDER_WAY.get()
    return None if visit is None or visit.over else visit
