"""The embedded bus keeps the port's promises on the real machine, over real sockets."""

import pytest

from infra.local.bus import Bus, SubscriptionSpec, TopicSpec
from tests.contract.bus.desk import desk
from tests.contract.bus.port import DEAD, BusPort, texts
from tests.contract.delivery.machine import machine


class EmbeddedSetting:
    """A bus on a file, and a desk that it pushes to."""

    def __init__(self, means, desk):
        self._means, self.desk, self.bus = means, desk, None

    async def listen(self, *wanted):
        self._specs = [self._spec(each) for each in wanted]
        self.bus = Bus(self._means, [TopicSpec("bookings"), TopicSpec(DEAD)], self._specs)
        self.bus.start()

    async def reopen(self):
        await self.bus.stop()
        self.bus = Bus(self._means, [TopicSpec("bookings"), TopicSpec(DEAD)], self._specs)
        self.bus.start()

    async def publish(self, text, *, key=""):
        return await self.bus.publish("bookings", texts(text, key=key))

    def _spec(self, wanted):
        url = f"{self.desk.url}/{wanted.name}"
        dead = {"max_attempts": 5, "dead_letter_topic": DEAD} if wanted.dead_lettered else {}
        return SubscriptionSpec(
            name=wanted.name, topic=wanted.topic, push_url=url, audience=url, caller="bus@hotel",
            ordered=wanted.ordered, filter=wanted.filter, min_backoff=0.01, max_backoff=0.05, **dead,
        )  # fmt: skip


class TestEmbeddedBusPort(BusPort):
    """The bus on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with machine(tmp_path) as means, desk() as opened:
            setting = EmbeddedSetting(means, opened)
            yield setting
            await setting.bus.stop()
