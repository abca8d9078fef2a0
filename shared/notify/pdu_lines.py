"""Lines to SMS centres: sockets, under TLS, each PDU whole and within its time."""

import asyncio
import ssl

from shared.notify.mail_lines import CONNECT_SECONDS
from shared.notify.smpp_pdu import HEADER, LONGEST


class PduSocket:
    """A line over a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def say(self, pdu: bytes) -> None:
        """Send a PDU."""
        async with asyncio.timeout(CONNECT_SECONDS):
            self._writer.write(pdu)
            await self._writer.drain()

    async def hear(self, within: float) -> bytes:
        """Return the next PDU, or raise TimeoutError; EOFError where the centre hung up."""
        async with asyncio.timeout(within):
            head = await self._reader.readexactly(4)
        size = int.from_bytes(head)
        if not HEADER <= size <= LONGEST:
            raise ConnectionError("a PDU that is none")
        async with asyncio.timeout(CONNECT_SECONDS):
            return head + await self._reader.readexactly(size - len(head))

    async def hang_up(self) -> None:
        """End the call."""
        self._writer.close()


class PduSockets:
    """Opens lines over the network."""

    async def open(self, host: str, port: int, *, encrypted: bool) -> PduSocket:
        """Return a line, or raise OSError."""
        around = ssl.create_default_context() if encrypted else None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(host, port, ssl=around)
        except (ValueError, OverflowError):
            raise ConnectionError("no name of a machine, or no port") from None
        return PduSocket(reader, writer)
