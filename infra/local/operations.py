"""What an operator looks at, behind ports that Google Cloud has too: dead letters, executions, schedules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from infra.local.bus.dead_letters import DeadLetters
from infra.local.sagas.history import history
from infra.local.sagas.journal import Kept
from infra.local.sagas.service import LocalSagas
from infra.local.schedules import Schedules, ScheduleStatus
from shared.ports.dead_letters import ParkedMessage
from shared.ports.executions import ExecutionSummary, Happening
from shared.ports.sagas import ExecutionState, UnknownExecution
from shared.ports.schedules import ScheduleState


@dataclass(frozen=True, slots=True)
class LocalDeadLetters:
    """What lies on the bus, set aside."""

    kept: DeadLetters

    async def waiting(self, *, topic: str | None = None, limit: int = 100) -> Sequence[ParkedMessage]:
        """Return what was set aside, the longest waiting first."""
        return self.kept.page(topic=topic, limit=limit)

    async def replay(self, ids: Sequence[str] | None = None, *, topic: str | None = None) -> int:
        """Deliver again, in the order of publishing."""
        return await self.kept.replay(ids, topic=topic)

    async def discard(self, ids: Sequence[str]) -> int:
        """Forget for ever."""
        return await self.kept.discard(ids)


@dataclass(frozen=True, slots=True)
class LocalExecutions:
    """What the journal keeps of executions."""

    sagas: LocalSagas

    async def listed(
        self, workflow: str, *, state: ExecutionState | None = None, limit: int = 50
    ) -> Sequence[ExecutionSummary]:
        """Return a workflow's executions, newest first."""
        self.sagas.required(workflow)  # which knows every workflow there is
        found = self.sagas.listed(workflow, None if state is None else state.value, limit)
        return [_summary(kept) for kept in found]

    async def history(self, execution: str) -> Sequence[Happening]:
        """Return what happened in an execution, in order."""
        workflow, _, id_ = execution.rpartition("/")
        kept, happenings = await history(self.sagas, id_)
        if workflow != kept.execution.workflow:
            raise UnknownExecution(f"no execution {execution[:64]!r}: name it as workflow/id")
        return happenings


def _summary(kept: Kept) -> ExecutionSummary:
    it = kept.execution
    return ExecutionSummary(
        id=f"{it.workflow}/{it.id}",
        workflow=it.workflow,
        saga=kept.argument.get("saga_id") if isinstance(kept.argument, dict) else None,
        state=it.state,
        started_at=datetime.fromisoformat(kept.started_at),
        ended_at=None if kept.ended_at is None else datetime.fromisoformat(kept.ended_at),
    )


@dataclass(frozen=True, slots=True)
class LocalSchedules:
    """The schedules of the embedded cloud."""

    schedules: Schedules

    async def states(self) -> Sequence[ScheduleState]:
        """Return how each schedule stands, by name."""
        return sorted(map(_state, self.schedules.status()), key=lambda state: state.name)

    async def run(self, name: str) -> str:
        """Make a schedule's call once, now, and return how it went."""
        return (await self.schedules.run_now(name)).reason


def _state(status: ScheduleStatus) -> ScheduleState:
    return ScheduleState(
        name=status.name,
        cron=status.cron,
        zone=status.zone,
        calls=status.url,
        last_run=status.last_tick,
        last_outcome=None if status.last_tick is None else status.reason,
        next_run=status.next_tick,
    )
