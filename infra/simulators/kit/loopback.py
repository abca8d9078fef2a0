"""This machine only: whom a simulator answers, and where its callbacks go."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PATIENCE_SECONDS = 10
Headers = Mapping[bytes, bytes]


class Guard:
    """Judges Host and Origin, to keep web pages out; without an authority it lets everything pass."""

    def __init__(self, authority: str | None) -> None:
        port = (authority or "").rpartition(":")[2]
        names = [f"{name}:{port}" for name in LOOPBACK] if authority else []
        self._hosts = frozenset(name.encode() for name in names)
        self._origins = frozenset(f"http://{name}".encode() for name in names)

    def refusal(self, headers: Headers) -> int | None:
        """Return the status of a refusal, or nothing."""
        if not self._hosts:
            return None
        if headers.get(b"host") not in self._hosts:
            return 421
        return 403 if headers.get(b"origin", b"") not in {b"", *self._origins} else None


async def post(url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
    """Return status and body; raise OSError when nobody answers, or the address is elsewhere."""
    parts = urlsplit(url)
    if parts.scheme != "http" or (parts.hostname or "") not in {name.strip("[]") for name in LOOPBACK}:
        raise OSError("callbacks go to loopback only")
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    own = {"host": parts.netloc, "connection": "close", "content-length": str(len(body))}
    lines = [f"{name}: {value}\r\n" for name, value in {**own, **headers}.items()]
    head = f"POST {target} HTTP/1.1\r\n{''.join(lines)}\r\n"
    async with asyncio.timeout(PATIENCE_SECONDS):
        return _parsed(await _exchange(parts.hostname or "", parts.port or 80, head.encode() + body))


async def _exchange(host: str, port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(request)
        await writer.drain()
        return await reader.read()
    finally:
        writer.close()


def _parsed(answer: bytes) -> tuple[int, bytes]:
    head, separator, body = answer.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if not separator or len(words) < 2 or not words[1].isdigit():
        raise ConnectionError("that was no HTTP answer")
    return int(words[1]), body
