"""Bus contract: what publishing promises."""

import asyncio

import pytest

from shared.ports.bus import Message, MessageRefused, UnknownTopic
from tests.contract.bus.setting import (
    BusSetting,
    messages,
    numbered,
    subscription,
)


class Publishing(BusSetting):
    """What publishing promises."""

    def test_a_message_reaches_every_subscription_of_its_topic(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", messages("a"))
            await bus.idle()
            assert sorted(each.json["subscription"] for each in world.receiver.received) == [
                "projects/hotel/subscriptions/also-booking",
                "projects/hotel/subscriptions/on-booking",
            ]

        self.play(tmp_path, scenario, subscription(), subscription(name="also-booking"))

    def test_message_ids_are_unique_and_increase_within_a_topic_across_restarts(self, tmp_path):
        async def scenario(world, bus):
            ids = [*await bus.publish("bookings", numbered(3))]
            unheard = [*await bus.publish("bookings-dead", messages("nobody reads this"))]
            await bus.idle()
            again = await self.reborn(world, bus)
            ids += await again.publish("bookings", numbered(2))
            unheard += await again.publish("bookings-dead", messages("nor this"))
            await again.stop()
            for of_topic in (ids, unheard):
                assert [int(each) for each in of_topic] == sorted({int(each) for each in of_topic})

        self.play(tmp_path, scenario)

    def test_publish_keeps_all_messages_or_none(self, tmp_path):
        async def scenario(world, bus):
            with pytest.raises(MessageRefused):
                await bus.publish("bookings", [Message(b"good"), Message(b"")])
            await bus.idle()
            assert world.receiver.received == []
            assert bus.backlog() == {}

        self.play(tmp_path, scenario)

    def test_an_unknown_topic_is_refused_by_name(self, tmp_path):
        async def scenario(_, bus):
            with pytest.raises(UnknownTopic, match=r"'boookings' is not in the manifest: declare it"):
                await bus.publish("boookings", messages("a"))

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(
        ("message", "finding"),
        [
            (Message(b""), "data and attributes are both empty: give"),
            (Message(b"x" * 10_000_001), "data has 10000001: allowed are 10000000 bytes; store it"),
            (Message(b"x", {str(n): "" for n in range(101)}), "attributes has 101: allowed are 100"),
            (Message(b"x", {"k" * 257: ""}), "attributes: a name has 257: allowed are 256"),
            (Message(b"x", {"k": "v" * 1025}), r"attributes\['k'\] has 1025: allowed are 1024"),
            (Message(b"x", {"": "v"}), "attributes has an empty name"),
            (Message(b"x", {"googclient": "v"}), "begins with goog, which is reserved"),
            (Message(b"x", ordering_key="k" * 1025), "ordering_key has 1025: allowed are 1024"),
        ],
        ids=["empty", "data", "attributes", "name", "value", "nameless", "reserved", "key"],
    )
    def test_a_message_beyond_a_limit_is_refused_with_field_and_remedy(self, tmp_path, message, finding):
        async def scenario(_, bus):
            with pytest.raises(MessageRefused, match=finding):
                await bus.publish("bookings", [message])

        self.play(tmp_path, scenario)

    def test_a_message_at_every_limit_is_delivered(self, tmp_path):
        attributes = {f"{n:03d}" + "k" * 253: "v" * 1024 for n in range(100)}
        message = Message(b"x" * (10_000_000 - 100 * (256 + 1024) - 1024), attributes, "k" * 1024)

        async def scenario(world, bus):
            await bus.publish("bookings", [message])
            await bus.idle()
            assert world.receiver.received[0].json["message"]["attributes"] == attributes

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(
        ("batch", "finding"),
        [
            (numbered(1001), "messages has 1001: allowed are 1000 of them; publish them in several"),
            (messages("x" * 6_000_000) * 2, "messages has 12000000: allowed are 10000000 bytes together"),
        ],
        ids=["count", "bytes"],
    )
    def test_more_than_one_request_can_carry_is_refused_whole(self, tmp_path, batch, finding):
        async def scenario(_, bus):
            with pytest.raises(MessageRefused, match=finding):
                await bus.publish("bookings", batch)
            assert bus.backlog() == {}

        self.play(tmp_path, scenario)

    def test_a_publisher_who_stops_waiting_does_not_stop_the_delivery(self, tmp_path):
        async def scenario(world, bus):
            publishing = asyncio.ensure_future(bus.publish("bookings", messages("a")))
            await asyncio.sleep(0)
            publishing.cancel()
            await asyncio.gather(publishing, return_exceptions=True)
            await bus.idle()
            assert world.receiver.texts == ["a"]

        self.play(tmp_path, scenario)
