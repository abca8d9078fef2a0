"""Sagas: executions of the workflow files. Starting is at-least-once: there is no deduplication."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class ExecutionState(StrEnum):
    """Where an execution stands, in Google's words."""

    ACTIVE = "ACTIVE"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    UNAVAILABLE = "UNAVAILABLE"
    QUEUED = "QUEUED"

    @property
    def terminal(self) -> bool:
        """Whether nothing more will happen, for all that is known: in a state of trouble, nobody knows."""
        return self not in {ExecutionState.ACTIVE, ExecutionState.QUEUED}


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a workflow."""

    id: str
    workflow: str
    state: ExecutionState
    result: Any = None
    error: Any = None


class SagaError(Exception):
    """A request about an execution that could not be met."""


class UnknownWorkflow(SagaError):
    """No workflow file of that name."""


class ArgumentRefused(SagaError):
    """The argument is not a JSON object of at most 32 KB."""


class UnknownExecution(SagaError):
    """No execution of that id."""


class CallbackGone(SagaError):
    """Nobody waits at that callback any more."""


class Sagas(Protocol):
    """Start, look at, cancel and wake executions."""

    async def start(self, workflow: str, argument: Mapping[str, Any]) -> str:
        """Begin an execution and return its id; a repeated call begins another."""

    async def get(self, execution: str) -> Execution | None:
        """Return the execution, or None if it is unknown.

        `execution` is what `start` returned, or `workflow/id` with the id that the execution knows itself by.
        """

    async def cancel(self, execution: str) -> None:
        """Stop the execution; stopping a terminal one changes nothing."""

    async def call_back(self, url: str, body: Mapping[str, Any]) -> None:
        """Wake the execution that waits at a callback URL."""
