"""Google's JSON APIs, for the few services that need no client library of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from shared.gcp.access import AccessTokens
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Answer, Call, CallFault, Http

TIMEOUT_SECONDS: Final = 20.0
_LATER: Final = frozenset({408, 429})


class GoogleRefused(Exception):
    """An answer nobody expected: told by the service and the status, never by its words."""

    def __init__(self, service: str, status: int) -> None:
        super().__init__(f"{service} answered {status}: see that the function's account may do this")
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """One request: the body is JSON unless it says what else it is."""

    method: str
    url: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    kind: str = "application/json"


class Rest:
    """One service, asked with our own token. Trouble is told apart from what was refused."""

    def __init__(self, http: Http, tokens: AccessTokens, service: str) -> None:
        self._http, self._tokens, self.service = http, tokens, service

    async def ask(self, request: Request, *, expects: frozenset[int] = frozenset({200})) -> Answer:
        """Return an answer of a status that is expected; raise ServiceTrouble or GoogleRefused."""
        answer = await self._sent(request)
        if answer.status in expects:
            return answer
        if answer.status in _LATER or answer.status >= 500:
            raise ServiceTrouble(f"{self.service} is in trouble ({answer.status}): ask again")
        raise GoogleRefused(self.service, answer.status)

    async def _sent(self, request: Request) -> Answer:
        url = f"{request.url}?{urlencode(request.query)}" if request.query else request.url
        headers = {"authorization": f"Bearer {await self._tokens.token()}", "content-type": request.kind}
        try:
            return await self._http.send(Call(request.method, url, headers, request.body, TIMEOUT_SECONDS))
        except CallFault as fault:
            raise ServiceTrouble(f"{self.service} was not reached ({type(fault).__name__})") from None


def parsed(answer: Answer) -> Mapping[str, Any]:
    """Return the JSON object of an answer; an empty one where there is none."""
    found = orjson.loads(answer.body or b"{}")
    return found if isinstance(found, dict) else {}
