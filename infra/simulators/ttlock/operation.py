"""What TTLock can be asked: a path, a method, who may ask, and what answers."""

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any

from infra.simulators.kit import operation as kit
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud

Answer = Mapping[str, Any]
Answers = Callable[[Cloud, Call], Awaitable[Answer]]
Operation = kit.Operation[Cloud]


class Access(Enum):
    """What an operation demands of its caller."""

    SECRET = "client id and secret"  # noqa: S105 - the name of a demand
    SECRET_AND_DATE = "client id, secret and date"  # noqa: S105 - the name of a demand
    TOKEN = "client id, access token and date"  # noqa: S105 - the name of a demand


def get(path: str, answer: Answers, access: Access = Access.TOKEN) -> Operation:
    """Return a query."""
    return kit.Operation(_name(path), "GET", path, answer, access)


def post(path: str, answer: Answers, access: Access = Access.TOKEN, *, metered: bool = True) -> Operation:
    """Return a command."""
    return kit.Operation(_name(path), "POST", path, answer, access, metered)


def _name(path: str) -> str:
    return path.removeprefix("/v3").removeprefix("/")
