"""What dead letters promise wherever they lie, each guarantee in a test of its name."""

import pytest

from shared.ports.dead_letters import (
    DEAD_LETTER_TOPIC,
    NO_HANDLER,
    QUARANTINE_TOPIC,
    MalformedId,
    ReplayRefused,
)

SHIFTS, KEEPER = "shifts", "on-shift-started"


class DeadLettersContract:
    """The guarantees of `shared.ports.dead_letters.DeadLetters`."""

    async def ids(self, setting, **wanted):
        return [each.id for each in await setting.subject.waiting(**wanted)]

    async def test_what_was_set_aside_is_listed_with_all_that_is_known_of_it(self, setting):
        await setting.quarantine(b"bad", "rooms: field required", key="rsv_1", tenant="tnt_1")
        (found,) = await setting.subject.waiting()
        assert (found.topic, found.subscription) == (QUARANTINE_TOPIC, "on-booking")
        assert (found.reason, found.kept) == ("rooms: field required", False)
        assert (found.data, found.ordering_key) == (b"bad", "rsv_1")
        assert dict(found.attributes) == {"tenant": "tnt_1"}
        assert found.parked_at.tzinfo is not None

    async def test_what_waits_longest_comes_first(self, setting):
        for number in range(3):
            await setting.quarantine(b"%d" % number, "bad")
        assert [each.data for each in await setting.subject.waiting()] == [b"0", b"1", b"2"]
        assert [each.data for each in await setting.subject.waiting(limit=2)] == [b"0", b"1"]

    async def test_one_topic_is_listed_alone(self, setting):
        await setting.quarantine(b"bad", "bad")
        await setting.keep(b"started")
        listed = {
            topic: [each.data for each in await setting.subject.waiting(topic=topic)]
            for topic in (QUARANTINE_TOPIC, DEAD_LETTER_TOPIC, SHIFTS)
        }
        assert listed == {QUARANTINE_TOPIC: [b"bad"], DEAD_LETTER_TOPIC: [], SHIFTS: [b"started"]}

    async def test_looking_takes_nothing_away(self, setting):
        await setting.quarantine(b"bad", "bad", key="rsv_1")
        first = await self.ids(setting)
        assert await self.ids(setting) == first != []

    async def test_a_replay_delivers_to_the_source_what_was_published_and_forgets(self, setting):
        await setting.quarantine(b"bad", "bad", key="rsv_1", tenant="tnt_1")
        assert await setting.subject.replay() == 1
        await setting.delivered(1)
        (arrived,) = setting.desk.deliveries
        assert arrived.subscription.endswith("/on-booking")
        assert (arrived.data, arrived.attributes) == (b"bad", {"tenant": "tnt_1"})
        assert await self.ids(setting) == []

    async def test_a_replay_keeps_the_order_of_publishing(self, setting):
        for number in range(5):
            await setting.quarantine(b"%d" % number, "bad", key="rsv_1")
        assert await setting.subject.replay() == 5
        await setting.delivered(5)
        assert setting.desk.texts() == ["0", "1", "2", "3", "4"]

    async def test_a_replay_of_some_leaves_the_others(self, setting):
        for word in (b"a", b"b", b"c"):
            await setting.quarantine(word, "bad")
        first, second, third = await self.ids(setting)
        assert await setting.subject.replay([third, first]) == 2
        await setting.delivered(2)
        assert sorted(setting.desk.texts()) == ["a", "c"]
        assert await self.ids(setting) == [second]

    async def test_what_is_kept_for_a_function_to_come_is_listed_as_that(self, setting):
        await setting.keep(b"started")
        (found,) = await setting.subject.waiting()
        assert (found.topic, found.subscription, found.reason) == (SHIFTS, KEEPER, NO_HANDLER)
        assert found.kept

    async def test_a_replay_of_all_leaves_alone_what_is_kept(self, setting):
        await setting.keep(b"started")
        await setting.quarantine(b"bad", "bad")
        assert await setting.subject.replay() == 1
        assert [each.data for each in await setting.subject.waiting()] == [b"started"]

    async def test_what_is_kept_is_refused_a_replay_and_nothing_is_replayed(self, setting):
        await setting.keep(b"started")
        await setting.quarantine(b"bad", "bad")
        ids = await self.ids(setting)
        with pytest.raises(ReplayRefused, match=KEEPER):
            await setting.subject.replay(ids)
        assert sorted(await self.ids(setting)) == sorted(ids)
        assert setting.desk.deliveries == []

    async def test_what_came_from_a_subscription_that_is_gone_is_refused_a_replay(self, setting):
        await setting.quarantine(b"bad", "bad", source="on-nothing")
        (id_,) = await self.ids(setting)
        with pytest.raises(ReplayRefused, match="on-nothing"):
            await setting.subject.replay([id_])
        assert await self.ids(setting) == [id_]

    async def test_what_is_discarded_is_gone_for_ever_and_nothing_else(self, setting):
        await setting.quarantine(b"a", "bad")
        await setting.keep(b"started")
        await setting.quarantine(b"b", "bad")
        found = {each.data: each.id for each in await setting.subject.waiting()}
        assert await setting.subject.discard([found[b"a"], found[b"started"]]) == 2
        assert await setting.subject.discard([found[b"a"]]) == 0
        assert await self.ids(setting) == [found[b"b"]]

    async def test_what_is_no_id_is_refused(self, setting):
        await setting.quarantine(b"a", "bad")
        for act in (setting.subject.replay, setting.subject.discard):
            with pytest.raises(MalformedId):
                await act(["x"])
        assert len(await self.ids(setting)) == 1

    async def test_what_a_message_says_is_never_printed(self, setting):
        await setting.quarantine(b"hush-hush", "bad", tenant="hush-hush")
        assert "hush" not in repr(await setting.subject.waiting())
