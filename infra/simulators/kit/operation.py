"""What a platform can be asked: a method and a path, perhaps with parts that vary, and what answers."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl

import orjson

C = TypeVar("C")
Answer = Any
FORM = "application/x-www-form-urlencoded"
PART = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived."""

    method: str
    path: str
    query: bytes
    content_type: str
    body: bytes
    headers: Mapping[bytes, bytes] | None = None

    def header(self, name: str) -> str:
        """Return a header, or nothing."""
        return (self.headers or {}).get(name.encode(), b"").decode("latin-1")


def form_fields(request: Request) -> dict[str, str] | HTTPStatus:
    """Return the fields of a GET's query or a POST's form, or the status of what is neither."""
    media_type = request.content_type.partition(";")[0].strip().lower()
    if request.method == "POST" and media_type != FORM:
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    raw = request.query if request.method == "GET" else request.body
    try:
        return dict(parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict"))
    except ValueError:
        return HTTPStatus.BAD_REQUEST


def json_fields(request: Request) -> dict[str, Any] | HTTPStatus:
    """Return the fields of a query and of a JSON object, or the status of a body that is none."""
    query = dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True))
    if not request.body:
        return query
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        return HTTPStatus.BAD_REQUEST
    return {**query, **body} if isinstance(body, dict) else HTTPStatus.BAD_REQUEST


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back."""

    status: int
    body: bytes
    content_type: str = "application/json;charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Operation(Generic[C]):
    """One entry of a platform's table; its name is what fault rules and counters call it."""

    name: str
    method: str
    path: str
    answer: Callable[[C, Any], Awaitable[Answer]]
    access: Any = None
    metered: bool = True


class Operations(Generic[C]):
    """A platform's table, asked by method and path; a path such as /locks/{lockId} has parts that vary."""

    def __init__(self, operations: Iterable[Operation[C]]) -> None:
        self.all = tuple(operations)
        self.names = sorted(operation.name for operation in self.all)
        self._plain: dict[str, dict[str, Operation[C]]] = {}
        self._varying: list[tuple[re.Pattern[str], Operation[C]]] = []
        for operation in self.all:
            self._add(operation)

    def find(self, request: Request) -> tuple[Operation[C], Mapping[str, str]] | HTTPStatus:
        """Return the operation that is asked for and its path's parts, or why there is none."""
        by_method = self._plain.get(request.path)
        if by_method is not None:
            found = by_method.get(request.method)
            return (found, {}) if found else HTTPStatus.METHOD_NOT_ALLOWED
        return self._matched(request)

    def _matched(self, request: Request) -> tuple[Operation[C], Mapping[str, str]] | HTTPStatus:
        status = HTTPStatus.NOT_FOUND
        for pattern, operation in self._varying:
            if match := pattern.fullmatch(request.path):
                if operation.method == request.method:
                    return operation, match.groupdict()
                status = HTTPStatus.METHOD_NOT_ALLOWED
        return status

    def _add(self, operation: Operation[C]) -> None:
        pattern, parts = PART.subn(r"(?P<\1>[^/]+)", re.escape(operation.path))
        if parts:
            self._varying.append((re.compile(pattern), operation))
        else:
            self._plain.setdefault(operation.path, {})[operation.method] = operation
