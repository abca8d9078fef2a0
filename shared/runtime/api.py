"""The entry of people and their programs: a table of routes, behind a proven principal.

1. The route is found: a path that is not there is 404, another method 405; neither tells of anybody's things.
2. The principal is proven, and held to the route's permission as far as the path tells where the thing is.
3. Only then is the body read, within its bound, and checked against its model.
4. The use case answers. One that did not ask where its thing is, is not heard.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId
from shared.domain.permissions import Principal
from shared.kernel.identity import Forbidden, Unauthenticated, bearer
from shared.kernel.log import log_context
from shared.kernel.trace import trace_of
from shared.runtime.access import admit
from shared.runtime.addresses import Address, addresses_of
from shared.runtime.asked import NO_EVENT, Answered, Asked, etag
from shared.runtime.entry import Entry, Manner, entry_of
from shared.runtime.incoming import API_BYTES, body_within
from shared.runtime.platform import Deployed, Platform
from shared.runtime.problems import TOLD_AS, InvalidInputs, NotJson, problem_response
from shared.runtime.routes import BODILESS, Route, RouteTable, Shapes

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from shared.runtime.people import People

JSON: Final = "application/json"
REQUEST_ID: Final = "request-id"
LOOKS: Final = frozenset({"GET", "HEAD"})
"""What changes nothing: for these it is remembered for some seconds who was not stopped."""
TABLE: Final = "routes"
"""The attribute of an entry point by which its table is found, to be described."""
_LONGEST_ETAG: Final = 128
_KEPT: Final = "keyfleet.request_id"
Load = Callable[[], Sequence[Route]]


def api(load: Load) -> Entry:
    """Make an entry point of a table of routes, each loaded with the first request that it answers."""
    tables: list[Shapes[Address] | Shapes[Route]] = []

    async def respond(request: Request, function: Deployed, on: Platform) -> Response:
        if not tables:
            tables.append(Shapes(addresses_of(load)) if addresses_of(load) else RouteTable(load()))
        row, ids = tables[0].find(request.method, request.scope["path"])
        principal = await _principal(request, function, on)
        route = row.loaded()
        with log_context(tenant=principal.tenant, principal=principal.id):
            asked = _asked(request, route, ids, principal, on)
            return await _answer(request, asked, function, on)

    entry = entry_of(load, respond, AS_PEOPLE)
    setattr(entry, TABLE, load)
    return entry


async def _by_route(request: Request, function: Deployed, on: Platform) -> None:
    # The route says who may go on; but a descriptor that does not name people does not mean them.
    if not function.people:
        await admit(request, function, on)


def told_to_people(error: Exception, request: Request, _function: Deployed | None) -> Response:
    """Return an error as a problem, with the request's id."""
    return _finished(problem_response(error, request_id(request)), request)


def _named(request: Request, on: Platform) -> Mapping[str, str]:
    request.scope[_KEPT] = f"req_{on.ids.ulid()}"
    return {"request": request_id(request)}


AS_PEOPLE: Final = Manner(_by_route, told_to_people, tuple(TOLD_AS), _named)


def request_id(request: Request) -> str:
    """Return the id of a request, by which its caller and our log name it."""
    kept: str = request.scope.get(_KEPT, "")
    return kept


async def _principal(request: Request, function: Deployed, on: Platform) -> Principal:
    said = request.headers.get("authorization")
    try:
        bearer(said)  # who says nothing is told so before anything is loaded
        from shared.runtime.people import people_of

        people: People = people_of(on)
        return await people.principal(said, changes=request.method not in LOOKS)
    except Unauthenticated as refusal:
        on.log.seldom("person not proven", str(refusal), function=function.name)
        raise


def _asked(
    request: Request, route: Route, ids: Mapping[str, str], principal: Principal, on: Platform
) -> Asked:
    return Asked(
        principal=principal,
        route=route,
        now=on.clock.now(),
        request_id=request_id(request),
        trace=trace_of(request.headers.get("traceparent")),
        ids=ids,
        if_match=_if_match(request),
        event_id=NO_EVENT if route.method == "GET" else EventId.mint(on.ids.ulid()),
        since=on.clock.now(),
        headers=request.headers,
        address=_address(request),
    )


