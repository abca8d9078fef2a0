"""Passing troubles of Google's services, told in the ports' words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.ports.trouble import ServiceTrouble


@contextmanager
def passing_trouble(service: str) -> Iterator[None]:
    """Tell a service that cannot answer now, or has had too much of us, from one that refuses."""
    from google.api_core import exceptions
    from google.auth.exceptions import RefreshError, TransportError

    passing = (
        *(exceptions.ServerError, exceptions.RetryError),
        # Quotas and ramp-ups pass, and so do lost races and calls that were called off.
        *(exceptions.TooManyRequests, exceptions.Aborted, exceptions.Cancelled),
        # Who we are is told by the metadata server, and that can be out of reach too.
        *(RefreshError, TransportError),
    )
    try:
        yield
    except passing as trouble:
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
