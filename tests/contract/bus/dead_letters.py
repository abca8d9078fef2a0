"""Bus contract: what becomes of messages that never succeed."""

import asyncio

import pytest

from infra.local.bus import MalformedId, ReplayRefused
from infra.local.delivery.instants import rfc3339
from infra.local.simulation.loop import BEGINNING
from shared.ports.bus import Message
from shared.ports.documents import StorageFull
from tests.contract.bus.setting import (
    GRAVE,
    BusSetting,
    messages,
    numbered,
    subscription,
    with_dead_letter,
)
from tests.support.delivery_rig import until


async def no_room(_):
    raise StorageFull


class DeadLettering(BusSetting):
    """What becomes of messages that never succeed."""

    def test_delivery_attempts_are_counted_and_end_in_the_dead_letter_topic(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda push: 500 if push.text == "bad" else 204
            (bad, *_) = await bus.publish("bookings", [Message(b"bad", {"tenant": "tnt_1"}, "A")])
            await bus.publish("bookings", messages("next", key="A"))
            await until(lambda: "next" in world.receiver.texts)
            assert [each.attempt for each in world.receiver.received] == [1, 2, 3, 4, 5, 1]
            (letter,) = bus.dead_letters.page()
            assert (letter.message_id, letter.data, letter.ordering_key) == (bad, b"bad", "A")
            assert (letter.subscription, letter.reason) == ("on-booking", "answered 500")
            assert dict(letter.attributes) == {"tenant": "tnt_1"}
            assert dict(letter.notes) == {
                "CloudPubSubDeadLetterSourceSubscription": "on-booking",
                "CloudPubSubDeadLetterSourceSubscriptionProject": "hotel",
                "CloudPubSubDeadLetterSourceDeliveryCount": "5",
                "CloudPubSubDeadLetterSourceTopicPublishTime": rfc3339(int(BEGINNING.timestamp() * 1e6)),
                "deadLetterReason": "answered 500",
            }

        self.play(tmp_path, scenario, with_dead_letter())

    def test_attempts_are_counted_across_crashes_so_a_killing_message_ends_too(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 5.0
            await bus.publish("bookings", messages("killer"))
            for _ in range(7):
                await asyncio.sleep(0.02)
                bus = await self.killed(world, bus, with_dead_letter())
            await bus.idle()
            reasons = [letter.reason for letter in bus.dead_letters.page()]
            assert reasons == ["the process ended during the last attempt"]
            await bus.stop()

        self.play(tmp_path, scenario, with_dead_letter())

    def test_a_dead_letter_that_finds_no_room_is_written_later_with_its_reason(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 500
            await bus.publish("bookings", messages("bad"))
            await until(lambda: len(world.receiver.received) == 4)
            room, world.engine.write = world.engine.write, no_room
            await until(lambda: len(world.receiver.received) == 5)
            await asyncio.sleep(60)
            assert bus.dead_letters.count() == 0
            world.engine.write = room
            await until(bus.dead_letters.count)
            assert [letter.reason for letter in bus.dead_letters.page()] == ["answered 500"]
            assert len(world.receiver.received) == 5

        self.play(tmp_path, scenario, with_dead_letter())

    def test_an_id_that_is_none_is_refused(self, tmp_path):
        async def scenario(_, bus):
            with pytest.raises(MalformedId, match="'x1' is not the id of a message: take it from"):
                await bus.dead_letters.discard(["x1"])

        self.play(tmp_path, scenario)

    def test_a_dead_letter_topic_with_a_subscription_pushes_there(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda push: 204 if "undertaker" in push.json["subscription"] else 500
            await bus.publish("bookings", [Message(b"bad", {"tenant": "tnt_1"}, "A")])
            await until(lambda: any(each.call.url == GRAVE for each in world.receiver.received))
            buried = world.receiver.received[-1].json["message"]
            assert buried["attributes"]["tenant"] == "tnt_1"
            assert buried["attributes"]["CloudPubSubDeadLetterSourceSubscription"] == "on-booking"
            assert buried["orderingKey"] == "A"
            assert bus.dead_letters.page() == ()

        undertaker = subscription(name="undertaker", topic="bookings-dead", push_url=GRAVE)
        self.play(tmp_path, scenario, with_dead_letter(), undertaker)

    def test_replay_delivers_the_original_to_its_source_alone_in_publish_order(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda push: 500 if "on-booking" in push.json["subscription"] else 204
            batch = [Message(f"{n}".encode(), {"n": f"{n}"}, "A") for n in range(4)]
            ids = await bus.publish("bookings", batch)
            await until(lambda: len(bus.dead_letters.page()) == 4)
            world.receiver.answer = lambda _: 204
            world.receiver.received.clear()
            assert await bus.dead_letters.replay() == 4
            await bus.idle()
            assert {each.json["subscription"] for each in world.receiver.received} == {
                "projects/hotel/subscriptions/on-booking"
            }
            pushed = [each.json["message"] for each in world.receiver.received]
            assert [message["messageId"] for message in pushed] == list(ids)
            assert [message["attributes"] for message in pushed] == [{"n": f"{n}"} for n in range(4)]
            assert [each.attempt for each in world.receiver.received] == [1, 1, 1, 1]
            assert bus.dead_letters.page() == ()

        self.play(tmp_path, scenario, with_dead_letter(), subscription(name="also-booking"))

    def test_replay_of_chosen_messages_leaves_the_others(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 500
            await bus.publish("bookings", numbered(3))
            await until(lambda: len(bus.dead_letters.page()) == 3)
            world.receiver.answer = lambda _: 204
            first, second, third = bus.dead_letters.page()
            assert await bus.dead_letters.replay([second.id]) == 1
            await bus.idle()
            assert world.receiver.texts[-1] == second.data.decode()
            assert await bus.dead_letters.discard([first.id, "99999"]) == 1
            assert [each.id for each in bus.dead_letters.page()] == [third.id]

        self.play(tmp_path, scenario, with_dead_letter())

    def test_dead_letters_are_listed_by_topic_and_source_page_by_page(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 500
            await bus.publish("bookings", numbered(3))
            await until(lambda: len(bus.dead_letters.page()) == 6)
            assert bus.dead_letters.page(topic="quarantine") == ()
            mine = bus.dead_letters.page(subscription="on-booking")
            assert len(mine) == 3
            assert bus.dead_letters.page(subscription="on-booking", limit=2) == mine[:2]
            assert bus.dead_letters.page(subscription="on-booking", after=mine[1].id) == mine[2:]

        self.play(tmp_path, scenario, with_dead_letter(), with_dead_letter(name="also-booking"))

    def test_dead_letters_survive_a_restart(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 500
            await bus.publish("bookings", messages("bad"))
            await until(bus.dead_letters.page)
            before = bus.dead_letters.page()
            again = await self.reborn(world, bus, with_dead_letter(), clean=False)
            assert again.dead_letters.page() == before
            await again.stop()

        self.play(tmp_path, scenario, with_dead_letter())

    def test_a_quarantined_message_keeps_its_explanation_and_is_replayed_without_it(self, tmp_path):
        async def scenario(world, bus):
            explanation = {
                "subscription": "projects/hotel/subscriptions/on-booking",
                "reason": "guest.id is missing",
                "field": "guest.id",
                "remedy": "send it",
            }
            await bus.publish("quarantine", [Message(b"odd", {"tenant": "tnt_1", **explanation}, "A")])
            (letter,) = bus.dead_letters.page(topic="quarantine", subscription="on-booking")
            assert (letter.reason, dict(letter.notes)) == ("guest.id is missing", explanation)
            assert world.receiver.received == []
            assert await bus.dead_letters.replay([letter.id]) == 1
            await bus.idle()
            message = world.receiver.received[0].json["message"]
            assert message["attributes"] == {"tenant": "tnt_1"}
            assert (message["messageId"], message["orderingKey"]) == (letter.id, "A")
            assert bus.dead_letters.page() == ()

        self.play(tmp_path, scenario)

    def test_replay_to_a_subscription_that_is_gone_is_refused_whole(self, tmp_path):
        async def scenario(_, bus):
            await bus.publish("quarantine", [Message(b"a", {"subscription": "on-booking"}), Message(b"b")])
            with pytest.raises(ReplayRefused, match="no named subscription, which is not in the manifest"):
                await bus.dead_letters.replay()
            assert len(bus.dead_letters.page()) == 2

        self.play(tmp_path, scenario)