async def _answer(request: Request, asked: Asked, function: Deployed, on: Platform) -> Response:
    route = asked.route
    try:
        asked.allow()
    except Forbidden:
        on.log.seldom("person not allowed", str(route.permission), function=function.name)
        raise
    asked.query = _query(request, route)
    raw = await body_within(request, 0 if route.method in BODILESS else API_BYTES)
    asked.body = _body(request, route, raw)
    if route.method == "GET" or not route.remembered:
        return _finished(await _made(request, asked, on), request)
    return _finished(await _made_once(request, asked, raw, on), request)


async def _made(request: Request, asked: Asked, on: Platform) -> Response:
    answer = await asked.route.use_case(asked, on)
    asked.check_narrowed()
    return _rendered(request, asked.route, answer if isinstance(answer, Answered) else Answered(answer))


async def _made_once(request: Request, asked: Asked, raw: bytes, on: Platform) -> Response:
    """Make a change, or give the answer that its caller got when they asked before."""
    from shared.runtime.asked_before import AskedBefore

    before = await AskedBefore.of(request, asked, raw, on.documents.tenant(asked.principal.tenant))
    if before is None:
        return await _made(request, asked, on)
    before.told(asked)
    kept = before.answer(asked)
    if kept is not None:
        return kept
    made = await _made(request, asked, on)
    await before.keep(asked, made)
    return made


def _query(request: Request, route: Route) -> Any:
    given = request.query_params.multi_items()
    if route.query is None:
        if given:
            raise InvalidInput("query", "not taken here", "Leave the query out")
        return None
    twice = {name for name, _ in given if sum(name == other for other, _ in given) > 1}
    if twice:
        raise InvalidInput("query", "names a field twice", "Give each field once")
    return _checked(lambda model: model.model_validate(dict(given)), route.query)


def _body(request: Request, route: Route, raw: bytes) -> Any:
    if route.request is None:
        if raw.strip() not in (b"", b"{}"):
            raise InvalidInput("body", "not taken here", "Leave the body out")
        return None
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise NotJson("send JSON")
    return _checked(lambda model: model.model_validate_json(raw), route.request)


def _checked(read: "Callable[[type[BaseModel]], BaseModel]", model: "type[BaseModel]") -> "BaseModel":
    from pydantic import ValidationError

    try:
        return read(model)
    except ValidationError as error:
        raise InvalidInputs(_problems(error)) from None


def _problems(error: "ValidationError") -> list[InvalidInput]:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return [
        InvalidInput(".".join(map(str, each["loc"])) or "body", each["msg"], "See the API's description")
        for each in found[:20]
    ]


def _address(request: Request) -> str:
    """Return from where a request came: Google's front adds that last to what the caller may have written."""
    forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return (forwarded or (request.client.host if request.client else ""))[:64]


def _if_match(request: Request) -> str | None:
    said = request.headers.get("if-match")
    if said is not None and len(said) > _LONGEST_ETAG:
        raise InvalidInput("If-Match", "not an ETag of ours", "Send the ETag as it was given")
    return said


def _rendered(request: Request, route: Route, said: Answered) -> Response:
    body = said.body.model_dump_json(by_alias=True, exclude_none=True).encode()
    headers = {"cache-control": "no-store", **said.headers}
    if route.method == "GET":
        version = said.version or hashlib.sha256(body).hexdigest()[:32]
        headers |= {"etag": etag(version), "cache-control": "private, no-cache", "vary": "authorization"}
        if _has_it(request.headers.get("if-none-match", ""), etag(version)):
            return Response(status_code=304, headers=headers)
    elif said.version is not None:
        headers["etag"] = etag(said.version)
    return Response(body, said.status or route.status, headers, media_type=JSON)


def _has_it(if_none_match: str, tag: str) -> bool:
    known = [each.strip().removeprefix("W/") for each in if_none_match[: 16 * _LONGEST_ETAG].split(",")]
    return "*" in known or tag in known


def _finished(response: Response, request: Request) -> Response:
    response.headers["x-content-type-options"] = "nosniff"
    if kept := request_id(request):
        response.headers[REQUEST_ID] = kept
    return response
