"""The bus in memory: everything published is delivered at least once, in whatever order the weather likes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from infra.local import wiring
from shared.ports.bus import Message, UnknownTopic
from shared.ports.bus_limits import check_publish
from shared.ports.documents import StorageFull
from tests.chaos.small_world.documents import Unheard
from tests.chaos.small_world.fate import Air

ACKNOWLEDGED = (102, 200, 201, 202, 204)
MOST_ATTEMPTS = 20
TOPICS = frozenset(spec.name for spec in wiring.topics())


@dataclass(frozen=True, slots=True)
class Published:
    """A message that the bus has kept."""

    number: int
    topic: str
    message: Message
    at: float


class MemoryBus:
    """Durable topics; `push` delivers to a function and returns its status, `spawn` lets things happen."""

    def __init__(self, subscriptions: Mapping[str, list[str]], air: Air, push, spawn):
        self._subscriptions, self.air, self._push, self._spawn = subscriptions, air, push, spawn
        self.log: list[Published] = []
        self.first_pushed: dict[int, float] = {}
        self.first_acked: dict[int, float] = {}
        self.given_up: list[Published] = []

    async def publish(self, topic, messages):
        """Keep all messages, or raise and keep none; but an answer may be lost."""
        if topic not in TOPICS:
            raise UnknownTopic(f"no topic {topic!r}")
        check_publish(messages)
        weather = self.air.weather
        await self.air.passes(f"bus.publish {topic} {_shown(messages)}")
        if weather.strikes("full"):
            raise StorageFull("the bus has no room")
        ids = tuple(str(self.keep(topic, message)) for message in messages)
        await self.air.passes("bus.published")
        if weather.strikes("unheard"):
            raise Unheard("the answer to a publish was lost")
        return ids

    def keep(self, topic, message):
        """Keep one message and begin to deliver it."""
        kept = Published(len(self.log) + 1, topic, message, self.air.weather.time())
        self.log.append(kept)
        for function in self._subscriptions.get(topic, ()):
            for _ in range(2 if self.air.weather.strikes("push-doubled") else 1):
                self._spawn(self._deliver(function, kept))
        return kept.number

    async def _deliver(self, function, kept):
        weather = self.air.weather
        attempt = calm = 0
        while calm < MOST_ATTEMPTS:
            attempt, calm = attempt + 1, calm + (not weather.storming)
            most = 2.0 * 2 ** min(attempt, 4) if attempt > 1 else weather.climate.slow / 4
            await asyncio.sleep(weather.chance.uniform(0, most))
            if weather.strikes("push-lost"):
                continue
            self.first_pushed.setdefault(kept.number, weather.time())
            status = await self._push(function, kept)
            if status in ACKNOWLEDGED:
                self.first_acked.setdefault(kept.number, weather.time())
                if not weather.strikes("ack-lost"):
                    return
        self.given_up.append(kept)


def _shown(messages):
    return ",".join(message.attributes.get("sequence", "?") for message in messages)


def event_of(kept):
    """Return the event that a message carries."""
    return orjson.loads(kept.message.data)
