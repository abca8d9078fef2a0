"""Runs one execution without any I/O: asks its driver for operations and goes on with their outcomes."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from infra.local.workflows import limits
from infra.local.workflows.draws import Draws
from infra.local.workflows.errors import MachineMisusedError, RaisedError, limit_error, raised, value_error
from infra.local.workflows.execution import (
    Execution,
    Fiber,
    Fork,
    Gang,
    Invoke,
    Pause,
    Request,
    Routine,
    Usage,
)
from infra.local.workflows.library.encoding import decode_json, plain_json_text
from infra.local.workflows.observer import Observer
from infra.local.workflows.ops import Op
from infra.local.workflows.outcomes import Cancelled, Failed, Outcome, Succeeded, Verdict
from infra.local.workflows.program import Program
from infra.local.workflows.scheduling import Gangs
from infra.local.workflows.values import is_deep, is_json, text_bytes


def google_hosts(url: str) -> bool:
    """Whether Google bills a request to this address as an internal step."""
    host = url.split("/", 3)[2].rpartition("@")[2].partition(":")[0].lower()
    return host.endswith((".googleapis.com", ".cloudfunctions.net", ".run.app", ".appspot.com"))


class Machine:
    """One execution: a deterministic function of program, argument, environment, draws and ordered outcomes.

    `start`, `resume` and `proceed` return the operations newly asked for. With a budget of steps they may
    stop early; `runnable` is then true, and `proceed` goes on. Outcomes given meanwhile wait their turn, so
    that a budget never changes what happens.
    """

    def __init__(
        self,
        program: Program,
        argument: Any,
        environment: Mapping[str, str],
        draws: Draws,
        observer: Observer | None = None,
        *,
        is_internal: Callable[[str], bool] = google_hosts,
    ) -> None:
        self._program, self._argument = program, argument
        self._execution = Execution(draws, environment, observer, is_internal, program.routines)
        self._main = Fiber("", 0)
        self._ready: deque[tuple[Fiber, Any]] = deque()
        self._inbox: deque[tuple[int, Outcome]] = deque()
        self._waiting: dict[int, tuple[Fiber, Op]] = {}
        self._asked: list[Op] = []
        self._gangs = Gangs(self._spawn)
        self._started = False
        self.verdict: Verdict | None = None

    @property
    def pending(self) -> tuple[Op, ...]:
        """The operations asked for and not yet answered, in order."""
        answered = {number for number, _ in self._inbox}
        return tuple(op for number, (_, op) in sorted(self._waiting.items()) if number not in answered)

    @property
    def runnable(self) -> bool:
        """Whether there is work to proceed with although no outcome came."""
        return self.verdict is None and bool(self._ready or self._inbox)

    @property
    def usage(self) -> Usage:
        """Steps run so far, as Google would bill them."""
        return self._execution.usage

    def start(self, budget: int | None = None) -> list[Op]:
        """Begin; the first operations asked for."""
        if self._started:
            raise MachineMisusedError("this machine was started before")
        self._started = True
        self._main.stack.append(self._entry())
        self._ready.append((self._main, None))
        return self.proceed(budget)

    def resume(self, operation: int, outcome: Outcome, budget: int | None = None) -> list[Op]:
        """Go on with the outcome of a pending operation."""
        if self.verdict is not None:
            return []
        if all(op.id != operation for op in self.pending):
            raise MachineMisusedError(f"operation {operation} is not pending")
        self._inbox.append((operation, outcome))
        return self.proceed(budget)

    def proceed(self, budget: int | None = None) -> list[Op]:
        """Go on until every fiber waits, or the budget is spent."""
        self._execution.grant(budget)
        while self.runnable and self._turn():
            pass
        asked, self._asked = self._asked, []
        return asked if self.verdict is None else []

    def cancel(self) -> None:
        """Stop for good."""
        if self.verdict is None:
            self._end(Cancelled())

    def _entry(self) -> Routine:
        text = plain_json_text(self._argument)
        if text_bytes(text) > limits.ARGUMENT_BYTES:
            raise limit_error(f"the argument exceeds {limits.ARGUMENT_BYTES} bytes")
        main, argument = self._program.main, decode_json(text)
        unused = not main.names or (argument is None and main.required == 0)
        return (yield from main.start(self._execution, self._main, 0, () if unused else (argument,)))

    def _turn(self) -> bool:
        """Let one fiber run until it waits; false when the budget is spent."""
        if not self._ready:
            self._deliver(*self._inbox.popleft())
        fiber, value = self._ready.popleft()
        request = self._advance(fiber, value)
        if isinstance(request, Pause):
            self._ready.appendleft((fiber, None))
            return False
        return True

    def _deliver(self, operation: int, outcome: Outcome) -> None:
        fiber, op = self._waiting.pop(operation)
        observer = self._execution.observer
        if observer is not None:
            observer.call_returned(fiber.name, op, outcome)
        self._ready.append((fiber, outcome))

    def _advance(self, fiber: Fiber, value: Any) -> Request | None:
        """Run a fiber's routines until one asks for something the machine cannot give at once."""
        error: RaisedError | None = None
        while fiber.stack:
            try:
                routine = fiber.stack[-1]
                request = routine.send(value) if error is None else routine.throw(error)
            except StopIteration as stop:
                fiber.stack.pop()
                value, error = stop.value, None
            except RaisedError as caught:
                fiber.stack.pop()
                value, error = None, caught
            except (
                ArithmeticError,
                AttributeError,
                LookupError,
                RecursionError,
                TypeError,
                ValueError,
            ) as bug:
                fiber.stack.pop()
                value, error = None, raised("SystemError", f"internal error: {type(bug).__name__}")
            else:
                if not isinstance(request, Invoke):
                    return self._asked_for(fiber, request)
                fiber.stack.append(request.routine)
                value, error = None, None
        self._finished(fiber, value, error)
        return None

    def _asked_for(self, fiber: Fiber, request: Op | Pause | Fork) -> Request:
        if isinstance(request, Fork):
            self._gangs.open(Gang(request, fiber))
            self._wake(*self._gangs.pump())
        elif not isinstance(request, Pause):
            self._ask(fiber, request)
        return request

    def _ask(self, fiber: Fiber, op: Op) -> None:
        self._waiting[op.id] = (fiber, op)
        self._asked.append(op)
        if self._execution.observer is not None:
            self._execution.observer.call_issued(fiber.name, op)

    def _spawn(self, fiber: Fiber) -> None:
        self._ready.append((fiber, None))

    def _wake(self, *finished: Gang) -> None:
        for gang in finished:
            errors = [gang.errors[at] for at in sorted(gang.errors)]
            self._ready.append((gang.parent, errors))

    def _finished(self, fiber: Fiber, value: Any, error: RaisedError | None) -> None:
        if error is not None and error.fatal:
            self._end(Failed(error.payload, error.context))
        elif fiber.gang is None:
            self._end(_verdict(value, error))
        else:
            self._wake(*self._gangs.left(fiber, error))

    def _end(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self._ready.clear()
        self._inbox.clear()
        self._waiting.clear()


def _verdict(value: Any, error: RaisedError | None) -> Verdict:
    if error is None and (is_deep(value) or not is_json(value)):
        error = value_error("the result holds bytes or a function, which JSON cannot carry")
    return Failed(error.payload, error.context) if error is not None else Succeeded(value)
