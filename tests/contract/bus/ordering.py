"""Bus contract: what comes before what."""

import asyncio
import itertools

import pytest

from tests.contract.bus.setting import (
    BusSetting,
    messages,
    numbered,
    subscription,
    with_dead_letter,
)
from tests.support.delivery_rig import until

LONGEST_BACKOFF = 600


class Ordering(BusSetting):
    """What comes before what."""

    @pytest.mark.parametrize("seed", range(5))
    def test_a_key_is_pushed_in_order_whatever_fails(self, tmp_path, seed):
        async def scenario(world, bus):
            failing = world.entropy
            world.receiver.answer = lambda _: 500 if failing.uniform(0, 1) < 0.3 else 204
            world.receiver.takes = 0.01
            for number in range(12):
                await bus.publish(
                    "bookings", [each for key in "AB" for each in messages(f"{key}{number}", key=key)]
                )
            await until(lambda: len(set(world.receiver.texts)) == 24)
            for key in "AB":
                seen = list(dict.fromkeys(each.text for each in world.receiver.received if each.key == key))
                assert seen == [f"{key}{number}" for number in range(12)]

        self.play(tmp_path, scenario, seed=seed)

    def test_a_failing_head_blocks_its_key_and_no_other(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda push: 500 if push.key == "A" else 204
            await bus.publish("bookings", [*numbered(3, "A"), *numbered(3, "B")])
            await until(lambda: len(world.receiver.received) > 12)
            assert {each.text for each in world.receiver.received} == {"A0", "B0", "B1", "B2"}

        self.play(tmp_path, scenario)

    def test_heads_that_fail_for_hours_keep_nobody_else_waiting_and_go_on_when_they_can(self, tmp_path):
        async def scenario(world, bus):
            trouble = {f"stay_{number}" for number in range(25)}  # more than may be under way at once
            world.receiver.answer = lambda push: 503 if push.key in trouble else 204
            await bus.publish("bookings", [each for key in sorted(trouble) for each in numbered(2, key)])
            for hour in range(3):
                await asyncio.sleep(3600)
                await bus.publish("bookings", numbered(1, f"other_{hour}"))
                await asyncio.sleep(1)
                assert f"other_{hour}0" in world.receiver.texts
            trouble.clear()
            await asyncio.sleep(LONGEST_BACKOFF + 1)
            await world.flush()
            assert bus.backlog() == {}
            for number in range(25):
                told = [each for each in world.receiver.received if each.key == f"stay_{number}"]
                waits = [later.at - sooner.at for sooner, later in itertools.pairwise(told)]
                assert max(waits) <= LONGEST_BACKOFF + 1e-6
                assert [each.text for each in told[-2:]] == [f"stay_{number}0", f"stay_{number}1"]

        patient = {"max_attempts": 100, "min_backoff": 10, "max_backoff": LONGEST_BACKOFF}
        self.play(tmp_path, scenario, with_dead_letter(**patient, max_outstanding=20))

    def test_a_long_line_behind_a_slow_head_does_not_hide_what_comes_after_it(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 5.0
            await bus.publish("bookings", [*numbered(600, "A"), *messages("after")])
            await asyncio.sleep(0.5)
            assert world.receiver.texts == ["A0", "after"]

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize("at_once", [1, 2, 64])
    def test_interleaved_keys_are_pushed_once_each_and_in_order(self, tmp_path, at_once):
        async def scenario(world, bus):
            lines = [numbered(300, key) for key in "ABC"]
            await bus.publish("bookings", [each for row in zip(*lines, strict=True) for each in row])
            await bus.idle()
            for key in "ABC":
                texts = [each.text for each in world.receiver.received if each.key == key]
                assert texts == [f"{key}{number}" for number in range(300)]

        self.play(tmp_path, scenario, subscription(max_outstanding=at_once))

    def test_keys_are_pushed_side_by_side(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 1.0
            await bus.publish("bookings", [*numbered(2, "A"), *numbered(2, "B"), *numbered(2, "C")])
            await bus.idle()
            assert world.receiver.busiest == 3
            assert asyncio.get_running_loop().time() < 3.0

        self.play(tmp_path, scenario)

    def test_without_a_key_or_an_ordered_subscription_nothing_waits_for_anything(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda push: 500 if push.text.endswith("0") else 204
            await bus.publish("bookings", [*numbered(3, "A"), *numbered(3)])
            await bus.idle()
            assert len({(each.json["subscription"], each.text) for each in world.receiver.received}) == 6 + 4

        self.play(tmp_path, scenario, subscription(), subscription(name="unordered", ordered=False))
