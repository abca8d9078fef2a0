"""Pub/Sub keeps the bus's promises, on Google's emulator of it."""

import asyncio

import pytest

from infra.emulated.topics import Administrator
from shared.gcp.bus import PubSubBus
from tests.contract.bus.desk import desk
from tests.contract.bus.port import DEAD, BusPort, texts
from tests.contract.failing import failure_of
from tests.emulators import deviations
from tests.emulators.google import OnGoogle


async def pubsub_bus(google):
    return PubSubBus(google.clients.of("pubsub"), google.settings.project)


class PubSubSetting(OnGoogle):
    """Topics and push subscriptions of a project, and a desk that is pushed to."""

    def __init__(self, address, desk):
        super().__init__(pubsub_bus, pubsub=address)
        self.administrator, self.desk = Administrator(address, self.settings.project), desk

    @property
    def bus(self):
        return self.subject

    async def __aenter__(self):
        await super().__aenter__()
        await asyncio.gather(*(self.administrator.create_topic(name) for name in ("bookings", DEAD)))
        return self

    async def __aexit__(self, *_):
        await self.administrator.close()
        await super().__aexit__()

    async def listen(self, *wanted):
        for each in wanted:
            await self.administrator.subscribe(
                each, f"{self.desk.url}/{each.name}", DEAD if each.dead_lettered else ""
            )

    async def publish(self, text, *, key=""):
        return await self.bus.publish("bookings", texts(text, key=key))


@pytest.fixture
async def setting(pubsub_emulator):
    async with desk() as opened, PubSubSetting(pubsub_emulator, opened) as setting:
        yield setting


class TestPubSubBus(deviations.without(BusPort, deviations.BUS)):
    """The bus on Pub/Sub."""


async def test_what_a_pull_subscription_kept_is_pushed_in_order_once_its_function_comes(setting):
    """What decision 0044 rests on: the subscription that keeps a subject becomes its function's own."""
    await setting.administrator.keep("on-shift-started", "bookings")
    for number in range(5):
        await setting.publish(f"A{number}", key="A")
    await setting.administrator.hand_over("on-shift-started", f"{setting.desk.url}/on-shift-started")
    await setting.publish("A5", key="A")
    await setting.desk.until(lambda desk: len(desk.deliveries) == 6)
    assert setting.desk.texts("on-shift-started") == [f"A{number}" for number in range(6)]


@pytest.mark.parametrize("guarantee", deviations.BUS)
async def test_a_deviation_of_the_emulator_is_still_one(setting, guarantee):
    assert await failure_of(getattr(BusPort(), guarantee), setting, refusal=TimeoutError)
