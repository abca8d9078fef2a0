"""One execution: a machine, its journal, and the operations that are under way for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.local.delivery.parts import DeliveryParts
from infra.local.home_clock import patience
from infra.local.sagas.calls import identity_of, perform
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
LOOK_AGAIN_SECONDS = 600.0
FLEET_URL = "FLEET_URL"
CALLBACKS = "/_cloud/callbacks/"
SYSTEM_ERROR = {"tags": ["SystemError"], "message": "the platform failed; its log says where"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every execution is given."""

    means: DeliveryParts
    journal: Journal
    base_url: str
    log: Log
    callbacks: str = ""
    """Where callbacks lie, if not below the fleet's own address."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """The outcome of an operation, and the callback whose request it used up, if any."""

    operation: int
    outcome: Outcome
    used: str | None = None


class Run:
    """Drives one execution from wherever its journal stands to its end."""

    def __init__(
        self,
        kept: Kept,
        program: Callable[[str], Program],
        around: Surroundings,
        observer: Observer | None = None,
    ) -> None:
        self._kept, self._program, self._around, self._observer = kept, program, around, observer
        self._pending: dict[int, Op] = {}
        self._arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        self._requests: dict[str, Any] = {}
        self._waiting: dict[str, int] = {}
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self.callbacks: dict[str, str] = {}
        self.ready = asyncio.Event()

    async def drive(self, *, fresh: bool = False) -> None:
        """Replay what happened, unless nothing has yet, then go on until the machine comes to a verdict."""
        try:
            written = await (self._retrace([]) if fresh else self.replay())
            self.ready.set()
            if not written or self._machine.verdict is not None:
                written += await self._record([], first=written)
            self._launch(list(self._pending.values()))
            while self._machine.verdict is None:
                arrivals = await self._next_arrivals()
                before = set(self._pending)
                written += await self._record(arrivals, first=written)
                self._launch([op for number, op in self._pending.items() if number not in before])
        finally:
            await self.stop()

    async def replay(self) -> int:
        """Bring the machine to where the journal ends; return how many entries that has."""
        execution = self._kept.execution.id
        self._requests = self._around.journal.requests(execution)
        return await self._retrace(self._around.journal.entries(execution))

    async def _retrace(self, entries: Sequence[Entry]) -> int:
        self._assemble([value for entry in entries for value in entry.drawn])
        await self._run_on(self._machine.start(STEPS_A_TURN))
        for entry in entries:
            if entry.operation is not None:
                await self._feed(entry.operation, decode_outcome(entry.outcome))
        return len(entries)

    def _assemble(self, drawn: Sequence[Any]) -> None:
        means = self._around.means
        self._draws = RecordedDraws(drawn, AmbientDraws(means.clock, means.entropy))
        self._machine = Machine(
            self._program(self._kept.revision),
            self._kept.argument,
            {**self._kept.environment, **_built_in(self._kept, means.project)},
            self._draws,
            self._observer,
            is_internal=lambda url: url.startswith(self._kept.environment[FLEET_URL]),
        )

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
        callbacks = self._around.callbacks or f"{self._kept.environment[FLEET_URL]}{CALLBACKS}"
        url = f"{callbacks}{self._kept.execution.id}/{op.callback}"
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
        execution = self._kept.execution
        self._around.log.error("an execution failed", execution=execution.id, workflow=execution.workflow)
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
                moved = (self._kept.environment[FLEET_URL], self._around.base_url)
                outcome = await perform(op, self._kept.execution.workflow, self._around.means, moved)
                self._arrivals.put_nowait(Arrival(op.id, outcome))
            case Sleep():
                await self._until(op.until, op.seconds)
                self._arrivals.put_nowait(Arrival(op.id, Done(None)))
            case AwaitCallback():
                await self._wait(op)

    async def _wait(self, op: AwaitCallback) -> None:
        self._waiting[op.callback] = op.id
        self._offer(op.callback)
        await self._until(op.deadline, op.timeout)
        if self._waiting.pop(op.callback, None) is not None:
            self._arrivals.put_nowait(Arrival(op.id, timed_out()))

    def _offer(self, callback: str) -> None:
        if callback in self._requests and callback in self._waiting:
            operation = self._waiting.pop(callback)
            arrival = Arrival(operation, Done(self._requests.pop(callback)), used=callback)
            self._arrivals.put_nowait(arrival)
            if (timer := self._under_way.get(operation)) is not None:
                timer.cancel()

    async def _until(self, moment: datetime, most: float) -> None:
        # By the clock, which may be set or sleep with the machine, but never longer than was asked for.
        loop = asyncio.get_running_loop()
        latest = loop.time() + most
        while True:
            left = (moment - self._around.means.clock.now()).total_seconds()
            left = min(left, latest - loop.time())
            if left <= 0:
                return
            await asyncio.sleep(min(left, patience(self._around.means.clock, LOOK_AGAIN_SECONDS)))

    def _now(self) -> str:
        return self._around.means.clock.now().isoformat()


def _built_in(kept: Kept, project: str) -> dict[str, str]:
    """Return the variables that Google sets for every execution."""
    return {
        "GOOGLE_CLOUD_PROJECT_ID": project,
        "GOOGLE_CLOUD_PROJECT_NUMBER": "0",
        "GOOGLE_CLOUD_SERVICE_ACCOUNT_NAME": identity_of(kept.execution.workflow),
        "GOOGLE_CLOUD_LOCATION": "local",
        "GOOGLE_CLOUD_WORKFLOW_ID": kept.execution.workflow,
        "GOOGLE_CLOUD_WORKFLOW_REVISION_ID": kept.revision[:12],
        "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": kept.execution.id,
    }
