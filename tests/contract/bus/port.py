"""What the bus promises wherever it runs: to who publishes, and to who is pushed to."""

from dataclasses import dataclass

import pytest

from shared.ports.bus import Message, MessageRefused, UnknownTopic

DEAD = "bookings-dead"


@dataclass(frozen=True)
class Wanted:
    """A push subscription, in words that every bus can take."""

    name: str = "on-booking"
    topic: str = "bookings"
    filter: str = ""
    dead_lettered: bool = False
    ordered: bool = True


def texts(*words, key=""):
    """Return a message per word."""
    return [Message(word.encode(), ordering_key=key) for word in words]


def numbered(count, key):
    """Return messages of a key that say their place."""
    return texts(*(f"{key}{number}" for number in range(count)), key=key)


class BusPort:
    """The guarantees of `shared.ports.bus`, and of the push that functions are written for."""

    async def test_every_message_gets_an_id_of_its_own(self, setting):
        await setting.listen()
        ids = [*await setting.bus.publish("bookings", texts("a", "b")), *await setting.publish("c")]
        assert len(set(ids)) == 3
        assert all(isinstance(each, str) and each for each in ids)

    async def test_nothing_is_published_for_nothing(self, setting):
        await setting.listen()
        assert await setting.bus.publish("bookings", []) == ()

    async def test_a_message_arrives_as_it_was_published(self, setting):
        await setting.listen(Wanted())
        (identity,) = await setting.bus.publish("bookings", [Message(b"\x00\xff", {"tenant": "tnt_1"})])
        await setting.desk.until(lambda desk: desk.deliveries)
        arrived = setting.desk.deliveries[0]
        assert (arrived.message_id, arrived.data, arrived.attributes) == (
            identity,
            b"\x00\xff",
            {"tenant": "tnt_1"},
        )

    async def test_every_subscription_gets_every_message(self, setting):
        await setting.listen(Wanted(), Wanted("also-booking"))
        await setting.publish("a")
        await setting.desk.until(lambda desk: len(desk.deliveries) == 2)
        assert [setting.desk.texts(name) for name in ("on-booking", "also-booking")] == [["a"], ["a"]]

    async def test_a_key_arrives_in_the_order_it_was_published(self, setting):
        await setting.listen(Wanted())
        await setting.bus.publish("bookings", [*numbered(8, "A"), *numbered(8, "B")])
        for number in range(8, 12):
            await setting.publish(f"A{number}", key="A")
        await setting.desk.until(lambda desk: len(desk.deliveries) == 20)
        for key, count in (("A", 12), ("B", 8)):
            assert [text for text in setting.desk.texts() if text.startswith(key)] == [
                f"{key}{number}" for number in range(count)
            ]

    async def test_a_failing_head_blocks_its_key_and_no_other(self, setting):
        await setting.listen(Wanted())
        setting.desk.answer = lambda each: 500 if each.data == b"A0" else 204
        await setting.bus.publish("bookings", [*numbered(3, "A"), *numbered(3, "B")])
        await setting.desk.until(lambda desk: desk.texts().count("A0") > 1 and "B2" in desk.texts())
        assert set(setting.desk.texts()) == {"A0", "B0", "B1", "B2"}

    async def test_a_refused_delivery_comes_again(self, setting):
        await setting.listen(Wanted())
        answers = iter([500, 204])
        setting.desk.answer = lambda _: next(answers)
        await setting.publish("a")
        await setting.desk.until(lambda desk: desk.texts() == ["a", "a"])

    async def test_what_was_published_before_a_restart_is_delivered_after_it(self, setting):
        setting.desk.answer = lambda _: 500
        await setting.listen(Wanted())
        await setting.publish("a")
        await setting.reopen()
        setting.desk.answer = lambda _: 204
        seen = len(setting.desk.deliveries)
        await setting.desk.until(lambda desk: desk.texts()[seen:] == ["a"])

    async def test_what_never_succeeds_ends_in_the_dead_letter_topic(self, setting):
        await self.bury(setting, Wanted(dead_lettered=True, ordered=False))

    async def test_what_never_succeeds_in_order_ends_in_the_dead_letter_topic(self, setting):
        await self.bury(setting, Wanted(dead_lettered=True))

    async def bury(self, setting, wanted):
        await setting.listen(wanted, Wanted("undertaker", DEAD))
        setting.desk.answer = lambda each: 500 if each.subscription.endswith("on-booking") else 204
        await setting.bus.publish("bookings", [Message(b"bad", {"tenant": "tnt_1"})])
        await setting.desk.until(lambda desk: desk.texts("undertaker"), within=8)
        buried = setting.desk.deliveries[-1]
        assert (buried.data, buried.attributes["tenant"]) == (b"bad", "tnt_1")
        assert buried.attributes["CloudPubSubDeadLetterSourceSubscription"] == "on-booking"
        assert setting.desk.texts() == ["bad"] * 5

    async def test_a_filter_lets_only_what_matches_through(self, setting):
        await setting.listen(Wanted(filter='attributes.kind = "cancelled"'))
        for kind in ("confirmed", "cancelled"):
            await setting.bus.publish("bookings", [Message(kind.encode(), {"kind": kind}, "A")])
        await setting.desk.until(lambda desk: desk.deliveries)
        assert setting.desk.texts() == ["cancelled"]

    async def test_a_push_says_its_ordering_key(self, setting):
        await setting.listen(Wanted())
        await setting.publish("a", key="key_1")
        await setting.desk.until(lambda desk: desk.deliveries)
        assert setting.desk.deliveries[0].ordering_key == "key_1"

    async def test_a_push_that_may_be_dead_lettered_says_its_attempt(self, setting):
        await setting.listen(Wanted(dead_lettered=True))
        await setting.publish("a")
        await setting.desk.until(lambda desk: desk.deliveries)
        assert setting.desk.deliveries[0].attempt == 1

    async def test_a_push_proves_who_pushes(self, setting):
        await setting.listen(Wanted())
        await setting.publish("a")
        await setting.desk.until(lambda desk: desk.deliveries)
        assert setting.desk.headers[0].get("authorization", "").startswith("Bearer ")

    async def test_an_unknown_topic_is_refused_by_name(self, setting):
        await setting.listen()
        with pytest.raises(UnknownTopic, match="'boookings' is not in the manifest: declare it"):
            await setting.bus.publish("boookings", texts("a"))

    @pytest.mark.parametrize(
        ("message", "finding"),
        [
            (Message(b""), "data and attributes are both empty"),
            (Message(b"x" * 10_000_001), "data has 10000001"),
            (Message(b"x", {"k": "v" * 1025}), r"attributes\['k'\] has 1025"),
            (Message(b"x", {"googclient": "v"}), "begins with goog"),
            (Message(b"x", ordering_key="k" * 1025), "ordering_key has 1025"),
        ],
        ids=["empty", "data", "value", "reserved", "key"],
    )
    async def test_all_are_kept_or_none(self, setting, message, finding):
        await setting.listen(Wanted())
        with pytest.raises(MessageRefused, match=finding):
            await setting.bus.publish("bookings", [*texts("good"), message])
        await setting.publish("after")
        await setting.desk.until(lambda desk: desk.deliveries)
        assert setting.desk.texts() == ["after"]
