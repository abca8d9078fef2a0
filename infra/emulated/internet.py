"""What lies around a function on Google Cloud, by address: Google's services, and everybody else."""

from collections.abc import Callable, Mapping
from typing import Final

import orjson

from infra.local.sagas.service import CallbackRefused, LocalSagas
from shared.ports.ambient import Clock
from shared.vendor_kit.http import Answer, Call, Http

CALLBACKS: Final = "https://workflowexecutions.googleapis.com/v1/"


class Internet:
    """Carries a call to whoever lives at the longest address that it begins with."""

    def __init__(self, neighbours: Mapping[str, Http], otherwise: Http) -> None:
        self.neighbours = dict(sorted(neighbours.items(), key=lambda each: -len(each[0])))
        self._otherwise = otherwise

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""
        for address, neighbour in self.neighbours.items():
            if call.url.startswith(address):
                return await neighbour.send(call)
        return await self._otherwise.send(call)


class PlainAccess:
    """An access token: whoever asks here is let in."""

    async def token(self) -> str:
        """Return a token that opens nothing anywhere."""
        return "access-token"


class Callbacks:
    """The endpoint of Workflows that wakes who waits."""

    def __init__(self, sagas: Callable[[], LocalSagas], clock: Clock) -> None:
        self._sagas, self._clock = sagas, clock

    async def send(self, call: Call) -> Answer:
        """Take a callback as the endpoint does, and answer as it does."""
        execution, callback = call.url.split("/")[-2:]
        asked = {
            "method": call.method,
            "body": orjson.loads(call.body or b"null"),
            "headers": {},
            "query": {},
        }
        request = {
            "http_request": {**asked, "url": "/"},
            "received_time": self._clock.now().isoformat(),
            "type": "HTTP",
        }
        try:
            await self._sagas().receive(execution, callback, request)
        except CallbackRefused as refusal:
            return Answer(refusal.status)
        return Answer(200)
