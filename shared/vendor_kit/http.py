"""Calls to vendors over HTTP: an answer is one whatever its status; no answer says what is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from shared.domain.errors import InvalidInput

if TYPE_CHECKING:
    import aiohttp

LARGEST_ANSWER: Final = 4 * 1024 * 1024
CONNECT_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Call:
    """A request to make. Addresses, headers and bodies of vendors carry tokens: none is ever printed."""

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
    """Calls over the network. One for a whole worker: its connections are kept and shared."""

    def __init__(self, connections: int = 64) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def send(self, call: Call) -> Answer:
        """Return the answer. Redirects are not followed: they would carry a token elsewhere."""
        import aiohttp

        try:
            return await self._exchange(call)
        except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError, aiohttp.InvalidURL) as error:
            raise ConnectionFailed(type(error).__name__) from None
        except TimeoutError:
            raise TimedOut(f"no answer within {call.timeout:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise ConnectionBroken(type(error).__name__) from None

    async def close(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()

    async def _exchange(self, call: Call) -> Answer:
        session = self._open()
        options: dict[str, Any] = {"headers": call.headers, "data": call.body or None}
        options["timeout"] = self._limits(call.timeout)
        async with session.request(call.method, call.url, allow_redirects=False, **options) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, await _bounded(response))

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=30)
            jar = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=jar, trust_env=False)
        return self._session

    @staticmethod
    def _limits(total: float) -> "aiohttp.ClientTimeout":
        import aiohttp

        return aiohttp.ClientTimeout(total=total, sock_connect=min(CONNECT_SECONDS, total))


async def _bounded(response: "aiohttp.ClientResponse") -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise ConnectionBroken(f"the answer is longer than {LARGEST_ANSWER} bytes")
    return bytes(body)


def checked_address(url: str) -> str:
    """Return a vendor's address if a password may travel there: encrypted, or never leaving this machine."""
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or not (parts.scheme == "https" or (local and parts.scheme == "http")):
        raise InvalidInput("baseUrl", "not an https address", "Give https://host, without a path")
    return url.rstrip("/")
