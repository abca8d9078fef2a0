"""Dead letters keep their promises: on the embedded bus, on Pub/Sub's emulator; broken ones are caught."""

import asyncio
import dataclasses
from contextlib import asynccontextmanager

import pytest

from infra.emulated.topics import Administrator
from infra.local.bus import Bus, SubscriptionSpec, TopicSpec
from infra.local.operations import LocalDeadLetters
from shared.gcp.bus import PubSubBus
from shared.gcp.dead_letters import PubSubDeadLetters
from shared.ports.bus import Message
from shared.ports.dead_letters import DEAD_LETTER_TOPIC, QUARANTINE_TOPIC, ReplayRefused
from tests.contract.bus.desk import desk
from tests.contract.bus.port import Wanted
from tests.contract.dead_letters.suite import KEEPER, SHIFTS, DeadLettersContract
from tests.contract.delivery.machine import machine
from tests.emulators.google import OnGoogle

CAUGHT = (AssertionError, pytest.fail.Exception)


class Sides:
    """What sets messages aside, whatever the bus."""

    async def quarantine(self, data, reason, *, key="", source="on-booking", **attributes):
        notes = {"subscription": f"projects/hotel/subscriptions/{source}", "reason": reason}
        await self.bus.publish(QUARANTINE_TOPIC, [Message(data, {**attributes, **notes}, key)])

    async def keep(self, data):
        await self.bus.publish(SHIFTS, [Message(data)])

    async def delivered(self, count):
        await self.desk.until(lambda desk: len(desk.deliveries) >= count)


class EmbeddedSetting(Sides):
    """A bus on a file, with a desk that it pushes to."""

    def __init__(self, parts, desk, make=LocalDeadLetters):
        url = f"{desk.url}/on-booking"
        spec = SubscriptionSpec(
            name="on-booking", topic="bookings", push_url=url, audience=url, caller="bus@hotel",
            ordered=True, min_backoff=0.01, max_backoff=0.05,
        )  # fmt: skip
        parked = [TopicSpec(name, parked=True) for name in (QUARANTINE_TOPIC, DEAD_LETTER_TOPIC)]
        self.desk = desk
        self.bus = Bus(parts, [TopicSpec("bookings"), TopicSpec(SHIFTS, kept_for=KEEPER), *parked], [spec])
        self.subject = make(self.bus.dead_letters)


@asynccontextmanager
async def embedded(folder, make=LocalDeadLetters):
    async with machine(folder) as parts, desk() as opened:
        setting = EmbeddedSetting(parts, opened, make)
        setting.bus.start()
        try:
            yield setting
        finally:
            await setting.bus.stop()


