"""Calls over HTTP: an answer is one whatever its status; no answer says what is known."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from shared.domain.errors import InvalidInput
from shared.domain.replacing import born_open

if TYPE_CHECKING:
    from shared.vendor_kit.http_aiohttp import AiohttpClient

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
"""Where simulators are; a client for the public alone reaches neither."""
_NAME: Final = re.compile(r"(?!.*[.-]{2}|-)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,61}[a-z]")
_INWARD: Final = (".internal", ".local", ".localhost", ".localdomain", ".home.arpa", ".lan", ".intranet")
LARGEST_ANSWER: Final = 4 * 1024 * 1024
LARGEST_WORD: Final = 64 * 1024
"""Of an answer whose status alone is of interest; what says more is broken off."""
CONNECT_SECONDS: Final = 5.0
KEPT_SECONDS: Final = 30.0
"""For so long a connection is kept that nobody uses."""


@born_open
@dataclass(frozen=True, slots=True)
class Call:
    """A request to make. Addresses, headers and bodies may carry tokens: none is ever printed."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    timeout: float = 10.0


@born_open
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

    Redirects are not followed, for they would carry a token elsewhere; cookies are not kept. For the public
    alone, it reaches no address of a machine's or a network's own, whatever a name resolves to.
    """

    def __init__(
        self, connections: int = 64, largest: int = LARGEST_ANSWER, *, public_only: bool = False
    ) -> None:
        self._limits, self._public_only = (connections, largest), public_only
        self._client: AiohttpClient | None = None

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""
        if self._public_only and not call.url.startswith("https://"):
            raise ConnectionFailed("not encrypted, and not of this machine")
        return await (self._client or self._open()).send(call)

    async def close(self) -> None:
        """Close what is open."""
        if self._client is not None:
            await self._client.close()

    def _open(self) -> "AiohttpClient":
        from shared.vendor_kit.http_aiohttp import AiohttpClient

        self._client = AiohttpClient(*self._limits, public_only=self._public_only)
        return self._client


def checked_address(url: str, of: str = "") -> str:
    """Return a vendor's address if a password may travel there: encrypted, or never leaving this machine.

    Only a scheme, a name and a port: whatever else stands in it would send our calls elsewhere. `of` is the
    domain that a vendor's own hosts share. The client looks once more at where a name leads (`public_only`).
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address() from None
    if parts.username is not None or parts.path.strip("/") or "?" in url or "#" in url or port == 0:
        raise _no_address()
    if not ((parts.scheme == "http" and host in LOOPBACK) or (parts.scheme == "https" and _is_of(host, of))):
        raise _no_address()
    return url.rstrip("/")


def _is_of(host: str, domain: str) -> bool:
    own = not domain or host == domain or host.endswith(f".{domain}")
    return own and bool(_NAME.fullmatch(host)) and not host.endswith(_INWARD)


def _no_address() -> InvalidInput:
    return InvalidInput("baseUrl", "not an https address", "Give https://host of the vendor, without a path")
