"""One execution: a machine, its journal, and the operations that are under way for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.local.delivery.means import Means
from infra.local.sagas.calls import perform
from infra.local.sagas.journal import Ending, Entry, Journal, Kept
from infra.local.workflows.draws import AmbientDraws, RecordedDraws
from infra.local.workflows.machine import Machine
from infra.local.workflows.observer import Observer
from infra.local.workflows.ops import AwaitCallback, CreateCallback, HttpRequest, Op, Sleep
from infra.local.workflows.outcomes import (
    Done,
    Failed,
    Outcome,
    Succeeded,
    decode_outcome,
    encode_outcome,
    timed_out,
)
from infra.local.workflows.program import Program
from shared.kernel.log import Log
from shared.ports.documents import StorageFull
from shared.ports.sagas import ExecutionState

STEPS_A_TURN = 2_000
WAIT_FOR_ROOM_SECONDS = 1.0
LONGEST_SLEEP_SECONDS = 12 * 3600.0
SYSTEM_ERROR = {"tags": ["SystemError"], "message": "the platform failed; its log says where"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every execution is given."""

    means: Means
    journal: Journal
    environment: dict[str, str]
    base_url: str
    callback_url: Callable[[str, str], str]
    log: Log


@dataclass(frozen=True, slots=True)
class Arrival:
    """The outcome of an operation, and the callback whose request it used up, if any."""

    operation: int
    outcome: Outcome
    used: str | None = None


