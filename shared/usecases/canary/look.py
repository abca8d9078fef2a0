"""A look at a next build on trial, as its execution asks for it: on, further, promoted, or back.

| finds | does | died here |
|---|---|---|
| nothing counted yet | counts the seven days before, hands over the first share | the next look does both |
| worse, another build, or silent | hands over nothing, ends it, calls somebody | each again, in that order |
| its step is over | hands over the next share; after the last it is promoted | the next look |
| else | sees that the share still stands | |

Promoted means: release it as the present build. Until then that one works on every key, for a next build that
is taken down must not be asked for any.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.keywork.services import Services
from shared.ledger.canary import Canary, Stage, find_canary
from shared.ports.documents import TenantDocuments
from shared.usecases.canary.begin import WhichBuild
from shared.usecases.canary.judge import BASELINE, STEPS, says_something, worse
from shared.usecases.canary.measure import before_trial, on_trial
from shared.usecases.canary.shares import hand_over, hand_over_nothing

SOON: Final = timedelta(minutes=5)
LATER: Final = timedelta(minutes=30)
CLOSELY: Final = timedelta(hours=2)
"""For so long after each step it is looked at every five minutes."""
OVER: Final = {"outcome": "over"}


@dataclass(frozen=True, slots=True)
class LookAtBuild:
    """An execution that sees to a trial, and what the next build calls itself, if it answered."""

    which: WhichBuild
    turn: int
    execution: str
    build: str | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the step's call."""
        turn, build = body.get("turn"), body.get("build")
        if type(turn) is not int:
            raise InvalidInput("turn", "not a number", "send it as the workflow promote_canary does")
        named = build if isinstance(build, str) else None
        return cls(WhichBuild.of(body), turn, str(body.get("execution")), named)


async def look_at_build(call: LookAtBuild, services: Services) -> dict[str, Any]:
    """Look at a trial, and say when to look again, or how it ended."""
    store = await services.hotels.admit(call.which.tenant)
    record = await find_canary(store, call.which.vendor)
    if record is None or (record.turn, record.execution or call.execution) != (call.turn, call.execution):
        return OVER
    if record.stage is Stage.ROLLED_BACK and not record.told:
        return await _told(record, store, services)
    if record.stage is not Stage.RUNNING:
        await hand_over_nothing(record, store)  # who stopped it may have died before that
        return OVER
    look = _Look(replace(record, execution=call.execution), call.build, store, services)
    return await look.outcome()


@dataclass(frozen=True, slots=True)
class _Look:
    record: Canary
    build: str | None
    store: TenantDocuments
    services: Services

    @property
    def now(self) -> datetime:
        """The present."""
        return self.services.now

    async def outcome(self) -> dict[str, Any]:
        """Do what is due."""
        record = self.record
        if self.build is None or record.build not in (None, self.build):
            return await self._back("silent" if self.build is None else "another_build", record)
        if record.before is None:
            return await self._first(self.build)
        figures = await on_trial(self.store, record.vendor, record.turn_name, self.now)
        counted = replace(record, figures=figures)
        if (reason := worse(figures, record.before)) is not None:
            return await self._back(reason, counted)
        if record.step_at + STEPS[record.step].lasts > self.now or not says_something(figures):
            return await self._on(counted)
        if record.step + 1 < len(STEPS):
            return await self._on(replace(counted, step=record.step + 1, step_at=self.now))
        return await self._promoted(counted)

    async def _first(self, build: str) -> dict[str, Any]:
        record, span = self.record, (self.now - BASELINE, self.now)
        before = await before_trial(self.store, record.pilot, record.vendor, span)
        return await self._on(replace(record, build=build, before=before, step_at=self.now))

    async def _on(self, record: Canary) -> dict[str, Any]:
        kept = await record.looked_at(self.now).saved(self.store)
        await hand_over(kept, self.store)
        self.services.hotels.forget(self.store.tenant)
        rest = SOON if self.now - kept.step_at < CLOSELY else LATER
        return {"outcome": "wait", "step": kept.step, "after_seconds": rest.total_seconds()}

    async def _back(self, reason: str, record: Canary) -> dict[str, Any]:
        await self._alone()
        ended = await record.ended(Stage.ROLLED_BACK, reason).saved(self.store)
        return await _told(ended, self.store, self.services)

    async def _promoted(self, record: Canary) -> dict[str, Any]:
        await self._alone()
        await record.ended(Stage.PROMOTED).saved(self.store)
        named = {"tenantId": self.store.tenant, "vendor": record.vendor, "build": record.build}
        self.services.log.info("a vendor's next build came through every step: release it", **named)
        return {"outcome": Stage.PROMOTED.value}

    async def _alone(self) -> None:
        await hand_over_nothing(self.record, self.store)
        self.services.hotels.forget(self.store.tenant)


async def _told(record: Canary, store: TenantDocuments, services: Services) -> dict[str, Any]:
    """Call somebody because a build was taken back, and note that they were called."""
    services.log.alert(
        "a vendor's next build was rolled back",
        runbook="cloud/canary",
        tenantId=store.tenant,
        vendor=record.vendor,
        build=record.build,
        reason=record.reason,
        step=record.step,
    )
    await replace(record, told=True).saved(store)
    return {"outcome": Stage.ROLLED_BACK.value, "reason": record.reason}
