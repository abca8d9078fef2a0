"""The Sagas port: starting, resuming, waking and ending executions."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from infra.local.sagas.journal import Ending, Kept
from infra.local.sagas.run import FLEET_URL, SYSTEM_ERROR, WAIT_FOR_ROOM_SECONDS, Run, Surroundings
from infra.local.workflows.observer import Observer
from infra.local.workflows.program import Program, load
from shared.ports.documents import StorageFull
from shared.ports.saga_limits import encoded_argument
from shared.ports.sagas import (
    Execution,
    ExecutionState,
    SagaError,
    UnknownExecution,
    UnknownWorkflow,
)


class CallbackRefused(SagaError):
    """A request to a callback endpoint that was not kept, and the HTTP status that says why."""

    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class LocalSagas:
    """Executions of the workflow files, on one machine."""

    def __init__(
        self,
        sources: Mapping[str, str],
        around: Surroundings,
        wake: Callable[[str, Mapping[str, Any]], Any],
        starts: Callable[[], int] = lambda: 1,
    ) -> None:
        self._around, self._journal = around, around.journal
        self._wake, self._starts = wake, starts
        self._current = {name: load(source, f"{name}.yaml") for name, source in sources.items()}
        self._sources = dict(sources)
        self._programs = {program.digest: program for program in self._current.values()}
        self._runs: dict[str, Run] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start_all(self) -> int:
        """Take up every execution that has not ended; return how many."""
        active = self._journal.active()
        for kept in active:
            self._take_up(kept)
        return len(active)

    async def stop(self) -> None:
        """Leave every execution as its journal has it."""
        for execution in list(self._tasks):
            await self._drop(execution)

    async def start(self, workflow: str, argument: Mapping[str, Any]) -> str:
        """Begin an execution (or more, where a test wants Google's duplicates)."""
        program = self._named(workflow)
        checked = orjson.loads(encoded_argument(argument))
        started = [await self._begin(workflow, program, checked) for _ in range(self._starts())]
        return started[0]

    def required(self, workflow: str) -> tuple[str, ...]:
        """Return what an execution of a workflow cannot begin without."""
        main = self._named(workflow).main
        return main.names[: main.required]

    async def get(self, execution: str) -> Execution | None:
        """Return the execution, or None; its workflow may be named before it, as Google does."""
        workflow, _, id_ = execution.rpartition("/")
        kept = self._journal.get(id_)
        if kept is None or workflow not in ("", kept.execution.workflow):
            return None
        return replace(kept.execution, id=execution)

    async def cancel(self, execution: str) -> None:
        """End the execution where it stands."""
        await self.cancelled(execution)

    async def cancelled(self, execution: str) -> bool:
        """End the execution where it stands; False if it had ended already."""
        if self._journal.get(execution) is None:
            raise UnknownExecution(f"no execution {execution[:64]!r}: see keyfleet workflow list")
        ended = await self._journal.end(execution, Ending(ExecutionState.CANCELLED, None, 0))
        await self._drop(execution)
        return ended

    async def call_back(self, url: str, body: Mapping[str, Any]) -> None:
        """Wake whoever waits at a callback URL, through the endpoint and its checks."""
        await self._wake(url, body)

    async def receive(self, execution: str, callback: str, request: Mapping[str, Any]) -> None:
        """Keep a request made to a callback endpoint, and wake whoever waits there."""
        run = self._runs.get(execution)
        if run is None:
            raise CallbackRefused(404, "no such callback, or its execution has ended")
        await run.ready.wait()
        _check_method(run.callbacks.get(callback), request["http_request"]["method"])
        kept = dict(request)
        noticed = partial(_hand_over, run, callback, kept)
        if not await self._journal.keep_request(execution, callback, kept, noticed):
            raise CallbackRefused(429, "a request is waiting here already")

    def listed(self, workflow: str | None = None, state: str | None = None, limit: int = 50) -> list[Kept]:
        """Return executions, newest first."""
        return self._journal.listed(workflow, state, limit)

    def kept(self, execution: str) -> Kept | None:
        """Return what is kept of an execution."""
        return self._journal.get(execution)

    def working_on(self, saga: str, since: str) -> list[Kept]:
        """Return the executions of one saga, oldest first; `since` is an id that none of them precedes."""
        return self._journal.working_on(saga, since)

    def arrived(self, execution: str) -> dict[int, str]:
        """Return when the outcome of each operation was kept."""
        entries = self._journal.entries(execution)
        return {entry.operation: entry.at for entry in entries if entry.operation is not None}

    async def replayed(self, kept: Kept, observer: Observer) -> None:
        """Go through an execution's journal once more, for an observer, doing nothing."""
        await Run(kept, self.program, self._around, observer).replay()

    def program(self, revision: str) -> Program:
        """Return the program of a revision, however old."""
        if revision not in self._programs:
            self._programs[revision] = load(self._journal.source(revision), f"revision {revision[:12]}")
        return self._programs[revision]

    @property
    def under_way(self) -> int:
        """How many executions have not ended."""
        return len(self._runs)

    async def ended(self, execution: str) -> Execution | None:
        """Return the execution once it is not under way here any more."""
        await self._journal.settled()
        if execution in self._tasks:
            await asyncio.wait([self._tasks[execution]])
        return await self.get(execution)

    async def settled(self) -> None:
        """Return once no execution is under way: for tests."""
        await self._journal.settled()
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    def _named(self, workflow: str) -> Program:
        program = self._current.get(workflow)
        if program is None:
            raise UnknownWorkflow(
                f"no workflow {workflow[:64]!r}: name one of {', '.join(sorted(self._current))}"
            )
        return program

    async def _begin(self, workflow: str, program: Program, argument: Any) -> str:
        execution = Execution(self._around.means.ids.ulid(), workflow, ExecutionState.ACTIVE)
        around = {FLEET_URL: self._around.base_url}
        started = self._around.means.clock.now().isoformat()
        kept = Kept(execution, program.digest, argument, around, started)
        # Whoever stops waiting here does not undo the start: it is taken up as soon as it is kept.
        await self._journal.begin(kept, self._sources[workflow], partial(self._take_up, fresh=True))
        return execution.id

    def _take_up(self, kept: Kept, *, fresh: bool = False) -> None:
        execution = kept.execution.id
        run = self._runs[execution] = Run(kept, self.program, self._around)
        task = self._tasks[execution] = asyncio.ensure_future(self._drive(execution, run, fresh))
        task.add_done_callback(lambda _: self._forget(execution))

    async def _drive(self, execution: str, run: Run, fresh: bool) -> None:
        try:
            await run.drive(fresh=fresh)
        except Exception as error:  # noqa: BLE001 - one broken execution must not take the fleet down
            self._around.log.failure("an execution broke", error, execution=execution)
            await self._end_broken(execution)
        finally:
            run.ready.set()

    async def _end_broken(self, execution: str) -> None:
        try:
            await self._journal.end(execution, Ending(ExecutionState.FAILED, SYSTEM_ERROR, 0))
        except StorageFull:
            await asyncio.sleep(WAIT_FOR_ROOM_SECONDS)
            await self._end_broken(execution)

    def _forget(self, execution: str) -> None:
        self._runs.pop(execution, None)
        self._tasks.pop(execution, None)

    async def _drop(self, execution: str) -> None:
        task = self._tasks.get(execution)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _hand_over(run: Run, callback: str, request: Mapping[str, Any], kept: bool) -> None:
    if kept:
        run.receive(callback, request)


def _check_method(expected: str | None, method: str) -> None:
    if expected is None:
        raise CallbackRefused(404, "no such callback, or its execution has ended")
    if method != expected:
        raise CallbackRefused(405, f"this callback takes {expected}")
