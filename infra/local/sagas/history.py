"""The history of an execution, step by step: its journal replayed under the eyes of an observer."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from infra.local.sagas.journal import Kept
from infra.local.workflows.errors import Place
from infra.local.workflows.observer import LogEntry
from infra.local.workflows.ops import AwaitCallback, HttpRequest, Op, Sleep
from infra.local.workflows.outcomes import HttpFault, HttpResponse, Outcome
from shared.ports.executions import Happening
from shared.ports.sagas import UnknownExecution

if TYPE_CHECKING:
    from infra.local.sagas.service import LocalSagas

VERDICTS: Final = ("retry", "next", "parked", "done", "failed", "superseded")
"""The words by which a function tells a saga how to go on: all of an answer that is shown."""


async def history(sagas: "LocalSagas", execution: str) -> tuple[Kept, list[Happening]]:
    """Return an execution and everything that happened in it."""
    kept = sagas.kept(execution)
    if kept is None:
        raise UnknownExecution(f"no execution {execution[:64]!r}: see keyfleet workflow list")
    chronicle = Chronicle(kept.started_at, sagas.arrived(execution))
    await sagas.replayed(kept, chronicle)
    return kept, chronicle.happenings


class Chronicle:
    """An observer that writes down what it sees; time passes only between an operation and its outcome."""

    def __init__(self, began: str, arrived: Mapping[int, str]) -> None:
        self._now, self._arrived = began, arrived
        self.happenings: list[Happening] = []

    def step_entered(self, branch: str, place: Place) -> None:
        """Note a step."""
        self._note("step", branch, place.step, place.line)

    def step_left(self, branch: str, place: Place) -> None:
        """Say nothing: the next step says it."""

    def step_failed(self, branch: str, place: Place, error: Any) -> None:
        """Note an error by its tags alone."""
        self._note("error", branch, _named(error), place.line)

    def retrying(self, branch: str, attempt: int, delay: float, error: Any) -> None:
        """Note a retry."""
        self._note("retry", branch, f"attempt {attempt + 1} in {delay:g} s after {_named(error)}")

    def call_issued(self, branch: str, op: Op) -> None:
        """Note what was asked for."""
        self._note("asked", branch, _asked(op))

    def call_returned(self, branch: str, op: Op, outcome: Outcome) -> None:
        """Note how it ended, and when that was written down."""
        self._now = self._arrived.get(op.id, self._now)
        self._note("answered", branch, f"{_asked(op)}: {_ended(outcome)}")

    def logged(self, branch: str, entry: LogEntry) -> None:
        """Note that something was logged."""
        self._note("log", branch, entry.severity)

    def _note(self, kind: str, branch: str, what: str, line: int | None = None) -> None:
        self.happenings.append(Happening(kind, branch, what, line, self._now))


def _asked(op: Op) -> str:
    match op:
        case HttpRequest():
            return f"{op.method} {op.url.partition('?')[0]}"
        case Sleep():
            return f"sleep {op.seconds:g} s"
        case AwaitCallback():
            return f"await callback, at most {op.timeout:g} s"
        case _:
            return "open a callback endpoint"


def _ended(outcome: Outcome) -> str:
    match outcome:
        case HttpResponse():
            return ", ".join((str(outcome.status), *_verdict(outcome.body)))
        case HttpFault():
            return outcome.kind
        case _:
            return type(outcome).__name__.lower()


def _verdict(body: bytes) -> Iterator[str]:
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        return
    if isinstance(told, dict) and (word := told.get("outcome")) in VERDICTS:
        wait = told.get("after_seconds")
        yield f"{word} in {wait:g} s" if isinstance(wait, int | float) and wait else str(word)


def _named(error: Any) -> str:
    if isinstance(error, dict):
        code = f" {error['code']}" if isinstance(error.get("code"), int) else ""
        return ", ".join(str(tag) for tag in error.get("tags") or ["error"]) + code
    return "error"
