"""What a machine tells whoever watches it; a replay with an observer gives the history of an execution."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from infra.local.workflows.errors import Place
from infra.local.workflows.ops import Op
from infra.local.workflows.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What a workflow wrote with sys.log: a text or a JSON map."""

    severity: str
    payload: Any = field(repr=False)


class Observer(Protocol):
    """Receives events as they happen; `branch` is "" for the main line, like "pay/1" in parallel steps."""

    def step_entered(self, branch: str, place: Place) -> None:
        """A step begins."""

    def step_left(self, branch: str, place: Place) -> None:
        """A step ended, or was jumped out of."""

    def step_failed(self, branch: str, place: Place, error: Any) -> None:
        """An error left a step."""

    def retrying(self, branch: str, attempt: int, delay: float, error: Any) -> None:
        """A try block will run again after the delay."""

    def call_issued(self, branch: str, op: Op) -> None:
        """An operation was asked for."""

    def call_returned(self, branch: str, op: Op, outcome: Outcome) -> None:
        """An operation's outcome reached its branch."""

    def logged(self, branch: str, entry: LogEntry) -> None:
        """The workflow called sys.log."""
