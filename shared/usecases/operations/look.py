"""What an operator asks of a fleet, wherever it runs: what was set aside, what ran, what runs by the clock.

A request says what to do; each word of it is one row of a table.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.kernel.log import Log
from shared.ports.bus import BusError
from shared.ports.dead_letters import AT_MOST, DeadLetters, MalformedId, ReplayRefused
from shared.ports.executions import Executions, ExecutionSummary
from shared.ports.sagas import ExecutionState, SagaError
from shared.ports.schedules import Schedules, ScheduleState, UnknownSchedule
from shared.usecases.operations.letters import shown_letter

Body = Mapping[str, Any]
Answer = dict[str, Any]
Doings = Mapping[str, Callable[[Body, Any], Awaitable[Answer]]]


async def dead_letters(body: Body, kept: DeadLetters) -> Answer:
    """List, replay or discard what was set aside."""
    return await _done(body, kept, LETTERS)


async def executions(body: Body, kept: Executions) -> Answer:
    """List a workflow's executions, or tell what happened in one."""
    return await _done(body, kept, EXECUTIONS)


async def schedules(body: Body, kept: Schedules) -> Answer:
    """List the fleet's schedules, or have one make its call now."""
    return await _done(body, kept, SCHEDULES)


async def _done(body: Body, port: Any, table: Doings) -> Answer:
    wanted = body.get("do", "list")
    if wanted not in table:
        raise InvalidInput("do", "not among what can be done", f"Name one of {', '.join(table)}")
    with refused():
        return await table[wanted](body, port)


@contextmanager
def refused() -> Iterator[None]:
    """Tell a port's refusal as the caller's mistake: it says what is wrong, and what to do."""
    try:
        yield
    except (BusError, SagaError, UnknownSchedule) as refusal:
        problem, _, remedy = str(refusal).partition(": ")
        raise InvalidInput("request", problem, remedy or "list what there is, and name that") from None


async def _list_letters(body: Body, kept: DeadLetters) -> Answer:
    found = await kept.waiting(topic=_text(body, "topic"), limit=_limit(body))
    return {"messages": [shown_letter(message) for message in found]}


async def _replay(body: Body, kept: DeadLetters) -> Answer:
    everything = body.get("all") is True
    if everything == ("ids" in body):
        raise InvalidInput("ids", "missing, or given with all", "Name ids, or say all: true")
    ids = None if everything else _ids(body)
    return {"replayed": await kept.replay(ids, topic=_text(body, "topic"))}


async def replay_one(wanted: str, kept: DeadLetters, log: Log) -> Answer:
    """Replay a message that somebody at the console chose; one that is gone was dealt with by another."""
    try:
        return {"replayed": await kept.replay([wanted])}
    except (MalformedId, ReplayRefused) as refusal:  # for good: another try would hear the same
        log.failure("a message could not be replayed", refusal)
        return {"replayed": 0}


async def _discard(body: Body, kept: DeadLetters) -> Answer:
    return {"discarded": await kept.discard(_ids(body))}


async def _list_executions(body: Body, kept: Executions) -> Answer:
    state = _text(body, "state")
    if state is not None and state not in ExecutionState.__members__:
        raise InvalidInput("state", "not a state", f"Name one of {', '.join(ExecutionState.__members__)}")
    wanted = None if state is None else ExecutionState(state)
    found = await kept.listed(_text(body, "workflow") or "", state=wanted, limit=_limit(body))
    return {"executions": [_execution(each) for each in found]}


async def _history(body: Body, kept: Executions) -> Answer:
    return {"steps": [asdict(each) for each in await kept.history(_text(body, "execution") or "")]}


async def _list_schedules(_body: Body, kept: Schedules) -> Answer:
    return {"schedules": [_schedule(each) for each in await kept.states()]}


async def _run(body: Body, kept: Schedules) -> Answer:
    name = _text(body, "name") or ""
    return {"ran": name, "outcome": await kept.run(name)}


LETTERS: Final = {"list": _list_letters, "replay": _replay, "discard": _discard}
EXECUTIONS: Final = {"list": _list_executions, "show": _history}
SCHEDULES: Final = {"list": _list_schedules, "run": _run}


def _execution(found: ExecutionSummary) -> Answer:
    ended = None if found.ended_at is None else found.ended_at.isoformat()
    times = {"started_at": found.started_at.isoformat(), "ended_at": ended}
    return {
        "id": found.id,
        "workflow": found.workflow,
        "key": found.saga,
        "state": found.state.value,
        **times,
    }


def _schedule(state: ScheduleState) -> Answer:
    times = {"last_run": state.last_run, "next_run": state.next_run}
    told = {name: None if at is None else at.isoformat() for name, at in times.items()}
    return {**asdict(state), **told}


def _text(body: Body, field: str) -> str | None:
    value = body.get(field)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(field, "not a text", "Give a text, or leave it out")
    return value


def _limit(body: Body) -> int:
    value = body.get("limit", 100)
    if not isinstance(value, int) or not 1 <= value <= AT_MOST:
        raise InvalidInput("limit", f"not a whole number from 1 to {AT_MOST}", "Ask in several parts")
    return value


def _ids(body: Body) -> Sequence[str]:
    ids = body.get("ids")
    if not isinstance(ids, list) or not ids or not all(isinstance(each, str) for each in ids):
        raise InvalidInput("ids", "not a list of texts", "Name message ids as the list shows them")
    return ids
