"""Calls through aiohttp: encrypted ones, and whatever is out of the ordinary."""

from typing import Any

import aiohttp

from shared.vendor_kit.http import (
    CONNECT_SECONDS,
    KEPT_SECONDS,
    Answer,
    Call,
    ConnectionBroken,
    ConnectionFailed,
    TimedOut,
)


class AiohttpClient:
    """Makes any call; its session is opened by the first."""

    def __init__(self, connections: int, largest: int) -> None:
        self._connections, self._largest = connections, largest
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
        session = self._open()
        options: dict[str, Any] = {"headers": call.headers, "data": call.body or None}
        options["timeout"] = _limits(call.timeout)
        async with session.request(call.method, call.url, allow_redirects=False, **options) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, await self._bounded(response))

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=KEPT_SECONDS)
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


def _limits(total: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=total, sock_connect=min(CONNECT_SECONDS, total))
