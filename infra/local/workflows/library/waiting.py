"""sys.sleep and callbacks: the functions that wait for time or for somebody's request."""

from datetime import timedelta
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.errors import RaisedError, value_error
from infra.local.workflows.execution import Execution, Fiber, Routine
from infra.local.workflows.library.ambient import parse_instant
from infra.local.workflows.library.encoding import plain_json
from infra.local.workflows.library.function import Style, function, need
from infra.local.workflows.ops import AwaitCallback, CreateCallback, Sleep
from infra.local.workflows.outcomes import Done, Failed, Outcome

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


def settled(outcome: Outcome) -> Any:
    """The value of an operation, or its error raised."""
    if isinstance(outcome, Done):
        return outcome.value
    raise RaisedError(
        outcome.error if isinstance(outcome, Failed) else f"unexpected outcome {type(outcome).__name__}"
    )


def duration(value: Any, what: str, maximum: float) -> float:
    """A number of seconds, not negative and not beyond the maximum."""
    seconds: float = need(value, what, int, float)
    if 0 <= seconds <= maximum:
        return seconds
    raise value_error(f"{what} must be between 0 and {maximum} seconds")


def pause(execution: Execution, seconds: float) -> Routine:
    """Wait for a time already checked."""
    until = execution.draws.now() + timedelta(seconds=seconds)
    settled((yield Sleep(execution.next_operation(), until, seconds)))


def sleep(execution: Execution, _: Fiber, seconds: Any) -> Routine:
    """Wait for a number of seconds."""
    yield from pause(execution, duration(seconds, "seconds", limits.SLEEP_MAXIMUM_SECONDS))


def sleep_until(execution: Execution, _: Fiber, time: Any) -> Routine:
    """Wait for an instant; one that has passed is not waited for."""
    until = parse_instant(time, "time")
    seconds = max(0.0, (until - execution.draws.now()).total_seconds())
    duration(seconds, "the time to wait", limits.SLEEP_MAXIMUM_SECONDS)
    settled((yield Sleep(execution.next_operation(), until, seconds)))


def create_callback(execution: Execution, _: Fiber, http_callback_method: Any) -> Routine:
    """Open an endpoint that takes one HTTP method."""
    method = need(http_callback_method, "http_callback_method", str)
    if method not in _METHODS:
        raise value_error(f"http_callback_method must be one of {', '.join(sorted(_METHODS))}")
    callback = execution.draws.callback_id()
    url = settled((yield CreateCallback(execution.next_operation(), callback, method)))
    execution.callbacks[url] = callback
    return {"url": url}


def await_callback(execution: Execution, _: Fiber, callback: Any, timeout: Any) -> Routine:
    """Wait until somebody calls the endpoint."""
    url = need(need(callback, "callback", dict).get("url"), "callback.url", str)
    seconds = duration(timeout, "timeout", limits.SLEEP_MAXIMUM_SECONDS)
    if url not in execution.callbacks:
        raise value_error("callback.url is not an endpoint this execution created")
    execution.external += 1
    deadline = execution.draws.now() + timedelta(seconds=seconds)
    operation = AwaitCallback(execution.next_operation(), execution.callbacks[url], deadline, seconds)
    return plain_json(settled((yield operation)))


FUNCTIONS: Final = (
    function("events.await_callback", await_callback, "callback", timeout=43_200, style=Style.OPERATION),
    function(
        "events.create_callback_endpoint", create_callback, http_callback_method="POST", style=Style.OPERATION
    ),
    function("sys.sleep", sleep, "seconds", style=Style.OPERATION),
    function("sys.sleep_until", sleep_until, "time", style=Style.OPERATION),
)
