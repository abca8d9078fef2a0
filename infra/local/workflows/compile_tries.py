"""Compiles try: the block, its retries and its handler."""

from collections.abc import Callable, Generator, Mapping
from typing import Any

from infra.local.workflows import limits
from infra.local.workflows.compile_values import compile_template
from infra.local.workflows.compiled import Code, CompiledRoutine, Course, Effect, combine
from infra.local.workflows.errors import RaisedError, type_error, value_error
from infra.local.workflows.execution import DEPTH, EXECUTION, FIBER, Frame, Invoke, store
from infra.local.workflows.library.catalogue import FUNCTIONS
from infra.local.workflows.library.function import need
from infra.local.workflows.library.retries import DEFAULT_BACKOFF, DEFAULT_MAX_RETRIES
from infra.local.workflows.library.waiting import duration, pause
from infra.local.workflows.model import Constant, Except, RetryPolicy, Template, Try
from infra.local.workflows.scope import Scope
from infra.local.workflows.site import Site
from infra.local.workflows.values import UNSET, FunctionValue, kind_of

Handler = Callable[[Frame, Any], Generator[Any, Any, Course]]
Again = Callable[[Frame, RaisedError, int], Generator[Any, Any, bool]]


def compile_try(action: Try, site: Site) -> Code:
    """Run the block; on an error retry it as the policy says, then hand the error over."""
    body = site.compile_action(action.body, site).as_effect()
    again = _retry(action.retry, site) if action.retry is not None else None
    handler = _handler(action.handler, site) if action.handler is not None else None

    def run(frame: Frame) -> Generator[Any, Any, Course]:
        course, error = yield from _attempts(frame, body, again)
        if error is None:
            return course
        if handler is None or error.fatal:
            raise error
        return (yield from handler(frame, error.payload))

    return Code(effect=run)


def _attempts(
    frame: Frame, body: Effect, again: Again | None
) -> Generator[Any, Any, tuple[Course, RaisedError | None]]:
    retries = 0
    while True:
        try:
            return (yield from body(frame)), None
        except RaisedError as error:
            caught = error
        if caught.fatal or again is None:
            return None, caught
        try:
            if not (yield from again(frame, caught, retries)):
                return None, caught
        except RaisedError as error:
            return None, error
        retries += 1


def _handler(handler: Except, site: Site) -> Handler:
    scope = Scope(site.scope.layout, site.scope)
    slot = scope.declare(handler.variable, handler.line).slot
    scope.declare_action(handler.body, handler.line)
    body = site.compile_action(handler.body, site.inside(scope)).as_effect()
    slots = tuple(variable.slot for variable in scope.variables.values())

    def run(frame: Frame, payload: Any) -> Generator[Any, Any, Course]:
        for each in slots:
            frame[each] = UNSET
        store(frame, slot, payload)
        course: Course = yield from body(frame)
        return course

    return run


def _retry(retry: RetryPolicy | Template, site: Site) -> Again:
    policy_of = _policy(retry, site).as_effect()

    def again(frame: Frame, error: RaisedError, retries: int) -> Generator[Any, Any, bool]:
        policy = need((yield from policy_of(frame)), "retry", dict)
        maximum = _maximum(policy.get("max_retries", DEFAULT_MAX_RETRIES))
        if retries >= maximum or not (yield from _wanted(frame, policy.get("predicate"), error.payload)):
            return False
        yield from _back_off(frame, _delay(policy.get("backoff", DEFAULT_BACKOFF), retries), error, retries)
        return True

    return again


def _policy(retry: RetryPolicy | Template, site: Site) -> Code:
    if not isinstance(retry, RetryPolicy):
        return compile_template(retry, site)
    _check_predicate(retry, site)
    parts = {"predicate": retry.predicate, "max_retries": retry.max_retries, "backoff": retry.backoff}
    given = {key: template for key, template in parts.items() if template is not None}
    names = tuple(given)
    codes = [compile_template(template, site) for template in given.values()]
    return combine(codes, lambda *values: dict(zip(names, values, strict=True)))


def _check_predicate(retry: RetryPolicy, site: Site) -> None:
    if isinstance(retry.predicate, Constant):
        site.problem(
            retry.line, "the predicate is not a function", "Write predicate: ${http.default_retry_predicate}"
        )
    name = getattr(getattr(retry.predicate, "tree", None), "name", None)
    routine = site.routines.get(name) if name is not None and site.scope.find(name) is None else None
    if routine is not None and (routine.required > 1 or not routine.names):
        site.problem(
            retry.line,
            f'the predicate "{name}" does not take one parameter, the error',
            "Give it params: [e]",
        )


def _maximum(value: Any) -> int:
    if need(value, "max_retries", int) < 0:
        raise value_error("max_retries must not be negative")
    return int(value)


def _wanted(frame: Frame, predicate: Any, error: Any) -> Generator[Any, Any, bool]:
    verdict = yield from _called(frame, need(predicate, "predicate", FunctionValue).name, error)
    if verdict is not None and type(verdict) is not bool:
        raise type_error(f"a retry predicate must return a boolean, not {kind_of(verdict)}")
    return bool(verdict)


def _called(frame: Frame, name: str, error: Any) -> Generator[Any, Any, Any]:
    execution = frame[EXECUTION]
    routine: CompiledRoutine | None = execution.routines.get(name)
    if routine is None:
        return FUNCTIONS[name].body(error)
    return (yield Invoke(routine.start(execution, frame[FIBER], frame[DEPTH] + 1, (error,))))


def _delay(backoff: Any, retries: int) -> float:
    values: Mapping[str, Any] = backoff if backoff is DEFAULT_BACKOFF else need(backoff, "backoff", dict)
    numbers = {**DEFAULT_BACKOFF, **values}
    most = duration(numbers["max_delay"], "max_delay", limits.SLEEP_MAXIMUM_SECONDS)
    delay = min(duration(numbers["initial_delay"], "initial_delay", limits.SLEEP_MAXIMUM_SECONDS), most)
    multiplier = need(numbers["multiplier"], "multiplier", int, float)
    for _ in range(retries):
        delay = min(delay * multiplier, most)
    return duration(delay, "the delay", most)


def _back_off(frame: Frame, delay: float, error: RaisedError, retries: int) -> Generator[Any, Any, None]:
    execution = frame[EXECUTION]
    if execution.observer is not None:
        execution.observer.retrying(frame[FIBER].name, retries + 1, delay, error.payload)
    yield from pause(execution, delay)
    execution.steps += 1
