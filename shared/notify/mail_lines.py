"""Lines to mail servers: sockets, under TLS, each step within its time.

Whatever came in the clear before a line was encrypted is nobody's word: somebody on the way may have put it
there, to be taken for the server's own. A server has nothing to say until it is spoken to again: a line that
has anything to read by then is given up (CVE-2021-38371, the injection before STARTTLS).
"""

import asyncio
import ssl
from typing import Final

from shared.ports.messengers import LineTooLong

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
        try:
            async with asyncio.timeout(STEP_SECONDS):
                line = await self._reader.readline()
        except ValueError:
            raise LineTooLong("the mail server's line is too long") from None
        if not line.endswith(b"\n"):
            raise ConnectionError("the mail server hung up")
        return line

    async def encrypt(self, host: str) -> None:
        """Go on under TLS, with a server that proves to be this host."""
        async with asyncio.timeout(STEP_SECONDS):
            await self._writer.start_tls(ssl.create_default_context(), server_hostname=host)
        if await self._has_more():
            raise ConnectionError("somebody spoke before the line was encrypted")

    async def _has_more(self) -> bool:
        """Say whether anything was heard already; what was is read without waiting."""
        try:
            async with asyncio.timeout(0):
                return await self._reader.read(1) != b""
        except TimeoutError:
            return False

    async def hang_up(self) -> None:
        """End the call; whatever was to be said was said."""
        self._writer.close()


class SocketLines:
    """Opens lines over the network."""

    async def open(self, host: str, port: int, *, encrypted: bool) -> SocketLine:
        """Return a line, or raise OSError."""
        around = ssl.create_default_context() if encrypted else None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(host, port, ssl=around, limit=LONGEST_LINE)
        except (ValueError, OverflowError):
            raise ConnectionError("no name of a machine, or no port") from None
        return SocketLine(reader, writer)
