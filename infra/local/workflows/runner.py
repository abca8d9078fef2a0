"""Runs one workflow file to its end: with canned or real HTTP, on the real or a virtual clock."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

from infra.local.ambient import EPOCH, SeededEntropy, SystemClock, SystemEntropy
from infra.local.transport import Sockets
from infra.local.workflows.draws import AmbientDraws
from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.machine import Machine
from infra.local.workflows.ops import AwaitCallback, CreateCallback, HttpRequest, Op, Sleep
from infra.local.workflows.outcomes import (
    Done,
    Failed,
    HttpFault,
    HttpResponse,
    Outcome,
    Succeeded,
    timed_out,
)
from infra.local.workflows.program import Program, load
from infra.local.workflows.stubs import Stubs, read_stubs
from shared.vendor_kit.http import Call, CallFault, ConnectionFailed, TimedOut

VIRTUAL_START: Final = EPOCH + timedelta(days=20_000)
ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "GOOGLE_CLOUD_LOCATION": "local",
        "GOOGLE_CLOUD_PROJECT_ID": "local",
        "GOOGLE_CLOUD_PROJECT_NUMBER": "0",
        "GOOGLE_CLOUD_SERVICE_ACCOUNT_NAME": "local",
        "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": "local-run",
    }
)
NOTHING_MORE: Final[Mapping[str, str]] = MappingProxyType({})


class RunClock(Protocol):
    """A clock a run can wait on."""

    waits: bool

    def now(self) -> datetime:
        """The present instant."""

    async def reach(self, instant: datetime) -> None:
        """Return once the instant has come."""


class VirtualClock:
    """A clock that moves only when told to."""

    waits = False

    def __init__(self) -> None:
        self._now = VIRTUAL_START

    def now(self) -> datetime:
        """The virtual instant."""
        return self._now

    async def reach(self, instant: datetime) -> None:
        """Let the time pass at once."""
        self._now = max(self._now, instant)


class WaitingClock(SystemClock):
    """The machine's clock, which takes its time."""

    waits = True

    async def reach(self, instant: datetime) -> None:
        """Wait for the instant."""
        await asyncio.sleep((instant - self.now()).total_seconds())