class TestEmbeddedDeadLetters(DeadLettersContract):
    """Dead letters on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with embedded(tmp_path) as setting:
            yield setting


class PubSubSetting(Sides, OnGoogle):
    """Topics of a project, what is pushed, and what is pulled."""

    def __init__(self, address, desk):
        super().__init__(self._dead_letters, pubsub=address, subscriber=address)
        self.settings = dataclasses.replace(self.settings, kept=((KEEPER, SHIFTS),))
        self._administrator, self.desk = Administrator(address, self.settings.project), desk

    async def _dead_letters(self, _):
        self.bus = PubSubBus(self.clients.of("pubsub"), self.settings.project)
        return PubSubDeadLetters(self.clients.of("subscriber"), self.bus, self.settings)

    async def __aenter__(self):
        await super().__aenter__()
        topics = ("bookings", SHIFTS, QUARANTINE_TOPIC, DEAD_LETTER_TOPIC)
        await asyncio.gather(*map(self._administrator.create_topic, topics))
        await self._administrator.subscribe(Wanted(), f"{self.desk.url}/on-booking", "")
        pulled = {"quarantine": QUARANTINE_TOPIC, "dead-letter": DEAD_LETTER_TOPIC, KEEPER: SHIFTS}
        for name, topic in pulled.items():
            await self._administrator.keep(name, topic)
        return self

    async def __aexit__(self, *_):
        await self._administrator.close()
        await super().__aexit__()


@pytest.fixture
async def setting(pubsub_emulator, monkeypatch):
    monkeypatch.setattr(
        "shared.gcp.dead_letters.LOOK_SECONDS", 1.0
    )  # so long an empty subscription is looked at
    async with desk() as opened, PubSubSetting(pubsub_emulator, opened) as setting:
        yield setting


class TestPubSubDeadLetters(DeadLettersContract):
    """Dead letters on Pub/Sub."""


async def test_a_dead_letter_is_told_with_where_and_when_it_was_published(setting):
    source = {
        "CloudPubSubDeadLetterSourceSubscription": "on-booking",
        "CloudPubSubDeadLetterSourceDeliveryCount": "100",
        "CloudPubSubDeadLetterSourceTopicPublishTime": "2026-05-01T09:00:00.000+00:00",
    }
    # The emulator lets nobody but itself say so; its own say is tested with the bus.
    await setting.bus.publish(DEAD_LETTER_TOPIC, [Message(b"bad", {"tenant": "tnt_1", **source})])
    (found,) = await setting.subject.waiting()
    assert (found.subscription, found.reason) == ("on-booking", "never taken")
    assert found.published_at.isoformat() == "2026-05-01T09:00:00+00:00"
    assert dict(found.attributes) == {"tenant": "tnt_1"}
    assert await setting.subject.replay() == 1
    await setting.delivered(1)
    assert setting.desk.deliveries[0].attributes == {"tenant": "tnt_1"}


async def test_what_names_no_source_can_only_be_discarded(setting):
    await setting.bus.publish(QUARANTINE_TOPIC, [Message(b"bad", {"reason": "bad"})])
    (found,) = await setting.subject.waiting()
    with pytest.raises(ReplayRefused, match="names no subscription"):
        await setting.subject.replay()
    assert await setting.subject.discard([found.id]) == 1


async def test_a_replay_that_breaks_off_forgets_nothing_that_was_not_published(setting, monkeypatch):
    for word in (b"a", b"b"):
        await setting.quarantine(word, "bad")
    publish, published = setting.bus.publish, []

    async def once(topic, messages):
        if published:
            raise ConnectionError
        published.append(messages)
        return await publish(topic, messages)

    monkeypatch.setattr(setting.bus, "publish", once)
    with pytest.raises(ConnectionError):
        await setting.subject.replay()
    assert [each.data for each in await setting.subject.waiting()] == [b"b"]


class Newest(LocalDeadLetters):
    async def waiting(self, *, topic=None, limit=100):
        return [*reversed(await super().waiting(topic=topic, limit=limit))]


class Takes(LocalDeadLetters):
    async def waiting(self, *, topic=None, limit=100):
        found = await super().waiting(topic=topic, limit=limit)
        await self.discard([each.id for each in found])
        return found


class EveryTopic(LocalDeadLetters):
    async def waiting(self, *, topic=None, limit=100):
        return await super().waiting(limit=limit)


class ReplaysAll(LocalDeadLetters):
    async def replay(self, ids=None, *, topic=None):
        return await super().replay(topic=topic)


class Discards(LocalDeadLetters):
    async def replay(self, ids=None, *, topic=None):
        found = [each.id for each in await self.waiting() if not each.kept]
        return await self.discard(found if ids is None else ids)


class DiscardsAll(LocalDeadLetters):
    async def discard(self, ids):
        return await super().discard([each.id for each in await self.waiting()])


class Reads(LocalDeadLetters):
    """Cannot tell what is kept from what is bad."""

    async def waiting(self, *, topic=None, limit=100):
        found = await super().waiting(topic=topic, limit=limit)
        return [dataclasses.replace(each, reason="bad") for each in found]


BROKEN = {
    "newest first": (Newest, "test_what_waits_longest_comes_first"),
    "takes what it shows": (Takes, "test_looking_takes_nothing_away"),
    "every topic": (EveryTopic, "test_one_topic_is_listed_alone"),
    "replays all": (ReplaysAll, "test_a_replay_of_some_leaves_the_others"),
    "replays what is kept": (Discards, "test_what_is_kept_is_refused_a_replay_and_nothing_is_replayed"),
    "discards all": (DiscardsAll, "test_what_is_discarded_is_gone_for_ever_and_nothing_else"),
    "knows no keeping": (Reads, "test_what_is_kept_for_a_function_to_come_is_listed_as_that"),
}


@pytest.mark.parametrize(("kind", "guarantee"), BROKEN.values(), ids=list(BROKEN))
async def test_broken_dead_letters_fail_their_guarantee(tmp_path, kind, guarantee):
    async with embedded(tmp_path, kind) as setting:
        with pytest.raises(CAUGHT):
            await getattr(DeadLettersContract(), guarantee)(setting)
