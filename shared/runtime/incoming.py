"""A request as it came: read no further than its bound, and believed by nobody yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import ClientDisconnect, Request

WEBHOOK_BYTES: Final = 64 * 1024
API_BYTES: Final = 256 * 1024
PUSH_BYTES: Final = 16 * 1024 * 1024
"""A message of Pub/Sub holds 10 MB at most, and its envelope a third more."""
_LONGEST_NUMBER: Final = 18


class BodyTooLarge(Exception):
    """A body of more bytes than anybody here would read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body is longer than {limit} bytes")
        self.limit = limit


class BodyBrokeOff(Exception):
    """The caller hung up before the body had come."""


class MethodNotAllowed(Exception):
    """A path that is there, but not for this method."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        super().__init__(f"only {', '.join(allowed)}")
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a stranger sent. Nothing of it is ever printed: it may carry a secret, in the path too."""

    method: str
    path: str = field(repr=False)
    query_string: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """By their names in lower case; what came twice is joined by a comma, and so is no signature any more."""
    body: bytes = field(repr=False)


async def incoming(request: Request, limit: int) -> Incoming:
    """Return the whole request, its body within the limit."""
    body = await body_within(request, limit)
    query = request.scope["query_string"].decode("latin-1")
    return Incoming(request.method, request.scope["path"], query, _headers(request), body)


async def body_within(request: Request, limit: int) -> bytes:
    """Return the body, counted while it comes: whoever says no length is stopped at the same byte."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and (len(said) > _LONGEST_NUMBER or int(said) > limit):
        raise BodyTooLarge(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise BodyTooLarge(limit)
            parts.append(part)
    except ClientDisconnect:
        raise BodyBrokeOff("the body ended before its end") from None
    return b"".join(parts)


def allow(request: Request, methods: tuple[str, ...]) -> None:
    """Refuse every other method."""
    if request.method not in methods:
        raise MethodNotAllowed(methods)


def _headers(request: Request) -> Mapping[str, str]:
    joined: dict[str, str] = {}
    for name, value in request.headers.items():
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