class Run:
    """Drives one execution from wherever its journal stands to its end."""

    def __init__(
        self, kept: Kept, program: Program, around: Surroundings, observer: Observer | None = None
    ) -> None:
        self._kept, self._around = kept, around
        self._entries = around.journal.entries(kept.execution.id)
        drawn = [value for entry in self._entries for value in entry.drawn]
        self._draws = RecordedDraws(drawn, AmbientDraws(around.means.clock, around.means.entropy))
        self._machine = Machine(
            program,
            kept.argument,
            {**around.environment, **_built_in(kept, around.means.project)},
            self._draws,
            observer,
            is_internal=lambda url: url.startswith(around.base_url),
        )
        self._pending: dict[int, Op] = {}
        self._arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        self._requests = around.journal.requests(kept.execution.id)
        self._waiting: dict[str, int] = {}
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self.callbacks: dict[str, str] = {}
        self.ready = asyncio.Event()

    async def drive(self) -> None:
        """Replay what happened, then go on until the machine comes to a verdict."""
        await self.replay()
        self.ready.set()
        written = len(self._entries)
        if not self._entries:
            written += await self._record([], first=0)
        self._launch(list(self._pending.values()))
        while self._machine.verdict is None:
            arrivals = await self._next_arrivals()
            before = set(self._pending)
            written += await self._record(arrivals, first=written)
            self._launch([op for number, op in self._pending.items() if number not in before])

    async def replay(self) -> None:
        """Bring the machine to where the journal ends."""
        await self._run_on(self._machine.start(STEPS_A_TURN))
        for entry in self._entries:
            if entry.operation is not None:
                await self._feed(entry.operation, decode_outcome(entry.outcome))

    def receive(self, callback: str, request: Any) -> None:
        """Take a request that is kept already to whoever waits for it, now or later."""
        self._requests[callback] = request
        self._offer(callback)

    async def stop(self) -> None:
        """Let go of everything under way."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _feed(self, operation: int, outcome: Outcome) -> None:
        self._pending.pop(operation, None)
        await self._run_on(self._machine.resume(operation, outcome, STEPS_A_TURN))

    async def _run_on(self, asked: Sequence[Op]) -> None:
        self._take(asked)
        while self._machine.runnable:
            await asyncio.sleep(0)  # a workflow that computes must not keep the fleet waiting
            self._take(self._machine.proceed(STEPS_A_TURN))

    def _take(self, asked: Sequence[Op]) -> None:
        for op in asked:
            if isinstance(op, CreateCallback):
                self._open(op)
            else:
                self._pending[op.id] = op

    def _open(self, op: CreateCallback) -> None:
        # Its id was drawn and is kept with the next row, so a replay opens the same endpoint again.
        self.callbacks[op.callback] = op.method
        url = self._around.callback_url(self._kept.execution.id, op.callback)
        self._take(self._machine.resume(op.id, Done(url), STEPS_A_TURN))

    async def _next_arrivals(self) -> list[Arrival]:
        arrivals = [await self._arrivals.get()]
        while not self._arrivals.empty():
            arrivals.append(self._arrivals.get_nowait())
        return arrivals

    async def _record(self, arrivals: Sequence[Arrival], first: int) -> int:
        entries = [await self._advance(arrival) for arrival in arrivals if self._machine.verdict is None]
        if not arrivals and (drawn := self._draws.take_fresh()):
            entries.append(Entry(None, None, drawn, self._now()))
        ending = self._ending()
        if entries or ending:
            used = [arrival.used for arrival in arrivals if arrival.used is not None]
            await self._keep(first, entries, used, ending)
        return len(entries)

    async def _advance(self, arrival: Arrival) -> Entry:
        self._under_way.pop(arrival.operation, None)
        await self._feed(arrival.operation, arrival.outcome)
        outcome = encode_outcome(arrival.outcome)
        return Entry(arrival.operation, outcome, self._draws.take_fresh(), self._now())

    async def _keep(
        self, first: int, entries: Sequence[Entry], used: Sequence[str], ending: Ending | None
    ) -> None:
        # The machine is ahead of the disk here, but nothing it asked for has been begun.
        while True:
            try:
                await self._around.journal.append(
                    self._kept.execution.id, first, entries, used=used, ending=ending
                )
            except StorageFull:
                await asyncio.sleep(WAIT_FOR_ROOM_SECONDS)
            else:
                return

    def _ending(self) -> Ending | None:
        verdict, steps = self._machine.verdict, self._machine.usage
        if verdict is None:
            return None
        billable = steps.internal + steps.external
        self._around.means.counters["billable_steps"] += billable
        if isinstance(verdict, Succeeded):
            return Ending(ExecutionState.SUCCEEDED, verdict.result, billable)
        error = verdict.error if isinstance(verdict, Failed) else None
        return Ending(ExecutionState.FAILED, error, billable)

    def _launch(self, ops: Sequence[Op]) -> None:
        for op in ops:
            if op.id in self._pending:
                self._under_way[op.id] = asyncio.ensure_future(self._perform(op))

    async def _perform(self, op: Op) -> None:
        try:
            await self._attempt(op)
        except Exception as error:  # noqa: BLE001 - a fault of ours must end in the workflow, not leave it waiting
            self._around.log.failure("an operation broke", error, execution=self._kept.execution.id)
            self._arrivals.put_nowait(Arrival(op.id, Failed(SYSTEM_ERROR)))

    async def _attempt(self, op: Op) -> None:
        match op:
            case HttpRequest():
                outcome = await perform(op, self._kept.execution.workflow, self._around.means)
                self._arrivals.put_nowait(Arrival(op.id, outcome))
            case Sleep():
                await self._until(op.until)
                self._arrivals.put_nowait(Arrival(op.id, Done(None)))
            case AwaitCallback():
                await self._wait(op)

    async def _wait(self, op: AwaitCallback) -> None:
        self._waiting[op.callback] = op.id
        self._offer(op.callback)
        await self._until(op.deadline)
        if self._waiting.pop(op.callback, None) is not None:
            self._arrivals.put_nowait(Arrival(op.id, timed_out()))

    def _offer(self, callback: str) -> None:
        if callback in self._requests and callback in self._waiting:
            operation = self._waiting.pop(callback)
            arrival = Arrival(operation, Done(self._requests.pop(callback)), used=callback)
            self._arrivals.put_nowait(arrival)
            if (timer := self._under_way.get(operation)) is not None:
                timer.cancel()

    async def _until(self, moment: datetime) -> None:
        left = (moment - self._around.means.clock.now()).total_seconds()
        if left > 0:
            await asyncio.sleep(min(left, LONGEST_SLEEP_SECONDS))
            await self._until(moment)  # the clock may have been set meanwhile

    def _now(self) -> str:
        return self._around.means.clock.now().isoformat()


def _built_in(kept: Kept, project: str) -> dict[str, str]:
    """Return the variables that Google sets for every execution."""
    return {
        "GOOGLE_CLOUD_PROJECT_ID": project,
        "GOOGLE_CLOUD_LOCATION": "local",
        "GOOGLE_CLOUD_WORKFLOW_ID": kept.execution.workflow,
        "GOOGLE_CLOUD_WORKFLOW_REVISION_ID": kept.revision[:12],
        "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": kept.execution.id,
    }
