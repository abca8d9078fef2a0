"""Two things done beside each other: on Google Cloud each wait for the platform is a round trip."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")


async def gather_both(first: Coroutine[Any, Any, T], second: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Return both results once both have ended, or raise what either raised: neither goes on alone."""
    one, other = await asyncio.gather(first, second, return_exceptions=True)
    if isinstance(one, BaseException):
        raise one
    if isinstance(other, BaseException):
        raise other
    return one, other
