"""Posting a form to an address on this machine: all that the simulator's callbacks need of HTTP."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

from infra.simulators.ttlock.guard import LOOPBACK

PATIENCE_SECONDS = 10


async def post_form(url: str, form: Mapping[str, str]) -> tuple[int, bytes]:
    """Return status and body; raise OSError when nobody answers, or the address is elsewhere."""
    parts = urlsplit(url)
    if parts.scheme != "http" or (parts.hostname or "") not in {name.strip("[]") for name in LOOPBACK}:
        raise OSError("callbacks go to loopback only")
    body = urlencode(form).encode()
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    head = (
        f"POST {target} HTTP/1.1\r\nhost: {parts.netloc}\r\nconnection: close\r\n"
        f"content-type: application/x-www-form-urlencoded\r\ncontent-length: {len(body)}\r\n\r\n"
    )
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
