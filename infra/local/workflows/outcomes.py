"""How operations and whole executions end, and the JSON form in which a journal keeps outcomes."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.errors import raised


@dataclass(frozen=True, slots=True)
class Done:
    """The operation gave this value."""

    value: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """The operation, or the execution, ended in this error: a string, a map or a boolean."""

    error: Any = field(repr=False)
    context: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A complete answer, whatever its status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpFault:
    """No complete answer: connection_failed, connection_broken, timeout, too_large or auth_failed."""

    kind: str
    detail: str = ""


Outcome = Done | Failed | HttpResponse | HttpFault


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The execution returned this JSON value."""

    result: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The execution was cancelled from outside."""


Verdict = Succeeded | Failed | Cancelled


def timed_out() -> Failed:
    """What a driver answers when nobody called back in time."""
    return Failed(raised("TimeoutError", "timed out waiting for the callback").payload)


def encode_outcome(outcome: Outcome) -> dict[str, Any]:
    """The outcome as JSON."""
    match outcome:
        case Done(value):
            return {"done": value}
        case Failed(error):
            return {"failed": error}
        case HttpFault(kind, detail):
            return {"fault": kind, "detail": detail}
        case HttpResponse(status, headers, body):
            return {
                "status": status,
                "headers": dict(headers),
                "body": base64.b64encode(body).decode("ascii"),
            }


_DECODERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Outcome]]] = MappingProxyType(
    {
        "done": lambda row: Done(row["done"]),
        "failed": lambda row: Failed(row["failed"]),
        "fault": lambda row: HttpFault(row["fault"], row.get("detail", "")),
        "status": lambda row: HttpResponse(row["status"], row["headers"], base64.b64decode(row["body"])),
    }
)


def decode_outcome(row: Mapping[str, Any]) -> Outcome:
    """The outcome a JSON row stands for."""
    return next(decode for key, decode in _DECODERS.items() if key in row)(row)
