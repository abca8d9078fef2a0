"""The calls to Firestore, with its refusals told in the port's words."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from shared.gcp.clients import Connect
from shared.gcp.documents.names import Place
from shared.gcp.documents.queries import Query
from shared.gcp.trouble import passing_trouble
from shared.ports.trouble import ServiceTrouble

TIMEOUT_SECONDS: Final = 30.0
READ_SECONDS: Final = 10.0
"""A read that takes longer goes by a connection that is half open: Google's own patience is five minutes."""


class Refused(Exception):
    """A condition was not met; nothing was written."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One database, reached through the client of the process."""

    connect: Connect
    place: Place

    async def commit(self, writes: Sequence[Any]) -> list[Any]:
        """Apply all writes or none, and return when each document was updated; or raise Refused."""
        request = {"database": self.place.root, "writes": list(writes)}
        with _told():
            answer = await self.connect().commit(
                request, retry=_again(), timeout=TIMEOUT_SECONDS, metadata=self._metadata
            )
        return [result.update_time for result in answer.write_results]

    async def get(self, name: str) -> Any | None:
        """Return a document, or None."""
        (found,) = await self.get_all([name])
        return found

    async def get_all(self, names: Sequence[str]) -> list[Any | None]:
        """Return each document or None, in the order of their names, all as of one moment."""
        request = {"database": self.place.root, "documents": list(names)}
        with _read():
            answers = await self.connect().batch_get_documents(
                request, timeout=READ_SECONDS, metadata=self._metadata
            )
            found = {answer.found.name: answer.found async for answer in answers if answer.found.name}
        return [found.get(name) for name in names]

    async def pages(self, parent: str, query: Query, size: int) -> AsyncIterator[list[Any]]:
        """Yield the documents a query finds, page by page."""
        page = await self._page(parent, query, size, None)
        while page:
            yield page
            page = await self._page(parent, query, size, page[-1]) if len(page) == size else []

    async def listen(self, name: str) -> AsyncIterator[Any]:
        """Return what Firestore tells of one document from now on, for as long as the stream lasts."""
        answers: AsyncIterator[Any] = await self.connect().listen(
            _for_ever(self.place.root, name), metadata=self._metadata
        )
        return answers

    async def _page(self, parent: str, query: Query, size: int, after: Any | None) -> list[Any]:
        request = {"parent": parent, "structured_query": query.page(size, after)}
        with _read():
            answers = await self.connect().run_query(request, timeout=READ_SECONDS, metadata=self._metadata)
            return [answer.document async for answer in answers if answer.document.name]

    @property
    def _metadata(self) -> list[tuple[str, str]]:
        return [("google-cloud-resource-prefix", self.place.root)]


async def _for_ever(root: str, name: str) -> AsyncIterator[Any]:
    from google.cloud.firestore_v1.types import ListenRequest

    target = {"documents": {"documents": [name]}, "target_id": 1}
    yield ListenRequest(database=root, add_target=target)
    await asyncio.Event().wait()  # a stream that asks for nothing more is closed


def _again() -> Any:
    # Lock contention and a lost connection only: a repeated commit that was applied knows itself by its mark.
    from google.api_core.exceptions import Aborted, ServiceUnavailable
    from google.api_core.retry import AsyncRetry, if_exception_type

    return AsyncRetry(if_exception_type(Aborted, ServiceUnavailable), 0.05, 2.0, timeout=TIMEOUT_SECONDS)


@contextmanager
def _told() -> Iterator[None]:
    from google.api_core import exceptions

    try:
        with passing_trouble("firestore"):
            yield
    except (exceptions.AlreadyExists, exceptions.FailedPrecondition, exceptions.NotFound) as refusal:
        raise Refused from refusal


@contextmanager
def _read() -> Iterator[None]:
    # A read has no conditions: what it is refused for is not there yet, and will be.
    from google.api_core import exceptions

    try:
        with passing_trouble("firestore"):
            yield
    except exceptions.FailedPrecondition:
        raise ServiceTrouble(
            "firestore has no index for a query yet: apply, wait until it is READY"
        ) from None
    except exceptions.NotFound:
        raise ServiceTrouble("firestore has no such database yet: apply") from None
