"""Starts the branches of parallel steps, in order, within their limits."""

from collections.abc import Callable

from infra.local.workflows import limits
from infra.local.workflows.errors import RaisedError
from infra.local.workflows.execution import BranchError, Fiber, Gang


class Gangs:
    """The running parallel steps of one execution; a branch waiting for inner branches does not count."""

    def __init__(self, spawn: Callable[[Fiber], None]) -> None:
        self._spawn = spawn
        self._open: list[Gang] = []
        self._running = 0

    def open(self, gang: Gang) -> None:
        """Add a parallel step."""
        self._running -= gang.parent.gang is not None
        self._open.append(gang)

    def pump(self) -> list[Gang]:
        """Start what may run now; the steps that have come to their end."""
        for gang in self._open:
            while gang.can_start and self._running < limits.CONCURRENT_BRANCHES:
                self._start(gang)
        finished = [gang for gang in self._open if gang.finished]
        self._open = [gang for gang in self._open if not gang.finished]
        self._running += sum(gang.parent.gang is not None for gang in finished)
        return finished

    def left(self, fiber: Fiber, error: RaisedError | None) -> list[Gang]:
        """A branch has ended; the steps this brings to their end."""
        gang = fiber.gang
        if gang is None:
            return []
        gang.active -= 1
        self._running -= 1
        if error is not None:
            gang.errors[fiber.position] = BranchError(gang.fork.label(fiber.position), error)
        return self.pump()

    def _start(self, gang: Gang) -> None:
        position, parent = gang.started, gang.parent
        label = gang.fork.label(position)
        name = f"{parent.name}/{label}" if parent.name else label
        fiber = Fiber(name, parent.nesting + 1, gang, position)
        fiber.stack.append(gang.fork.start(position, fiber))
        gang.started += 1
        gang.active += 1
        self._running += 1
        self._spawn(fiber)
