"""Bus contract: what becomes of messages whose function is still to come."""

import pytest

from infra.local.bus import ReplayRefused, TopicSpec
from shared.ports.bus import Message
from tests.contract.bus.setting import TOPICS, BusSetting, messages, numbered, subscription
from tests.support.delivery_rig import until

AWAITED = (*TOPICS, TopicSpec("shifts", kept_for="on-shift"))
ON_SHIFT = subscription(name="on-shift", topic="shifts")


class Keeping(BusSetting):
    """What is published before its function exists waits for it."""

    def wait(self, folder, scenario):
        self.play(folder, scenario, topics=AWAITED)

    async def function_comes(self, world, bus, *specs, clean=True):
        """End, and begin with subscriptions that were not there before."""
        await bus.stop()
        if clean:
            await world.close()
        else:
            world.crash()
        world.open()
        fresh = self.make(world.means, (*TOPICS, TopicSpec("shifts")), (subscription(), *specs))
        await fresh.deliver_kept()
        fresh.start()
        return fresh

    def test_what_nothing_handles_is_kept_and_listed_with_the_reason_and_the_remedy(self, tmp_path):
        async def scenario(_, bus):
            (id_,) = await bus.publish("shifts", [Message(b"started", {"tenant": "tnt_1"}, "usr_1")])
            (kept,) = bus.dead_letters.page()
            assert (kept.id, kept.topic, kept.subscription) == (id_, "shifts", "on-shift")
            assert (kept.data, kept.attributes, kept.ordering_key) == (
                b"started",
                {"tenant": "tnt_1"},
                "usr_1",
            )
            assert kept.reason == "no handler yet"
            assert "deploy the function on-shift" in kept.notes["remedy"]
            assert (bus.kept.count(), bus.kept_for("shifts")) == (1, "on-shift")

        self.wait(tmp_path, scenario)

    def test_what_is_kept_is_nobody_s_to_look_after(self, tmp_path):
        async def scenario(_, bus):
            await bus.publish("shifts", messages("a"))
            assert bus.dead_letters.count() == 0
            assert await bus.dead_letters.replay() == 0

        self.wait(tmp_path, scenario)

    @pytest.mark.parametrize("clean", [True, False], ids=["ended", "killed"])
    def test_a_function_that_comes_gets_what_was_kept_in_order_and_before_anything_newer(
        self, tmp_path, clean
    ):
        async def scenario(world, bus):
            for number in range(1100):  # more than one batch
                await bus.publish("shifts", messages(f"A{number}", key="A"))
            fresh = await self.function_comes(world, bus, ON_SHIFT, clean=clean)
            await fresh.publish("shifts", messages("A1100", key="A"))
            await fresh.idle()
            assert world.receiver.texts == [f"A{number}" for number in range(1101)]
            assert (fresh.kept.count(), fresh.dead_letters.page()) == (0, ())
            await fresh.stop()

        self.wait(tmp_path, scenario)

    def test_what_was_kept_arrives_as_it_was_published_and_says_nothing_of_having_been_kept(self, tmp_path):
        async def scenario(world, bus):
            (id_,) = await bus.publish("shifts", [Message(b"started", {"tenant": "tnt_1"}, "usr_1")])
            fresh = await self.function_comes(world, bus, ON_SHIFT)
            await fresh.idle()
            (pushed,) = (each.json["message"] for each in world.receiver.received)
            assert (pushed["messageId"], pushed["orderingKey"]) == (id_, "usr_1")
            assert pushed["attributes"] == {"tenant": "tnt_1"}
            await fresh.stop()

        self.wait(tmp_path, scenario)

    def test_every_subscription_that_comes_gets_what_was_kept_and_its_filter_wants(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("shifts", [Message(b"a", {"kind": "night"}), Message(b"b", {"kind": "day"})])
            nights = subscription(name="nights", topic="shifts", filter='attributes.kind = "night"')
            fresh = await self.function_comes(world, bus, ON_SHIFT, nights)
            await fresh.idle()
            pushed = sorted(
                (each.json["subscription"].split("/")[-1], each.text) for each in world.receiver.received
            )
            assert pushed == [("nights", "a"), ("on-shift", "a"), ("on-shift", "b")]
            await fresh.stop()

        self.wait(tmp_path, scenario)

    def test_what_is_kept_outlives_restarts_without_the_function(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("shifts", numbered(2, "A"))
            again = await self.function_comes(world, bus)
            assert again.kept.count() == 2
            fresh = await self.function_comes(world, again, ON_SHIFT)
            await until(lambda: world.receiver.texts == ["A0", "A1"])
            await fresh.stop()

        self.wait(tmp_path, scenario)

    def test_what_is_kept_is_refused_a_replay_and_can_be_discarded(self, tmp_path):
        async def scenario(_, bus):
            first, second = await bus.publish("shifts", messages("a", "b"))
            with pytest.raises(ReplayRefused, match="on-shift, which is not in the manifest"):
                await bus.dead_letters.replay([first])
            assert await bus.dead_letters.discard([first]) == 1
            assert [each.id for each in bus.dead_letters.page()] == [second]

        self.wait(tmp_path, scenario)
