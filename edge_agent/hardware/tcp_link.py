"""A TCP connection as a link."""

import asyncio
from contextlib import suppress

from edge_agent.hardware.errors import LinkLost

CONNECT_SECONDS = 5.0
AT_ONCE = 4096
GONE = "the other end closed the connection"


class TcpLink:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, data: bytes) -> None:
        """Hand bytes to the connection."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise LinkLost(GONE) from error

    async def receive(self) -> bytes:
        """Wait for at least one byte."""
        try:
            data = await self._reader.read(AT_ONCE)
        except OSError as error:
            raise LinkLost(GONE) from error
        if not data:
            raise LinkLost(GONE)
        return data

    def discard(self) -> None:
        """Drop nothing: a connection keeps its order, and what came belongs to what was asked."""

    async def close(self) -> None:
        """Close the connection."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


async def open_tcp(host: str, port: int) -> TcpLink:
    """Connect, or raise LinkLost."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return TcpLink(*await asyncio.open_connection(host, port))
    except (OSError, TimeoutError) as error:
        raise LinkLost("nobody answers at the address of the property's system") from error
