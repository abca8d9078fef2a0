"""What a handler's outcome looks like on the wire: one table from error to status."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.kernel.identity import Forbidden, Unauthenticated
from shared.kernel.published import IssuerOutOfReach
from shared.ports.document_limits import TooLarge
from shared.ports.documents import AlreadyExists, StaleVersion, StorageFull, StoredUnreadable
from shared.ports.trouble import ServiceTrouble
from shared.runtime.incoming import BodyBrokeOff, BodyTooLarge, MethodNotAllowed
from shared.runtime.platform import Deployed, PlatformUnbound

JSON = "application/json"
CRASHED = {"X-Google-Status": "crash"}


class TryLater(Exception):
    """The work cannot be done now; the caller's retry will bring it back."""


STATUS: Mapping[type[Exception], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    MethodNotAllowed: 405,
    BodyTooLarge: 413,
    BodyBrokeOff: 400,
    TooLarge: 503,
    InvalidInput: 400,
    StorageFull: 507,
    PlatformUnbound: 503,
    TryLater: 503,
    AlreadyExists: 503,
    StaleVersion: 503,
    StoredUnreadable: 503,
    ServiceTrouble: 503,
    IssuerOutOfReach: 503,
}
"""Errors a caller may be told about (a lost race is retried); the rest is a crash, told without its words."""
OF_AN_EVENT: Final = "data."
OF_A_REQUEST: Final = {"propertyId": "property", "reservationId": "reservation"}
"""What requests call what is called otherwise in events; all else has one name."""
REPLAY, SEND_AGAIN = "replay the message", "send the request again"


def json_response(
    content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON response."""
    return Response(orjson.dumps(content), status, headers, media_type=JSON)


def error_response(error: Exception) -> Response:
    """Return what a caller may know of an error."""
    for kind, status in STATUS.items():
        if isinstance(error, kind):
            return json_response({"error": _described(error)}, status, _headers(error))
    return Response("the function crashed; its log says where", 500, CRASHED, media_type="text/plain")


def too_late(function: Deployed) -> Response:
    """Return that a handler was stopped: what it asked of others may have been done."""
    detail = f"{function.name} took longer than its {function.timeout:g} s"
    return json_response({"error": {"kind": "FunctionTimeout", "detail": detail}}, 504)


def described(refusal: InvalidInput) -> dict[str, str]:
    """Return a refusal to whoever sent a request: by its field's name there, with nothing to replay."""
    name = refusal.field.removeprefix(OF_AN_EVENT)
    field = OF_A_REQUEST.get(name, name) if refusal.field.startswith(OF_AN_EVENT) else name
    remedy = refusal.remedy.replace(REPLAY, SEND_AGAIN)
    return {"field": field, "problem": refusal.problem, "remedy": remedy}


def _described(error: Exception) -> dict[str, str]:
    if isinstance(error, InvalidInput):
        return described(error)
    return {"kind": type(error).__name__, "detail": str(error)}


def _headers(error: Exception) -> Mapping[str, str] | None:
    return {"allow": ", ".join(error.allowed)} if isinstance(error, MethodNotAllowed) else None
