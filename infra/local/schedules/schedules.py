"""Calls by the clock, remembered across restarts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from infra.local.delivery.attempt import Outcome
from infra.local.delivery.instants import instant
from infra.local.delivery.parts import DeliveryParts
from infra.local.delivery.refusal import Check
from infra.local.schedules.rows import Progress
from infra.local.schedules.runner import Runner
from infra.local.schedules.specs import ScheduleSpec
from shared.ports.schedules import UnknownSchedule


@dataclass(frozen=True, slots=True)
class ScheduleStatus:
    """How a schedule stands: what it calls and when, the last tick it took up, if any, and the next."""

    name: str
    cron: str
    zone: str
    url: str
    last_tick: datetime | None
    attempts: int
    done: bool
    reason: str
    next_tick: datetime


class Schedules:
    """Cron jobs with the semantics of Cloud Scheduler: at least once a tick, made up once after downtime."""

    def __init__(self, means: DeliveryParts, specs: Sequence[ScheduleSpec]) -> None:
        self._means = means
        self._changed = asyncio.Event()
        self._runners: dict[str, Runner] = {}
        for spec in specs:
            if spec.name in self._runners:
                Check(f"schedule {spec.name!r}").refuse("name", "is taken", "rename one of the two")
            self._runners[spec.name] = Runner(spec, means, self._changed.set)

    def start(self) -> None:
        """Begin to call; what was missed is made up."""
        for runner in self._runners.values():
            runner.start()

    async def stop(self) -> None:
        """Call no more; an unfinished tick is taken up at the next start."""
        for runner in self._runners.values():
            await runner.stop()

    async def idle(self) -> None:
        """Wait until nothing is under way or due now."""
        while not all(runner.quiet for runner in self._runners.values()):
            self._changed.clear()
            await self._changed.wait()

    async def run_now(self, name: str) -> Outcome:
        """Call once out of turn; ticks and their bookkeeping are not touched."""
        if name not in self._runners:
            known = ", ".join(sorted(self._runners))
            raise UnknownSchedule(f"no schedule {name[:64]!r}: name one of {known}")
        return await self._runners[name].call(self._means.clock.now())

    def status(self) -> tuple[ScheduleStatus, ...]:
        """Return how each schedule stands."""
        return tuple(map(_status, self._runners.values()))


def _status(runner: Runner) -> ScheduleStatus:
    spec = runner.spec
    progress = runner.progress or Progress(spec.rule, 0)
    return ScheduleStatus(
        name=spec.name,
        cron=spec.cron,
        zone=spec.zone,
        url=spec.url,
        last_tick=instant(progress.tick) if progress.attempts else None,
        attempts=progress.attempts,
        done=progress.done,
        reason=progress.reason,
        next_tick=runner.next_tick,
    )
