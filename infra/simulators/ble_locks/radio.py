"""A lock's connection without a Bluetooth service: one packet of 20 bytes for each connection interval."""

import asyncio
from typing import Any

PIECE = 20


class Radio:
    """The client's end of a connection to a simulated lock."""

    def __init__(self, lock: Any, interval: float) -> None:
        self._lock, self._interval = lock, interval
        self._coming: asyncio.Queue[bytes] = asyncio.Queue()
        self.packets = 0
        lock.greeting()

    async def send(self, data: bytes) -> None:
        """Write bytes, a packet for each interval, and hear what the lock says."""
        for at in range(0, len(data), PIECE):
            await self._packet()
            for answer in self._lock.receive(data[at : at + PIECE]):
                await self._packet()
                self._coming.put_nowait(answer.data)

    async def receive(self) -> bytes:
        """Wait for a notification."""
        return await self._coming.get()

    def discard(self) -> None:
        """Drop what nobody received."""
        while not self._coming.empty():
            self._coming.get_nowait()

    async def close(self) -> None:
        """Disconnect."""

    async def _packet(self) -> None:
        self.packets += 1
        await asyncio.sleep(self._interval)