@dataclass(slots=True)
class _Run:
    """What one run has asked for, and what it still waits for."""

    machine: Machine
    clock: RunClock
    send: Callable[[HttpRequest], Awaitable[Outcome]] | None
    stubs: Stubs | None
    calls: list[dict[str, Any]] = field(default_factory=list)
    sleeps: list[Any] = field(default_factory=list)
    timers: dict[int, Sleep | AwaitCallback] = field(default_factory=dict)
    answers: deque[tuple[int, Outcome]] = field(default_factory=deque)
    tasks: dict["asyncio.Task[Outcome]", int] = field(default_factory=dict)

    async def to_its_end(self) -> dict[str, Any]:
        """Drive the machine to its verdict."""
        self._begin(self.machine.start())
        while self.machine.verdict is None:
            self._begin(self.machine.resume(*await self._next()))
        for task in self.tasks:
            task.cancel()
        return self._record()

    def _begin(self, ops: list[Op]) -> None:
        for op in ops:
            if isinstance(op, HttpRequest):
                self._call(op)
            elif isinstance(op, CreateCallback):
                self.answers.append((op.id, Done(f"https://callbacks.invalid/{op.callback}")))
            else:
                self._wait(op)

    def _call(self, op: HttpRequest) -> None:
        self.calls.append(_call_record(op))
        if self.stubs is not None:
            self.answers.append((op.id, self.stubs.answer(op)))
        elif self.send is not None:
            self.tasks[asyncio.ensure_future(self.send(op))] = op.id

    def _wait(self, op: Sleep | AwaitCallback) -> None:
        self.timers[op.id] = op
        if isinstance(op, Sleep):
            self.sleeps.append(_whole(op.seconds))

    async def _next(self) -> tuple[int, Outcome]:
        while not self.answers:
            if self.tasks:
                await self._collect()
            else:
                await self._elapse()
        return self.answers.popleft()

    async def _collect(self) -> None:
        timeout = None
        if self.timers and self.clock.waits:
            timeout = max(0.0, (_due(self._earliest()) - self.clock.now()).total_seconds())
        done, _ = await asyncio.wait(self.tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for task in sorted(done, key=self.tasks.__getitem__):
            self.answers.append((self.tasks.pop(task), task.result()))
        if not done:
            await self._elapse()

    def _earliest(self) -> Sleep | AwaitCallback:
        return min(self.timers.values(), key=lambda op: (_due(op), op.id))

    async def _elapse(self) -> None:
        op = self._earliest()
        del self.timers[op.id]
        await self.clock.reach(_due(op))
        if isinstance(op, AwaitCallback):
            self.sleeps.append(_whole(op.timeout))
        self.answers.append((op.id, Done(None) if isinstance(op, Sleep) else timed_out()))

    def _record(self) -> dict[str, Any]:
        verdict = self.machine.verdict
        return {
            "state": "SUCCEEDED" if isinstance(verdict, Succeeded) else "FAILED",
            "result": verdict.result if isinstance(verdict, Succeeded) else None,
            "error": verdict.error if isinstance(verdict, Failed) else None,
            "calls": self.calls,
            "sleeps": self.sleeps,
        }


def _due(op: Sleep | AwaitCallback) -> datetime:
    return op.until if isinstance(op, Sleep) else op.deadline


def _whole(seconds: float) -> float:
    return int(seconds) if seconds == int(seconds) else seconds


def _call_record(op: HttpRequest) -> dict[str, Any]:
    content_type = next((value for name, value in op.headers.items() if name.lower() == "content-type"), None)
    return {
        "method": op.method,
        "url": op.url,
        "headers": dict(op.headers),
        "content_type": content_type,
        "body": _shown(op.body),
        "timeout": _whole(op.timeout),
        "auth": op.auth,
    }


def _shown(body: bytes | None) -> Any:
    if body is None:
        return None
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


async def _over_sockets(sockets: Sockets, op: HttpRequest) -> Outcome:
    try:
        answer = await sockets.send(Call(op.method, op.url, op.headers, op.body or b"", op.timeout))
    except TimedOut:
        return HttpFault("timeout")
    except ConnectionFailed as fault:
        return HttpFault("connection_failed", str(fault))
    except CallFault as fault:
        return HttpFault("connection_broken", str(fault))
    return HttpResponse(answer.status, answer.headers, answer.body)


async def run_program(
    program: Program,
    args: Any,
    *,
    http_stubs: Any = None,
    virtual_clock: bool = False,
    environment: Mapping[str, str] = NOTHING_MORE,
) -> dict[str, Any]:
    """Run a loaded program; `http_stubs` is the document of a stub file, None for real HTTP.

    The environment is laid over what every execution finds in its own.
    """
    clock: RunClock = VirtualClock() if virtual_clock else WaitingClock()
    draws = AmbientDraws(clock, SeededEntropy(0) if virtual_clock else SystemEntropy())
    machine = Machine(program, args, {**_environment(program), **environment}, draws)
    if http_stubs is not None:
        return await _Run(machine, clock, None, read_stubs(http_stubs)).to_its_end()
    sockets = Sockets()
    try:
        return await _Run(machine, clock, lambda op: _over_sockets(sockets, op), None).to_its_end()
    finally:
        await sockets.close()


def _environment(program: Program) -> Mapping[str, str]:
    return {
        **ENVIRONMENT,
        "GOOGLE_CLOUD_WORKFLOW_ID": Path(program.filename).stem,
        "GOOGLE_CLOUD_WORKFLOW_REVISION_ID": program.digest[:12],
    }


def run_file(
    path: str | Path,
    args: Any,
    *,
    http_stubs: Any = None,
    virtual_clock: bool = False,
    environment: Mapping[str, str] = NOTHING_MORE,
) -> dict[str, Any]:
    """Load and run a file: {"state", "result", "error", "calls", "sleeps"}, or raise WorkflowRefused."""
    source = Path(path)
    program = load(source.read_bytes(), source.name)
    running = run_program(
        program, args, http_stubs=http_stubs, virtual_clock=virtual_clock, environment=environment
    )
    return asyncio.run(running)


def refusal_record(refused: WorkflowRefused) -> dict[str, Any]:
    """What the command line prints when a file is refused."""
    problems = [
        {"file": each.file, "line": each.line, "message": each.message, "remedy": each.remedy}
        for each in refused.problems
    ]
    return {"state": "REFUSED", "problems": problems}
