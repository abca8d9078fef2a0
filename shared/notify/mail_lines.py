"""Lines to mail servers: sockets, under TLS, each step within its time."""

import asyncio
import ssl
from typing import Final

CONNECT_SECONDS: Final = 10.0
STEP_SECONDS: Final = 30.0
LONGEST_LINE: Final = 4096


class SocketLine:
    """A line over a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def say(self, line: bytes) -> None:
        """Send bytes."""
        async with asyncio.timeout(STEP_SECONDS):
            self._writer.write(line)
            await self._writer.drain()

    async def hear(self) -> bytes:
        """Return the next line with its end; TimeoutError is an OSError, and so is a line that broke."""
        async with asyncio.timeout(STEP_SECONDS):
            line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("the mail server hung up")
        return line

    async def encrypt(self, host: str) -> None:
        """Go on under TLS, with a server that proves to be this host."""
        async with asyncio.timeout(STEP_SECONDS):
            await self._writer.start_tls(ssl.create_default_context(), server_hostname=host)

    async def hang_up(self) -> None:
        """End the call; whatever was to be said was said."""
        self._writer.close()


class SocketLines:
    """Opens lines over the network."""

    async def open(self, host: str, port: int, *, encrypted: bool) -> SocketLine:
        """Return a line, or raise OSError."""
        around = ssl.create_default_context() if encrypted else None
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(host, port, ssl=around, limit=LONGEST_LINE)
        return SocketLine(reader, writer)
