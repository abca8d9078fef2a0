"""Passing troubles of Google's services, told in the ports' words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.ports.trouble import ServiceTrouble


@contextmanager
def passing_trouble(service: str) -> Iterator[None]:
    """Tell a service that cannot answer now from one that refuses."""
    from google.api_core import exceptions

    try:
        yield
    except (exceptions.ServerError, exceptions.RetryError) as trouble:
        raise ServiceTrouble(f"{service} is in trouble ({type(trouble).__name__}): ask again") from None


class Troubled:
    """A client whose calls raise ServiceTrouble where its service is in trouble."""

    def __init__(self, client: Any, service: str) -> None:
        self._client, self._service = client, service

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._client, name)
        if not callable(attribute):
            return attribute

        async def call(*args: Any, **options: Any) -> Any:
            with passing_trouble(self._service):
                return await attribute(*args, **options)

        return call
