"""What an adapter and its vendor say to each other while a lock is asked, in words of ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Final

from shared.domain.instants import Moment
from shared.domain.stored import UNSTORED

YES: Final = "yes"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer: an operation's name and a code, never what else was sent or received.

    `took_ms` is the vendor's own time, without whatever we waited for before we asked.
    """

    at: Moment
    asked: str
    answer: str
    took_ms: Annotated[int, UNSTORED] = field(default=0, compare=False)


_SAID: ContextVar[list[Exchange] | None] = ContextVar("exchanges", default=None)


@contextmanager
def capture_exchanges() -> Iterator[list[Exchange]]:
    """Give a list to which every exchange from now on is added."""
    said: list[Exchange] = []
    token = _SAID.set(said)
    try:
        yield said
    finally:
        _SAID.reset(token)


def note(exchange: Exchange) -> None:
    """Add an exchange for whoever listens, if anybody does."""
    said = _SAID.get()
    if said is not None:
        said.append(exchange)
