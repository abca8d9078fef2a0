"""What the platform can be asked: a path, a method, who may ask, and what answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud

Answer = Mapping[str, Any]


class Access(Enum):
    """What an operation demands of its caller."""

    SECRET = "client id and secret"  # noqa: S105 - the name of a demand
    SECRET_AND_DATE = "client id, secret and date"  # noqa: S105 - the name of a demand
    TOKEN = "client id, access token and date"  # noqa: S105 - the name of a demand


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the platform's table."""

    method: str
    path: str
    answer: Callable[[Cloud, Call], Awaitable[Answer]]
    access: Access = Access.TOKEN
    metered: bool = True

    @property
    def name(self) -> str:
        """The name that fault rules and counters use, such as keyboardPwd/add."""
        return self.path.removeprefix("/v3").removeprefix("/")


def get(path: str, answer: Callable[[Cloud, Call], Awaitable[Answer]], **options: Any) -> Operation:
    """Return a query."""
    return Operation("GET", path, answer, **options)


def post(path: str, answer: Callable[[Cloud, Call], Awaitable[Answer]], **options: Any) -> Operation:
    """Return a command."""
    return Operation("POST", path, answer, **options)
