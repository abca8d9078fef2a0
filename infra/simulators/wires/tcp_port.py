"""A property system on loopback: whoever connects is talked to, and the newest connection wins."""

import asyncio
from typing import Any, Self

from infra.simulators.wires.device import Answer


class TcpPort:
    """A listening system, from entering to leaving; `say` speaks first, `cut` ends the connection."""

    def __init__(self, device: Any, piece: int = 0) -> None:
        self.device, self.piece = device, piece
        self.port = 0
        self.connections = 0
        self._newest: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self.cut()
        await self._server.wait_closed()

    async def say(self, answer: Answer) -> None:
        """Send something unasked."""
        if self._newest is not None:
            await self._write(self._newest, [answer])

    async def cut(self) -> None:
        """End the connection."""
        writer, self._newest = self._newest, None
        if writer is not None:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.cut()
        self._newest = writer
        self.connections += 1
        await self._write(writer, self.device.greeting())
        try:
            while data := await reader.read(4096):
                await self._write(writer, self.device.receive(data))
                if getattr(self.device, "hang_up", False):
                    break
        except ConnectionError:
            return
        finally:
            writer.close()

    async def _write(self, writer: asyncio.StreamWriter, answers: list[Answer]) -> None:
        for answer in answers:
            size = self.piece or len(answer.data) or 1
            for at in range(0, len(answer.data), size):
                writer.write(answer.data[at : at + size])
                await writer.drain()
