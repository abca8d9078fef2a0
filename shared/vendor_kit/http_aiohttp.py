"""Calls through aiohttp: encrypted ones, and whatever is out of the ordinary."""

import ipaddress
import socket
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from shared.vendor_kit.http import (
    CONNECT_SECONDS,
    KEPT_SECONDS,
    Answer,
    Call,
    ConnectionBroken,
    ConnectionFailed,
    TimedOut,
)

NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
INWARD: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "::/96",  # IPv4 addresses as IPv6 had them before they were mapped
            "64:ff9b:1::/48",  # a network's own translation to IPv4
            "fec0::/10",  # site-local, of old
            "3fff::/20",
            "5f00::/16",
            "192.0.0.0/24",  # a cloud's metadata lies here
        ),
    )
)
"""What Python takes for anybody's, and is a network's own."""


class AiohttpClient:
    """Makes any call; its session is opened by the first."""

    def __init__(self, connections: int, largest: int, *, public_only: bool = False) -> None:
        self._connections, self._largest, self._public_only = connections, largest, public_only
        self._session: aiohttp.ClientSession | None = None

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""
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
        if self._public_only and _is_literal(call.url):
            raise ConnectionFailed("an address and no name")
        session = self._open()
        options: dict[str, Any] = {"headers": call.headers, "data": call.body or None}
        options["timeout"] = _limits(call.timeout)
        async with session.request(call.method, call.url, allow_redirects=False, **options) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, await self._bounded(response))

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=self._connections,
                keepalive_timeout=KEPT_SECONDS,
                resolver=PublicResolver() if self._public_only else None,
            )
            # No cookie jar: what one tenant's vendor sets must not travel with another tenant's call.
            jar = aiohttp.DummyCookieJar()
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=jar, trust_env=False)
        return self._session

    async def _bounded(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_chunked(64 * 1024):
            body += chunk
            if len(body) > self._largest:
                raise ConnectionBroken(f"the answer is longer than {self._largest} bytes")
        return bytes(body)


class PublicResolver(AbstractResolver):
    """Names of the public network: one that leads inward leads nowhere; what is judged is connected to."""

    def __init__(self, resolver: AbstractResolver | None = None) -> None:
        self._resolver = resolver or aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a name that anybody could reach."""
        found = await self._resolver.resolve(host, port, family)
        public = [each for each in found if is_public(each["host"])]
        if not public:
            raise OSError("a name of the vendor's leads to no public address")
        return public

    async def close(self) -> None:
        """Close what it asks."""
        await self._resolver.close()


def is_public(address: str) -> bool:
    """Return whether an address is anybody's to reach, also where it is another in disguise."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        nat64 = _last_four(found) if found in NAT64 else None
        found = found.ipv4_mapped or found.sixtofour or nat64 or found
    inward = any(found.version == each.version and found in each for each in INWARD)
    return found.is_global and not found.is_multicast and not inward


def _last_four(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(address.packed[-4:])


def _is_literal(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return ":" in host or host.rpartition(".")[2].isdecimal()


def _limits(total: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=total, sock_connect=min(CONNECT_SECONDS, total))
