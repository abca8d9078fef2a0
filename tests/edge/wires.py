"""Wires of a test: a codec's link and a simulated device, in one process and without waiting."""

import asyncio

from edge_agent.hardware.errors import LinkLost


class DirectLink:
    """A link to a device at once, in pieces of a size, with noise before each answer."""

    def __init__(self, device, piece=None, noise=b"", stale=b""):
        self._device, self._piece, self._noise = device, piece, noise
        self._coming = asyncio.Queue()
        self.sent = []
        self.lost = False
        if stale:
            self._coming.put_nowait(stale)

    async def send(self, data):
        if self.lost:
            raise LinkLost("unplugged")
        self.sent.append(data)
        for answer in self._device.receive(data):
            for part in pieces(self._noise + answer.data, self._piece):
                self._coming.put_nowait(part)

    async def receive(self):
        if self.lost:
            raise LinkLost("unplugged")
        return await self._coming.get()

    def discard(self):
        while not self._coming.empty():
            self._coming.get_nowait()

    async def close(self):
        self.lost = True


def pieces(data, size):
    """Return data in pieces of a size, or whole."""
    return [data[at : at + size] for at in range(0, len(data), size)] if size else [data]


def fed(reader, data, size=None):
    """Return the events of a reader that gets data in pieces."""
    return [event for part in pieces(data, size) for event in reader.feed(part)]
