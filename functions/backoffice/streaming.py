"""The stream of a desktop over HTTP: who listens is proven before a byte is sent."""

from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from functions.backoffice.desk import DEVICE_HEADER, SESSION_HEADER
from shared.domain.ids import PropertyId, UserId
from shared.domain.permissions import Permission, Principal, Verdict
from shared.kernel.identity import Forbidden
from shared.runtime.platform import Platform
from shared.runtime.problems import TOLD_AS, NotThere, problem_response
from shared.runtime.service import caller_of
from shared.usecases.backoffice.listening import Heard, Listeners, Stream
from shared.usecases.backoffice.sessions import proven

HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no", "x-content-type-options": "nosniff"}
_LISTENERS: Final = "backoffice.listeners"


def listeners_of(on: Platform) -> Listeners:
    """Return the readers of this instance."""
    if _LISTENERS not in on.kept:
        on.kept[_LISTENERS] = Listeners(on.documents, on.nudges, on.log)
    listeners: Listeners = on.kept[_LISTENERS]
    return listeners


def streaming_app(on: Platform) -> Starlette:
    """Return the application that serves streams."""

    async def events(request: Request) -> StreamingResponse:
        stream = await _stream(request, on)
        since = request.headers.get("last-event-id")
        heard = None if since is None else Heard.read(since)
        return StreamingResponse(stream.events(heard), media_type="text/event-stream", headers=HEADERS)

    async def told(_request: Request, error: Exception) -> object:
        return problem_response(error, "")

    handlers = dict.fromkeys(TOLD_AS, told)
    return Starlette(routes=[Route("/bff/v1/events", events)], exception_handlers=handlers)  # type: ignore[arg-type]  # a problem is a response


async def _stream(request: Request, on: Platform) -> Stream:
    caller = caller_of(request)
    if not isinstance(caller, Principal) or not isinstance(caller.id, UserId):
        raise Forbidden("a program has no session at a desktop")
    said, device = (request.headers.get(name, "") for name in (SESSION_HEADER, DEVICE_HEADER))
    store, now = on.documents.tenant(caller.tenant), on.clock.now()
    session = await proven(said, caller.id, device, store, now)
    house = PropertyId.parse(request.query_params.get("property", session.primary), "property")
    if house not in session.properties or not caller.works_at(house):
        raise NotThere("no such property")
    if caller.verdict(Permission.BACKOFFICE_READ, now) is not Verdict.ALLOWED:
        raise Forbidden("none of the caller's roles holds the permission")
    return Stream(session, house, store, listeners_of(on), on.clock, on.entropy)
