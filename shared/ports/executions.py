"""Executions as an operator sees them: which there were, how they stand, what happened in one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.ports.sagas import ExecutionState


@dataclass(frozen=True, slots=True)
class ExecutionSummary:
    """One run of a workflow: what it works on, how it stands, and when it began and ended."""

    id: str
    workflow: str
    saga: str | None
    state: ExecutionState
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, and when.

    It names steps, addresses, statuses and verdicts, and never what else was sent or received.
    """

    kind: str
    branch: str
    what: str
    line: int | None = None
    at: str = ""


class Executions(Protocol):
    """The executions of the workflow files."""

    async def listed(
        self, workflow: str, *, state: ExecutionState | None = None, limit: int = 50
    ) -> Sequence[ExecutionSummary]:
        """Return a workflow's executions, newest first; raise UnknownWorkflow."""

    async def history(self, execution: str) -> Sequence[Happening]:
        """Return what happened in `workflow/id`, in order; raise UnknownExecution."""
