"""The setting of the bus contract: topics, subscriptions, messages, a bus that can be ended and reborn."""

from infra.local.bus import Bus, SubscriptionSpec, TopicSpec
from shared.ports.bus import Message
from tests.support.delivery_rig import World, play

TOPICS = (TopicSpec("bookings"), TopicSpec("bookings-dead"), TopicSpec("quarantine", parked=True))


GRAVE = "http://fleet.local/grave"


def subscription(**changes):
    fields = {
        "name": "on-booking",
        "topic": "bookings",
        "push_url": "http://fleet.local/on-booking",
        "audience": "http://fleet.local/on-booking",
        "caller": "bus@hotel",
        "ordered": True,
        "min_backoff": 1.0,
        "max_backoff": 8.0,
    }
    return SubscriptionSpec(**{**fields, **changes})


def with_dead_letter(**changes):
    return subscription(**{"max_attempts": 5, "dead_letter_topic": "bookings-dead", **changes})


def messages(*texts, key=""):
    return [Message(text.encode(), ordering_key=key) for text in texts]


def numbered(count, key=""):
    return messages(*(f"{key}{number}" for number in range(count)), key=key)


class BusSetting:
    """Plays scenarios on the implementation under test, in virtual time."""

    make = staticmethod(Bus)

    def play(self, folder, scenario, *specs, seed=None, chaos=None, topics=TOPICS):
        async def run(world: World):
            bus = self.make(world.means, topics, specs or (subscription(),), chaos and chaos(world))
            bus.start()
            await scenario(world, bus)
            await bus.stop()
            await world.close()

        play(folder, run, seed=seed)

    async def reborn(self, world, bus, *specs, clean=True):
        await bus.stop()
        if clean:
            await world.close()
        else:
            world.crash()
        world.open()
        fresh = self.make(world.means, TOPICS, specs or (subscription(),))
        fresh.start()
        return fresh

    async def killed(self, world, bus, *specs):
        """End as kill -9 does: no clean-up is seen by the disk."""
        lazily, world.engine.write_soon = world.engine.write_soon, lambda _: None
        await bus.stop()
        world.engine.write_soon = lazily
        world.crash()
        world.open()
        fresh = self.make(world.means, TOPICS, specs)
        fresh.start()
        return fresh
