"""What the embedded cloud's executions tell of the keys they worked on."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from infra.local.control.boot_log import Starts
from infra.local.sagas.history import VERDICTS, history
from infra.local.sagas.journal import Kept
from infra.local.sagas.service import LocalSagas
from shared.domain.instants import instant_to_text
from shared.ledger.key_record import KeyRecord
from shared.ports.sagas import Execution, ExecutionState
from shared.queries.timeline import Line

_TIME_DIGITS: Final = slice(-26, -16)
"""Ids of ours end in a ULID, and a ULID begins with its time."""


@dataclass(frozen=True, slots=True)
class LocalExecutions:
    """The journal of executions, and when the fleet was started."""

    sagas: LocalSagas
    starts: Starts
    now: datetime

    async def of_key(self, record: KeyRecord) -> AsyncIterator[Line]:
        """Go through what happened in all executions that worked on a key."""
        for execution in self.sagas.working_on(record.id, record.id[_TIME_DIGITS]):
            async for line in self._lines(record.id, execution):
                yield line

    def busy(self, key: str) -> bool:
        """Say whether an execution that works on a key is yet to end."""
        working = self.sagas.working_on(key, key[_TIME_DIGITS])
        return any(each.execution.state is ExecutionState.ACTIVE for each in working)

    async def _lines(self, key: str, kept: Kept) -> AsyncIterator[Line]:
        execution, argument = kept.execution, kept.argument
        generation = argument.get("generation")
        what = f"{execution.workflow} {execution.id} started, generation {generation}, for {key}"
        yield Line(kept.started_at, "saga", "started", execution.id, what)
        for start in self.starts.between(datetime.fromisoformat(kept.started_at), self._over(kept)):
            what = "a fleet started and went on with it, asking again what had no answer"
            yield Line(instant_to_text(start), "saga", "resumed", execution.id, what)
        for happening in (await history(self.sagas, execution.id))[1]:
            what = happening.what.replace(f"{kept.environment.get('FLEET_URL')}/", "/")
            yield Line(happening.at, "saga", happening.kind, execution.id, what, happening.branch)
        if kept.ended_at is not None:
            how, what = _ended(execution)
            yield Line(kept.ended_at, "saga", how, execution.id, f"{execution.workflow} {what}")

    def _over(self, kept: Kept) -> datetime:
        if kept.ended_at is None or kept.execution.state is ExecutionState.ACTIVE:
            return self.now
        return datetime.fromisoformat(kept.ended_at)


OF_THE_KEY: Final = ("failed", "parked")
"""The words that say more of a key than that its execution ran to its end."""


def _ended(execution: Execution) -> tuple[str, str]:
    """Say how an execution ended, by the word it brought back: it may succeed, and its key have failed."""
    state, result = execution.state.value, execution.result
    word = result.get("outcome") if isinstance(result, dict) else None
    if word not in VERDICTS:
        return state.lower(), state
    return word if word in OF_THE_KEY else state.lower(), f"ended: {word}"
