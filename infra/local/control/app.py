"""The control plane's routes. Every one demands a token; nothing here decides anything."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.local.bus.bus import Bus
from infra.local.control.attention import attention
from infra.local.control.bodies import json_body, raw_body
from infra.local.control.boot_log import Starts
from infra.local.control.credentials import credentials
from infra.local.control.dead_letters import check_parked, letters
from infra.local.control.keys import work_on_keys
from infra.local.control.manual_start import start_by_hand
from infra.local.control.publishing import event_from
from infra.local.control.records import Records, UnknownRecord
from infra.local.control.timeline import Archive, timeline
from infra.local.control.views import shown_execution, shown_letter, shown_schedule
from infra.local.rekeying import Rekeying
from infra.local.sagas.history import history
from infra.local.sagas.service import CallbackRefused, LocalSagas
from infra.local.schedules import Schedules, UnknownSchedule
from infra.local.workflows.errors import WorkflowsError
from infra.manifest.model import OPERATOR
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.events.errors import EventError, InvalidEvent
from shared.kernel.identity import Caller, Forbidden, bearer
from shared.ports.bus import BusError
from shared.ports.documents import Ref
from shared.ports.sagas import SagaError, UnknownExecution, UnknownWorkflow
from shared.runtime.platform import Platform
from shared.runtime.responses import STATUS, error_response, json_response

Body = Mapping[str, Any]


class AlreadyEnded(SagaError):
    """There is nothing left to cancel."""


REFUSED: Mapping[type[Exception], int] = {
    UnknownExecution: 404,
    UnknownRecord: 404,
    AlreadyEnded: 409,
    WorkflowsError: 409,
    UnknownWorkflow: 404,
    UnknownSchedule: 404,
    SagaError: 400,
    BusError: 400,
    EventError: 400,
}


@dataclass(frozen=True, slots=True)
class Operations:
    """What the control plane reaches."""

    platform: Platform
    bus: Bus
    sagas: LocalSagas
    schedules: Schedules
    records: Records
    starts: Starts
    status: Callable[[], Mapping[str, Any]]
    rekeying: Rekeying
    audience: str
    callback_callers: frozenset[str]


Operation = Callable[[Operations, Request], Awaitable[Mapping[str, Any]]]


def control_app(on: Operations) -> Starlette:
    """Return the application that serves the control plane."""
    routes = [
        Route(path, _guarded(on, operation, frozenset({OPERATOR})), methods=[method])
        for method, path, operation in ROUTES
    ]
    callbacks = _guarded(on, _call_back, on.callback_callers)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return Starlette(routes=[*routes, Route("/callbacks/{execution}/{callback}", callbacks, methods=methods)])


def _guarded(
    on: Operations, operation: Operation, callers: frozenset[str]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            await _admit(on, request, callers)
            return json_response(await operation(on, request))
        except CallbackRefused as refusal:
            return _refused(refusal, refusal.status)
        except tuple(REFUSED) as refusal:
            return _refused(refusal, next(REFUSED[kind] for kind in REFUSED if isinstance(refusal, kind)))
        except tuple(STATUS) as error:
            return error_response(error)
        except Exception as error:  # noqa: BLE001 - told by place and type, never in its own words
            on.platform.log.failure("the control plane crashed", error)
            return error_response(error)

    return endpoint


async def _admit(on: Operations, request: Request, callers: frozenset[str]) -> Caller:
    caller = await on.platform.tokens.caller(bearer(request.headers.get("authorization")), on.audience)
    if caller.name not in callers:
        raise Forbidden(f"{caller.name} may not do this")
    return caller


def _refused(refusal: Exception, status: int) -> Response:
    error: dict[str, Any] = {"kind": type(refusal).__name__, "detail": str(refusal)}
    if isinstance(refusal, InvalidEvent):
        error["problems"] = [problem.described() for problem in refusal.problems]
    return json_response({"error": error}, status)


async def _status(on: Operations, _request: Request) -> Mapping[str, Any]:
    return on.status()


async def _attention(on: Operations, _request: Request) -> Mapping[str, Any]:
    return await attention(on.records, on.platform.clock.now())


async def _publish(on: Operations, request: Request) -> Mapping[str, Any]:
    platform = on.platform
    topic, message = event_from(await json_body(request), platform.clock, platform.ids, platform.entropy)
    (identity,) = await on.bus.publish(topic, [message])
    listeners = on.bus.listeners(topic, message)
    event = orjson.loads(message.data)["id"]
    heard = {"listeners": list(listeners), "kept_for": on.bus.kept_for(topic)}
    return {"topic": topic, "message_id": identity, "event_id": event, **heard}


async def _dead_letters(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    after, limit = _after(query.get("after")), _limit(query.get("limit"))
    topic = check_parked(query.get("topic"), on.bus.aside)
    found = await letters(on.bus.dead_letters, topic, query.get("reservation"), after, limit)
    return {"messages": [shown_letter(message) for message in found]}


async def _replay(on: Operations, request: Request) -> Mapping[str, Any]:
    body = await json_body(request)
    return {"replayed": await on.bus.dead_letters.replay(_ids(body, or_all=True), topic=_topic(on, body))}


async def _discard(on: Operations, request: Request) -> Mapping[str, Any]:
    return {
        "discarded": await on.bus.dead_letters.discard(_ids(await json_body(request), or_all=False) or [])
    }


async def _executions(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    workflow = query.get("workflow")
    kept = on.sagas.listed(workflow, query.get("state"), _limit(query.get("limit")))
    if workflow is not None and not kept:
        on.sagas.required(workflow)
    return {"executions": [shown_execution(each) for each in kept]}


async def _execution_shown(on: Operations, request: Request) -> Mapping[str, Any]:
    kept, steps = await history(on.sagas, request.path_params["execution"])
    return {**shown_execution(kept), "argument": kept.argument, "steps": [asdict(step) for step in steps]}


async def _start(on: Operations, request: Request) -> Mapping[str, Any]:
    return await start_by_hand(on.sagas, await json_body(request))


async def _cancel(on: Operations, request: Request) -> Mapping[str, Any]:
    execution = request.path_params["execution"]
    if not await on.sagas.cancelled(execution):
        raise AlreadyEnded(f"execution {execution[:64]} had ended before: see keyfleet workflow show")
    return {"cancelled": execution}


async def _schedules(on: Operations, _request: Request) -> Mapping[str, Any]:
    return {"schedules": [shown_schedule(each) for each in on.schedules.status()]}


async def _run_schedule(on: Operations, request: Request) -> Mapping[str, Any]:
    name = request.path_params["name"]
    outcome = await on.schedules.run_now(name)
    return {"ran": name, "succeeded": outcome.ok, "outcome": outcome.reason}


async def _keys(on: Operations, _request: Request) -> Mapping[str, Any]:
    return {"purposes": on.rekeying.versions()}


async def _keys_worked_on(on: Operations, request: Request) -> Mapping[str, Any]:
    return await work_on_keys(on.rekeying, await json_body(request))


async def _document(on: Operations, request: Request) -> Mapping[str, Any]:
    path = request.path_params
    store = on.platform.documents.tenant(TenantId(path["tenant"]))
    found = await store.get(Ref(path["collection"], path["id"]))
    return {"document": dict(found.data), "version": found.version} if found else {"document": None}


async def _credentials(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    return credentials(on.records, query, _limit(query.get("limit")))


async def _timeline(on: Operations, request: Request) -> Mapping[str, Any]:
    archive = Archive(on.records, on.sagas, on.starts, on.platform.clock.now())
    return await timeline(archive, request.path_params["id"], request.query_params.get("tenant"))


async def _call_back(on: Operations, request: Request) -> Mapping[str, Any]:
    raw = await raw_body(request)
    received = {
        "http_request": {
            "body": _parsed(raw, request.headers.get("content-type", "")),
            "headers": {k: v for k, v in request.headers.items() if k != "authorization"},
            "method": request.method,
            "query": dict(request.query_params),
            "url": request.url.path,
        },
        "received_time": on.platform.clock.now().isoformat(),
        "type": "HTTP",
    }
    await on.sagas.receive(request.path_params["execution"], request.path_params["callback"], received)
    return {}


def _parsed(raw: bytes, content_type: str) -> Any:
    if not raw:
        return None
    if content_type.partition(";")[0].strip() == "application/json":
        try:
            return orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise InvalidInput("body", "not the JSON its content type says", "send JSON") from None
    return raw.decode(errors="replace")


def _limit(text: str | None) -> int:
    if text is not None and not _number(text):
        raise InvalidInput("limit", "not a whole number", "give one from 1 to 1000")
    return min(max(int(text or 100), 1), 1000)


def _number(text: Any) -> bool:
    return isinstance(text, str) and text.isdecimal() and len(text) <= 18


def _after(text: str | None) -> str:
    if text is not None and not _number(text):
        raise InvalidInput("after", "not a message id", "give the last id of the page before")
    return text or "0"


def _topic(on: Operations, body: Body) -> str | None:
    topic = body.get("topic")
    if topic is not None and not isinstance(topic, str):
        raise InvalidInput("topic", "not a text", "name one topic, or leave it out")
    return check_parked(topic, on.bus.aside)


def _ids(body: Body, *, or_all: bool) -> list[str] | None:
    ids = body.get("ids")
    if isinstance(ids, list) and all(_number(each) for each in ids):
        return ids
    if or_all and body.get("all") is True:
        return None
    raise InvalidInput("ids", "missing", "name message ids" + (", or pass --all" if or_all else ""))


ROUTES: tuple[tuple[str, str, Operation], ...] = (
    ("GET", "/status", _status),
    ("GET", "/attention", _attention),
    ("POST", "/publish", _publish),
    ("GET", "/dead-letters", _dead_letters),
    ("POST", "/dead-letters/replay", _replay),
    ("POST", "/dead-letters/discard", _discard),
    ("GET", "/executions", _executions),
    ("POST", "/executions", _start),
    ("GET", "/executions/{execution}", _execution_shown),
    ("POST", "/executions/{execution}/cancel", _cancel),
    ("GET", "/schedules", _schedules),
    ("POST", "/schedules/{name}/run", _run_schedule),
    ("GET", "/credentials", _credentials),
    ("GET", "/timeline/{id}", _timeline),
    ("GET", "/keys", _keys),
    ("POST", "/keys", _keys_worked_on),
    ("GET", "/documents/{tenant}/{collection}/{id}", _document),
)
