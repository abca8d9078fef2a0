"""Pub/Sub around the fleet: the topics and subscriptions that Terraform makes, pushed to the functions."""

import asyncio
import base64
from contextlib import asynccontextmanager
from types import SimpleNamespace

import orjson
from aiohttp import web

from infra.emulated.topics import Administrator
from infra.local import wiring
from infra.manifest.model import PUSHER
from shared.runtime.delivery import decode_push
from tests.contract.delivery.sockets import listening

CREDENTIAL = "melmastoon.lock.credential."
OVERHEARD = "overheard"


class Post:
    """Takes what is pushed to the function it is for, with the token that the emulator leaves out."""

    def __init__(self, settings, internet, address):
        self._settings, self._internet, self._address = settings, internet, address
        self.heard, self._news = [], asyncio.Condition()
        self.spared = frozenset()
        """The functions that are not called: what is pushed to them is taken, and nothing becomes of it."""

    @asynccontextmanager
    async def opened(self, manifest):
        """Have every topic and subscription for a while, and one of our own to each event of a key."""
        administrator = Administrator(self._address, self._settings.project)
        topics = [topic.name for topic in wiring.topics()]
        async with listening(self._pushed) as url:
            await asyncio.gather(*map(administrator.create_topic, topics))
            for each in [*wiring.subscriptions(manifest, url), *_ears(topics, f"{url}/{OVERHEARD}")]:
                await administrator.subscribe(each, each.push_url, "")
            try:
                yield
            finally:
                await administrator.close()

    async def deliver(self, function, message):
        """Push a message as Pub/Sub does, without the emulator in between."""
        data = base64.b64encode(message.data).decode()
        envelope = {"message": {"data": data, "messageId": "1", "attributes": {}}, "subscription": function}
        return await self._internet.call(function, orjson.dumps(envelope), caller=PUSHER)

    async def told(self, word, times=1):
        """Return the events of this word once there are so many."""
        async with asyncio.timeout(20), self._news:
            await self._news.wait_for(lambda: len(self.of(word)) >= times)
        return self.of(word)

    def of(self, word):
        """Return the events heard whose subject ends in a word: each once, whatever is repeated."""
        events = {event["id"]: event for event in self.heard if event["subject"].split(".")[-2] == word}
        return list(events.values())

    async def _pushed(self, request):
        name, body = request.path.strip("/"), await request.read()
        if name in self.spared:
            return web.Response(status=204)
        if name != OVERHEARD:
            answer = await self._internet.call(name, body, caller=PUSHER)
            return web.Response(status=answer.status)
        self.heard.append(orjson.loads(decode_push(body).data))
        async with self._news:
            self._news.notify_all()
        return web.Response(status=204)


def _ears(topics, url):
    of_keys = [topic for topic in topics if topic.startswith(CREDENTIAL)]
    return [
        SimpleNamespace(name=f"{OVERHEARD}-{number}", topic=topic, ordered=True, filter="", push_url=url)
        for number, topic in enumerate(of_keys)
    ]
