"""The agent's day: in touch with the cloud while it can be reached, and ready while it cannot.

| what | how often | when it fails |
|---|---|---|
| what was done alone is told | before each pull | the pull waits: a job could be for a card that exists |
| | | a refusal stops nobody, and is asked for again after ten minutes |
| jobs are pulled | after the last pull, which the cloud holds a while | a pause, by full jitter |
| the arrivals | every five minutes | those we have count until they are two days old |
| the certificate | every hour | that we have counts until its end |
| the cell's log is cosigned | every hour | the next hour |
| what was over a week ago is forgotten | every day, by a true clock | the next day |

A line that is up and says nothing ends with the pull's patience, half a minute at most. A desk whose encoder
is not plugged in, and that reaches no lock system, pulls nothing: its cards would wait in vain, and the cloud
must know.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from edge_agent.agent.wiring import DeskAgent
from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.hardware.errors import HardwareError
from edge_agent.ledger.desk_tables import DeskJobRow
from edge_agent.relay.jobs import RADIO, Able, JobGone
from shared.offline.signing import SignedRefused
from shared.ports.ambient import Entropy

HOLD: Final = 5.0
"""Seconds for which the cloud may hold a pull; with the patience beyond, silence is found within thirty."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
WITHOUT_ENCODER: Final = 5.0
SOON: Final = timedelta(seconds=2)
ARRIVALS_EVERY, PAPERS_EVERY = timedelta(minutes=5), timedelta(hours=1)
TIDIED_EVERY: Final = timedelta(days=1)
REFUSED_PAUSE: Final = timedelta(minutes=10)


@dataclass
class Chore:
    """Something that is done now and then; one that fails is tried again before its time."""

    do: Callable[[], Awaitable[object]]
    every: timedelta
    done_at: datetime | None = None
    problem: str = ""

    def due(self, now: datetime) -> bool:
        """Say whether it is time; a clock that is set back makes it so."""
        return self.done_at is None or not timedelta(0) <= now - self.done_at < self.every


@dataclass
class AgentLoop:
    """Keeps a desk in touch."""

    agent: DeskAgent
    entropy: Entropy
    beat: Callable[[], None] = lambda: None
    """Says after each round that the agent is alive, whether or not the cloud is."""
    chores: dict[str, Chore] = field(init=False)
    problem: str = ""
    """Why the cloud was not reached last, or what it refused; empty while all is well."""
    _failures: int = 0
    _refused: str = ""
    _refused_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        papers = self.agent.papers
        self.chores = {
            "arrivals": Chore(papers.fetch_arrivals, ARRIVALS_EVERY),
            "certificate": Chore(papers.fetch_certificate, PAPERS_EVERY),
            "witness": Chore(self.agent.witness.cosign, PAPERS_EVERY),
            "tidying": Chore(self._tidied, TIDIED_EVERY),
        }

    async def forever(self) -> None:
        """Stay in touch until cancelled."""
        while True:
            pause = await self.round()
            self.beat()
            await self.agent.parts.sleep(pause)

    async def round(self) -> float:
        """Do what is due once, and return for how many seconds to rest."""
        try:
            await self._in_touch()
        except (CloudSilent, CloudRefused, SignedRefused) as trouble:
            self.problem = str(trouble) or type(trouble).__name__
            self._failures += 1
            # Full jitter: a thousand desks whose line came back must not all call in one second.
            most = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._failures, 10))
            return self.entropy.uniform(0.1, most)
        self.problem, self._failures = self._refused, 0
        return 0.1 if await self._plugged() or await self._by_radio() else WITHOUT_ENCODER

    async def _in_touch(self) -> None:
        agent = self.agent
        if not agent.reach.lately:
            await agent.line.alive()
            agent.reach.heard()
        await self._push()
        await self._chores()
        able = Able(await self._plugged(), await self._by_radio())
        if able.cards or able.radio:
            with suppress(JobGone):  # it is let go of here; the next pull tells the rest
                jobs = await agent.post.pull(HOLD, able)
                await self._look_again_for(jobs)
                agent.reach.heard()
                await self._visit([row for row in jobs if row.document["dialect"] == RADIO])
        else:
            await agent.line.alive()
        agent.reach.heard()

    async def _by_radio(self) -> tuple[str, ...]:
        """Return whose locks are in this desk's reach: such as it holds the keys of."""
        pack = (await self.agent.papers.standing()).pack
        doors = self.agent.pin_doors(pack) if pack else {}
        return tuple(sorted({str(lock.vendor) for lock in pack.radio if lock.door in doors})) if pack else ()

    async def _visit(self, jobs: list[DeskJobRow]) -> None:
        """Go to the locks that are asked for; what nobody knows the end of is asked in the next round."""
        pack = (await self.agent.papers.standing()).pack
        if not jobs or pack is None:
            return
        writer = self.agent.radio_writer(pack)
        for row in jobs:
            with suppress(HardwareError):
                await writer.write(row.id)

    async def _push(self) -> None:
        """Send what was made alone; a row that the cloud refuses must not keep the desk from its jobs.

        Each refusal calls somebody, so the same row is not shown again in every round.
        """
        now = self.agent.parts.clock.now()
        if self._refused and abs(now - self._refused_at) < REFUSED_PAUSE:
            return
        try:
            await self.agent.outbox.push((await self.agent.papers.standing()).certificate)
        except CloudRefused as refusal:
            self._refused, self._refused_at = str(refusal), now
        else:
            self._refused = ""

    async def _look_again_for(self, jobs: list[DeskJobRow]) -> None:
        """Fetch the arrivals anew, before their time, for a job of a stay that is not among them."""
        pack = (await self.agent.papers.standing()).pack
        known = {stay.reservation for stay in pack.stays} if pack else set()
        if any(row.document["reservationId"] not in known for row in jobs):
            chore = self.chores["arrivals"]
            since = self.agent.parts.clock.now() - (chore.done_at or self.agent.parts.clock.now())
            if since > SOON:
                chore.done_at = None

    async def _chores(self) -> None:
        now = self.agent.parts.clock.now()
        for chore in self.chores.values():
            if not chore.due(now):
                continue
            try:
                await chore.do()
            except (CloudRefused, SignedRefused) as refusal:
                chore.problem = str(refusal)
            else:
                chore.problem = ""
            chore.done_at = now

    async def _tidied(self) -> None:
        if not self.agent.line.clock_is_untrue:
            await self.agent.offline.tidy()

    async def _plugged(self) -> bool:
        parts = self.agent.parts
        encoders = [each.plugged for each in parts.encoders.values()]
        for way in (*encoders, *(each.there for each in parts.systems.values())):
            if await way():
                return True
        return False


async def kept_alive(work: Callable[[], Awaitable[None]], tell: Callable[[str], None], pause: float) -> None:
    """Do some work for ever; what breaks it is told by its type, and it begins anew after a pause."""
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - a desk that stops for one odd answer helps nobody
            tell(type(error).__name__)
        await asyncio.sleep(pause)
