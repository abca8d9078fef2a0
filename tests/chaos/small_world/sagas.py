"""Sagas in memory: the real workflow files on the real machine, with a journal that a crash leaves behind."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from infra.local import wiring
from infra.local.workflows.draws import AmbientDraws, RecordedDraws
from infra.local.workflows.machine import Machine
from infra.local.workflows.ops import AwaitCallback, CreateCallback, HttpRequest
from infra.local.workflows.outcomes import Done, Succeeded, decode_outcome, encode_outcome, timed_out
from infra.local.workflows.program import load
from infra.manifest.load import ROOT
from shared.ports.documents import StorageFull
from shared.ports.saga_limits import encoded_argument
from shared.ports.sagas import CallbackGone, Execution, ExecutionState, UnknownExecution, UnknownWorkflow
from tests.chaos.small_world.documents import Unheard
from tests.chaos.small_world.fate import Air, Invocation, running

FLEET = "https://fleet.test"


@cache
def programs(folder: Path = ROOT / "workflows"):
    """Return every workflow of the project, compiled once."""
    return {name: load(source, f"{name}.yaml") for name, source in wiring.workflow_sources(folder).items()}


@dataclass(slots=True)
class Kept:
    """What is durable of an execution: its argument, every outcome and draw, its end."""

    id: str
    workflow: str
    argument: dict
    state: ExecutionState = ExecutionState.ACTIVE
    result: object = None
    entries: list = field(default_factory=list)
    called_back: dict = field(default_factory=dict)

    @property
    def drawn(self):
        return [draw for _, _, drawn in self.entries for draw in drawn]


class MemorySagas:
    """Executions; `send` makes a call to the fleet and returns its outcome."""

    def __init__(self, air: Air, clock, entropy, ids, send, spawn):
        self.air, self._clock, self._entropy, self._ids = air, clock, entropy, ids
        self._send, self._spawn = send, spawn
        self.kept: dict[str, Kept] = {}
        self._drivers: dict[str, Invocation] = {}
        self._wakes: dict[str, asyncio.Event] = {}

    async def start(self, workflow, argument):
        """Begin an execution; or two, or one that its starter never hears of."""
        if workflow not in programs():
            raise UnknownWorkflow(f"no workflow {workflow!r}")
        encoded_argument(argument)
        weather = self.air.weather
        await self.air.passes(f"sagas.start {workflow} {dict(argument)}")
        if weather.strikes("full"):
            raise StorageFull("no room for an execution")
        begun = [self.begin(workflow, argument) for _ in range(2 if weather.strikes("started-twice") else 1)]
        if weather.strikes("cancelled"):
            self._spawn(self._end_some_time(begun[0]))
        await self.air.passes("sagas.started")
        if weather.strikes("unheard"):
            raise Unheard("the answer to a start was lost")
        return begun[0]

    async def get(self, execution):
        """Return the execution, or None."""
        await self.air.passes(f"sagas.get {execution}")
        workflow, _, id_ = execution.rpartition("/")
        kept = self.kept.get(id_)
        if kept is None or workflow not in ("", kept.workflow):
            return None
        return Execution(execution, kept.workflow, kept.state, kept.result)

    async def cancel(self, execution):
        """Stop the execution."""
        if execution not in self.kept:
            raise UnknownExecution(f"no execution {execution!r}")
        self.end(execution, ExecutionState.CANCELLED)

    async def call_back(self, url, body):
        """Wake the execution that waits at a callback URL."""
        execution, _, callback = url.rpartition("/")
        kept = self.kept.get(execution)
        if kept is None or kept.state.terminal:
            raise CallbackGone("nobody waits there")
        kept.called_back[callback] = {"http_request": {"body": dict(body)}}
        self._wakes.setdefault(execution, asyncio.Event()).set()

    @property
    def active(self):
        """The executions that have not ended."""
        return [kept for kept in self.kept.values() if not kept.state.terminal]

    def end(self, execution, state):
        """Bring an execution to an end from outside."""
        kept = self.kept[execution]
        if not kept.state.terminal:
            kept.state = state
            self._drivers.pop(execution).die()

    def crash(self):
        """Let every driver die; their journals stay."""
        for driver in list(self._drivers.values()):
            driver.die()

    def resume(self):
        """Take up every execution that nobody drives."""
        for kept in self.active:
            driver = self._drivers.get(kept.id)
            if driver is None or driver.dead:
                self._take_up(kept)

    def begin(self, workflow, argument):
        """Begin an execution at once, and return its id."""
        kept = self.kept.setdefault(id_ := self._ids.ulid(), Kept(id_, workflow, dict(argument)))
        self._take_up(kept)
        return kept.id

    def _take_up(self, kept):
        driver = self._drivers[kept.id] = Invocation(f"saga {kept.id[-6:]}")
        driver.task = self._spawn(self._drive(kept, driver))
        driver.task.add_done_callback(lambda _: self._left(kept, driver))

    async def _drive(self, kept, driver):
        running.set(driver)
        await Run(self, kept).to_its_end()

    def _left(self, kept, driver):
        if driver.dead and not kept.state.terminal:
            self._spawn(self._revive())

    async def _end_some_time(self, execution):
        await asyncio.sleep(self.air.weather.chance.uniform(0, 20))
        self.end(execution, ExecutionState.CANCELLED)

    async def _revive(self):
        await asyncio.sleep(self.air.weather.chance.uniform(0, 5))
        self.resume()

    def finish(self, kept, verdict):
        """Keep how an execution ended by itself."""
        succeeded = isinstance(verdict, Succeeded)
        kept.state = ExecutionState.SUCCEEDED if succeeded else ExecutionState.FAILED
        kept.result = verdict.result if succeeded else None
        self._drivers.pop(kept.id, None)
        self.air.weather.note(f"saga {kept.id[-6:]}", f"{kept.state} {verdict}")

    def machine(self, kept):
        """Return the machine of an execution, and what it draws from."""
        draws = RecordedDraws(kept.drawn, AmbientDraws(self._clock, self._entropy))
        around = {"FLEET_URL": FLEET, "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": kept.id}
        return Machine(programs()[kept.workflow], kept.argument, around, draws), draws

    async def perform(self, kept, op):
        """Do what a machine asks for."""
        if isinstance(op, HttpRequest):
            return await self._send(op)
        if isinstance(op, AwaitCallback):
            return await self._awaited(kept, op)
        await asyncio.sleep(max(0.0, (op.until - self._clock.now()).total_seconds()))
        return Done(None)

    async def _awaited(self, kept, op):
        wake = self._wakes.setdefault(kept.id, asyncio.Event())
        left = (op.deadline - self._clock.now()).total_seconds()
        try:
            async with asyncio.timeout(max(0.0, left)):
                while op.callback not in kept.called_back:
                    wake.clear()
                    await wake.wait()
        except TimeoutError:
            return timed_out()
        return Done(kept.called_back[op.callback])


class Run:
    """One life of one execution: replay, then go on; what is under way when it dies is asked for again."""

    def __init__(self, sagas: MemorySagas, kept: Kept):
        self._sagas, self._kept = sagas, kept
        self._machine, self._draws = sagas.machine(kept)
        self._pending = {}

    async def to_its_end(self):
        """Drive the machine to its verdict."""
        entries = list(self._kept.entries)
        self._take(self._machine.start())
        for operation, outcome, _ in entries:
            if operation is not None:
                self._feed(operation, decode_outcome(outcome))
        if not entries:
            await self._record(None, None)
        while self._machine.verdict is None:
            operation, outcome = await self._next()
            self._feed(operation, outcome)
            await self._record(operation, encode_outcome(outcome))
        self._sagas.finish(self._kept, self._machine.verdict)

    async def _next(self):
        # Our workflows wait for one thing at a time.
        (op,) = self._pending.values()
        return op.id, await self._sagas.perform(self._kept, op)

    async def _record(self, operation, outcome):
        await self._sagas.air.passes("journal.append")
        self._kept.entries.append((operation, outcome, self._draws.take_fresh()))
        await self._sagas.air.passes("journal.appended")

    def _feed(self, operation, outcome):
        self._pending.pop(operation, None)
        self._take(self._machine.resume(operation, outcome))

    def _take(self, asked):
        for op in asked:
            if isinstance(op, CreateCallback):
                self._take(self._machine.resume(op.id, Done(f"{self._kept.id}/{op.callback}")))
            else:
                self._pending[op.id] = op
