"""What a machine asks of its driver: plain data, numbered in the order the machine asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shared.domain.replacing import born_open


@born_open
@dataclass(frozen=True, slots=True)
class HttpRequest:
    """Send this request; `url` already carries the query. Answer with HttpResponse or HttpFault."""

    id: int
    method: str
    url: str
    query: Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    timeout: float
    auth: Mapping[str, Any] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sleep:
    """Answer with Done(None) when this instant has come."""

    id: int
    until: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class CreateCallback:
    """Open an endpoint for this callback id; answer with Done(its url)."""

    id: int
    callback: str = field(repr=False)
    method: str


@dataclass(frozen=True, slots=True)
class AwaitCallback:
    """Answer with Done(the received map) once somebody called, or with timed_out() at the deadline."""

    id: int
    callback: str = field(repr=False)
    deadline: datetime
    timeout: float


Op = HttpRequest | Sleep | CreateCallback | AwaitCallback
