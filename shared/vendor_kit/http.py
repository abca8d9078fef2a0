"""Calls over HTTP: an answer is one whatever its status; no answer says what is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from shared.domain.errors import InvalidInput

if TYPE_CHECKING:
    from shared.vendor_kit.http_aiohttp import AiohttpClient
    from shared.vendor_kit.http_plain import PlainClient

LARGEST_ANSWER: Final = 4 * 1024 * 1024
CONNECT_SECONDS: Final = 5.0
KEPT_SECONDS: Final = 30.0
"""For so long a connection is kept that nobody uses."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request to make. Addresses, headers and bodies may carry tokens: none is ever printed."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    timeout: float = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


class CallFault(Exception):
    """No answer came back."""


class ConnectionFailed(CallFault):
    """The connection was never made: the request cannot have had an effect."""


class ConnectionBroken(CallFault):
    """The connection broke after it was made: the request may have had its effect."""


class TimedOut(CallFault):
    """No answer in time: the request may have had its effect, or may still have it."""


class Http(Protocol):
    """Makes calls."""

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""


class HttpClient:
    """Calls over the network. One for a whole worker: its connections are kept and shared.

    Redirects are not followed, for they would carry a token elsewhere; cookies are not kept.
    """

    def __init__(self, connections: int = 64, largest: int = LARGEST_ANSWER) -> None:
        self._limits = connections, largest
        self._plain: PlainClient | None = None
        self._other: AiohttpClient | None = None

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""
        if call.url.startswith("http://"):
            plain = self._plain or self._open_plain()
            if (request := plain.request(call)) is not None:
                return await plain.exchange(request)
        return await (self._other or self._open_other()).send(call)

    async def close(self) -> None:
        """Close what is open."""
        for client in (self._plain, self._other):
            if client is not None:
                await client.close()

    def _open_plain(self) -> "PlainClient":
        from shared.vendor_kit.http_plain import PlainClient

        self._plain = PlainClient(*self._limits)
        return self._plain

    def _open_other(self) -> "AiohttpClient":
        from shared.vendor_kit.http_aiohttp import AiohttpClient

        self._other = AiohttpClient(*self._limits)
        return self._other


def checked_address(url: str) -> str:
    """Return a vendor's address if a password may travel there: encrypted, or never leaving this machine."""
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or not (parts.scheme == "https" or (local and parts.scheme == "http")):
        raise InvalidInput("baseUrl", "not an https address", "Give https://host, without a path")
    return url.rstrip("/")
