"""What was set aside on the emulator, as the control plane looks at it: told by a subscription of its own."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace
from typing import Final

from shared.gcp.dead_letters import parked_message
from shared.ports.dead_letters import PULLED, DeadLetters, ParkedMessage
from shared.runtime.delivery import Delivery

MOST_SHOWN: Final = 10_000


class ParkedMessages:
    """The messages of parked topics; replaying and discarding is done by the port, where they lie."""

    def __init__(self, port: DeadLetters) -> None:
        self._port = port
        self._sources = {topic: source for source, topic in PULLED.items()}
        self._shown: dict[str, ParkedMessage] = {}

    async def recall(self) -> None:
        """Look at what an earlier process left."""
        for each in await self._port.waiting(limit=1000):
            number = each.id.rpartition("/")[2]
            self._shown[number] = replace(each, id=number)

    def put(self, topic: str, delivery: Delivery, now: datetime) -> None:
        """Show one more."""
        told = SimpleNamespace(
            attributes=delivery.attributes,
            message_id=delivery.message_id,
            ordering_key=delivery.ordering_key,
            publish_time=now,
            data=delivery.data,
        )
        shown = parked_message(self._sources[topic], topic, told)
        self._shown[delivery.message_id] = replace(shown, id=delivery.message_id)
        while len(self._shown) > MOST_SHOWN:
            self._shown.pop(next(iter(self._shown)))

    def page(self, *, topic: str | None = None, after: str = "0", limit: int = 100) -> list[ParkedMessage]:
        """Return messages in the order they were set aside, from beyond the id `after`."""
        numbers = sorted(int(number) for number in self._shown if int(number) > int(after))
        found = (self._shown[str(number)] for number in numbers)
        return [each for each in found if topic in (None, each.topic)][:limit]

    def count(self, *, topic: str | None = None) -> int:
        """Return how many wait for a person."""
        return sum(topic in (None, each.topic) for each in self._shown.values())

    async def replay(self, ids: Sequence[str] | None = None, *, topic: str | None = None) -> int:
        """Deliver again, in the order of publishing."""
        replayed = await self._port.replay(None if ids is None else self._placed(ids), topic=topic)
        self._forget([each.id for each in self.page(topic=topic, limit=MOST_SHOWN)] if ids is None else ids)
        return replayed

    async def discard(self, ids: Sequence[str]) -> int:
        """Forget for ever."""
        discarded = await self._port.discard(self._placed(ids))
        self._forget(ids)
        return discarded

    def _placed(self, ids: Sequence[str]) -> list[str]:
        known = (self._shown[number] for number in ids if number in self._shown)
        return [f"{self._sources[each.topic]}/{each.id}" for each in known]

    def _forget(self, ids: Sequence[str]) -> None:
        for number in ids:
            self._shown.pop(number, None)
