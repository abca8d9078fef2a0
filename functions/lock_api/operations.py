"""Work on keys and messages set aside, over HTTP: looked at by whoever runs the hotels, and set right.

Messages of all tenants are set aside in one place. A caller sees, and decides about, those that say they are
of their own tenant; one that says nobody's is the platform operator's.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from functions.lock_api.places import AtPlace, as_state, key_at, property_asked, store_of
from functions.lock_api.shown import At, Credential, KeyId, Text, Work, shown
from shared.domain.permissions import Permission
from shared.events.wire import Flag, Maybe, Published, ReservationId
from shared.keywork.start import WORKFLOWS
from shared.ports.dead_letters import AT_MOST
from shared.ports.executions import Happening
from shared.ports.sagas import SagaError
from shared.queries.found import keys_with_tasks, keys_yet_to_come, work_on
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.operations.letters import shown_letter
from shared.usecases.operations.look import LETTERS, refused

MOST_SHOWN: Final = 200


class Sagas(Published):
    """Keys whose work is not done: yet to be made or moved, as their guests arrive; and those that failed."""

    waiting: tuple[Credential, ...]
    failed: tuple[Credential, ...]
    more: Flag


class SagaStep(Published):
    """One thing that happened in an execution: steps, addresses, statuses and verdicts."""

    at: str
    kind: str
    what: Text
    line: Maybe[int] = None


class SagaWhole(Published):
    """The work on one key, and what its present execution did."""

    key: KeyId
    work: Work
    parked: Flag
    lost: int
    broken: int
    due_at: Maybe[At] = None
    steps: tuple[SagaStep, ...]


class LetterProblem(Published):
    """Why a message cannot be taken."""

    field: Maybe[str] = None
    problem: Text
    remedy: Maybe[str] = None


class Letter(Published):
    """A message that was set aside: what it is about, and why; never what it says."""

    id: str
    topic: str
    subscription: Maybe[str] = None
    subject: Maybe[str] = None
    event_id: Maybe[str] = None
    reservation: Maybe[ReservationId] = None
    problems: tuple[LetterProblem, ...]
    published_at: str
    parked_at: str


class Letters(Published):
    """Messages that were set aside, the longest waiting first."""

    messages: tuple[Letter, ...]


class LettersMeant(Published):
    """Which messages, by their ids."""

    ids: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=400)], ...], Field(min_length=1, max_length=100)
    ]


class Counted(Published):
    """How many messages were replayed, or discarded."""

    count: int


async def list_sagas(asked: Asked, on: Platform) -> Sagas:
    """Return the keys of a property whose work is not done."""
    where, store = await property_asked(asked.query.property, asked, on), store_of(asked, on)
    waiting, failed = await keys_yet_to_come(store, where), await keys_with_tasks(store, where)
    more = max(len(waiting), len(failed)) > MOST_SHOWN
    return Sagas(waiting=_summaries(waiting), failed=_summaries(failed), more=more)


def _summaries(keys: Sequence[Mapping[str, Any]]) -> tuple[Credential, ...]:
    return tuple(shown(Credential, each) for each in keys[:MOST_SHOWN])


async def get_saga(asked: Asked, on: Platform) -> SagaWhole:
    """Tell the work on a key, and what its present execution did."""
    told = await work_on(store_of(asked, on), (await key_at(asked, on)).id)
    steps = tuple(_step(each) for each in await _history(told["work"]["execution"], on))
    return shown(SagaWhole, {**told, "steps": steps})


def _step(each: Happening) -> SagaStep:
    return shown(SagaStep, {"at": each.at, "kind": each.kind, "what": each.what, "line": each.line})


async def _history(execution: str | None, on: Platform) -> Sequence[Happening]:
    """Return what happened in an execution, whatever its release called the file; nothing once forgotten."""
    for workflow in WORKFLOWS if execution is not None else ():
        try:
            return await on.executions.history(f"{workflow}/{execution}")
        except SagaError:
            continue
    return ()


async def list_letters(asked: Asked, on: Platform) -> Letters:
    """Return the tenant's messages that were set aside."""
    return Letters(messages=tuple(_letter(each) for each in await _mine(asked, on)))


def _letter(told: dict[str, Any]) -> Letter:
    problems = tuple(shown(LetterProblem, each) for each in told["problems"])
    return shown(Letter, {**told, "problems": problems})


async def _mine(asked: Asked, on: Platform) -> list[dict[str, Any]]:
    found = [shown_letter(each) for each in await on.dead_letters.waiting(limit=AT_MOST)]
    return [each for each in found if each["tenant"] == asked.principal.tenant]


async def replay_letters(asked: Asked, on: Platform) -> Counted:
    """Have messages delivered again."""
    return await _decided("replay", "replayed", asked, on)


async def discard_letters(asked: Asked, on: Platform) -> Counted:
    """Forget messages for ever."""
    return await _decided("discard", "discarded", asked, on)


async def _decided(what: str, counted: str, asked: Asked, on: Platform) -> Counted:
    mine, meant = {each["id"] for each in await _mine(asked, on)}, list(asked.body.ids)
    if not mine.issuperset(meant):
        raise NotThere("no such message")
    with as_state(), refused():
        told = await LETTERS[what]({"ids": meant}, on.dead_letters)
    on.log.info("the API decided about messages", what=what, by=asked.by, count=told[counted])
    return Counted(count=told[counted])


_P: Final = Permission
ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/sagas",
        summary="Keys whose work is not done",
        use_case=list_sagas,
        query=AtPlace,
        answer=Sagas,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="GET",
        path="/lock/v1/sagas/{keyCredentialId}",
        summary="The work on one key, step by step",
        use_case=get_saga,
        answer=SagaWhole,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="GET",
        path="/lock/v1/dead-letters",
        summary="Messages that were set aside",
        use_case=list_letters,
        answer=Letters,
        permission=_P.DEAD_LETTER_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/dead-letters/replay",
        summary="Have messages delivered again",
        use_case=replay_letters,
        request=LettersMeant,
        answer=Counted,
        permission=_P.DEAD_LETTER_DECIDE,
    ),
    Route(
        method="POST",
        path="/lock/v1/dead-letters/discard",
        summary="Forget messages for ever",
        use_case=discard_letters,
        request=LettersMeant,
        answer=Counted,
        permission=_P.DEAD_LETTER_DECIDE,
    ),
)
