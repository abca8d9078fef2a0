"""Somebody whom messages are pushed to: over a real socket, by whichever bus is under test."""

import asyncio
from contextlib import asynccontextmanager

from aiohttp import web

from shared.runtime.delivery import decode_push
from tests.contract.delivery.sockets import listening

LONGEST_WAIT = 15


class Desk:
    """Answers as it is told, and remembers what it was given."""

    def __init__(self):
        self.url, self.deliveries, self.headers = "", [], []
        self.answer = lambda _: 204
        self._received = asyncio.Condition()

    async def receive(self, request):
        delivery = decode_push(await request.read())
        self.deliveries.append(delivery)
        self.headers.append(request.headers)
        async with self._received:
            self._received.notify_all()
        return web.Response(status=self.answer(delivery))

    async def until(self, holds, within=LONGEST_WAIT):
        """Wait for what must come."""
        async with asyncio.timeout(within), self._received:
            await self._received.wait_for(lambda: holds(self))

    def texts(self, subscription="on-booking"):
        """Return what was pushed for a subscription, in order."""
        return [
            each.data.decode() for each in self.deliveries if each.subscription.endswith(f"/{subscription}")
        ]


@asynccontextmanager
async def desk():
    """Yield a desk that is open."""
    opened = Desk()
    async with listening(opened.receive) as url:
        opened.url = url
        yield opened
