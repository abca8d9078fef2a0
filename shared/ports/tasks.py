"""The task queue: named, delayed HTTP calls to our own functions. A task is only ever a prompt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Task:
    """One call to make: a named task is enqueued at most once while its name is taken."""

    function: str
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    name: str | None = None
    not_before: datetime | None = None


class TaskError(Exception):
    """A task the queue refused; nothing was enqueued."""


class TaskExists(TaskError):
    """The name is in use, or was of late: for an hour at least, and for a day at most."""


class TaskRefused(TaskError):
    """The task breaks a limit: unknown function, over 30 days ahead, malformed name, large body."""


class TaskQueue(Protocol):
    """Calls to make later, at least once."""

    async def enqueue(self, task: Task) -> str:
        """Keep the task durably and return its name."""
