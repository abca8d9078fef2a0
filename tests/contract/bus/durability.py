"""Bus contract: what outlives the process."""

import asyncio

import pytest

from infra.local.bus import Storm, fresh
from tests.contract.bus.setting import (
    BusSetting,
    messages,
    numbered,
    subscription,
    with_dead_letter,
)
from tests.support.delivery_rig import until

KEYS = ("", "A", "B")


class Durability(BusSetting):
    """What outlives the process."""

    def test_the_backlog_survives_a_restart_in_order(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 503
            await bus.publish("bookings", [*numbered(5, "A"), *numbered(5, "B")])
            await bus.idle()
            again = await self.reborn(world, bus, clean=False)
            world.receiver.answer = lambda _: 204
            world.receiver.received.clear()
            await until(lambda: len(world.receiver.received) == 10)
            await again.stop()
            for key in "AB":
                assert [each.text for each in world.receiver.received if each.key == key] == [
                    f"{key}{number}" for number in range(5)
                ]

        self.play(tmp_path, scenario)

    def test_what_was_acknowledged_is_not_pushed_again_after_a_clean_restart(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", numbered(5))
            await bus.idle()
            again = await self.reborn(world, bus)
            await asyncio.sleep(60)
            await again.stop()
            assert len(world.receiver.received) == 5

        self.play(tmp_path, scenario)

    def test_a_push_under_way_at_stop_is_made_again_and_not_counted(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 5.0
            await bus.publish("bookings", messages("a"))
            await asyncio.sleep(1)
            again = await self.reborn(world, bus, with_dead_letter())
            await until(lambda: len(world.receiver.received) == 2)
            assert world.receiver.received[1].attempt == 1
            await again.stop()

        self.play(tmp_path, scenario, with_dead_letter())

    def test_the_wait_after_a_failure_survives_a_restart(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 503
            await bus.publish("bookings", messages("a"))
            await bus.idle()
            again = await self.reborn(world, bus, subscription(min_backoff=8.0))
            await asyncio.sleep(7.9)
            assert len(world.receiver.received) == 1
            await until(lambda: len(world.receiver.received) == 2, within=2)
            await again.stop()

        self.play(tmp_path, scenario, subscription(min_backoff=8.0))

    def test_a_wait_counted_from_a_clock_that_was_ahead_is_not_longer_than_any_other(self, tmp_path):
        async def scenario(world, bus):
            world.set_clock(days=30)
            world.receiver.answer = lambda _: 503
            await bus.publish("bookings", [*numbered(2, "A"), *messages("a")])
            await bus.idle()
            world.set_clock(days=-30)
            again = await self.reborn(world, bus)
            world.receiver.answer = lambda _: 204
            await until(lambda: sorted(world.receiver.texts[2:]) == ["A0", "A1", "a"], within=8.1)
            await again.stop()

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(("killed_after", "again"), [(0.3, ["A0", "A1"]), (3.0, [])])
    def test_an_ack_that_found_no_room_is_kept_later_and_not_overtaken(self, tmp_path, killed_after, again):
        async def scenario(world, bus):
            world.receiver.takes = 0.1
            await bus.publish("bookings", numbered(1, "A"))
            with world.no_room():
                await asyncio.sleep(5.2)
            await bus.publish("bookings", messages("A1", key="A"))
            await asyncio.sleep(killed_after)
            assert world.receiver.texts == ["A0", "A1"]
            fresh = await self.killed(world, bus, subscription())
            await asyncio.sleep(60)
            assert world.receiver.texts[2:] == again
            await fresh.stop()

        self.play(tmp_path, scenario)

    def test_a_backlog_of_thousands_is_held_on_disk_and_drained(self, tmp_path):
        async def scenario(world, bus):
            await bus.stop()
            lines = [numbered(700, key) for key in KEYS]
            abreast = [each for row in zip(*lines, strict=True) for each in row]
            for start in range(0, len(abreast), 1000):
                await bus.publish("bookings", abreast[start : start + 1000])
            again = await self.reborn(world, bus)
            await again.idle()
            await again.stop()
            for key in KEYS:
                texts = [each.text for each in world.receiver.received if each.key == key]
                in_order = texts if key else sorted(texts, key=int)
                assert in_order == [f"{key}{number}" for number in range(700)]

        self.play(tmp_path, scenario)

    def test_nothing_is_left_on_disk_once_all_have_acknowledged(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", numbered(3, "A"))
            await bus.publish("bookings-dead", messages("nobody reads this"))
            await bus.idle()
            await world.flush()
            assert world.engine.read("SELECT count(*) FROM bus_message") == [(0,)]
            assert world.engine.read("SELECT count(*) FROM bus_delivery") == [(0,)]

        self.play(tmp_path, scenario, subscription(), subscription(name="also-booking"))

    def test_duplicates_and_delays_keep_the_order_of_a_key(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", numbered(20, "A"))
            await bus.idle()
            assert len(world.receiver.received) > 20
            assert list(dict.fromkeys(world.receiver.texts)) == [f"A{number}" for number in range(20)]
            assert world.receiver.texts == sorted(world.receiver.texts, key=lambda text: int(text[1:]))

        self.play(tmp_path, scenario, chaos=lambda world: Storm(world.entropy, 0.5, 2.0))

    def test_a_mistake_of_our_own_costs_no_message(self, tmp_path, monkeypatch):
        monkeypatch.setattr(fresh, "MOST_FRESH", 0)  # each message is read from the disk

        async def scenario(world, bus):
            told = world.err_once("FROM bus_message")
            await bus.publish("bookings", numbered(2, "A"))
            await until(lambda: world.receiver.texts == ["A0", "A1"])
            assert told == ["disk I/O error"]

        self.play(tmp_path, scenario)

    def test_a_message_that_was_lost_blocks_neither_its_key_nor_the_loop(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 503
            (lost, *_) = await bus.publish("bookings", numbered(3, "A"))
            await bus.idle()
            world.database.writer.execute("DELETE FROM bus_message WHERE id = ?", (int(lost),))
            again = await self.reborn(world, bus)
            told = world.hear()
            world.receiver.answer = lambda _: 204
            await until(lambda: world.receiver.texts == ["A0", "A1", "A2"])
            await world.flush()
            assert (again.backlog(), world.counters["messages-lost"]) == ({}, 1)
            assert told == [f"message {lost} for on-booking"]
            await again.stop()

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize("others", [(), (subscription(name="also-booking"),)], ids=["alone", "shared"])
    def test_a_line_that_could_not_be_read_after_an_ack_goes_on_without_a_second_push(self, tmp_path, others):
        async def scenario(world, bus):
            told = world.err_once("ORDER BY seq LIMIT 1")
            await bus.publish("bookings", numbered(3, "A"))
            await asyncio.sleep(60)
            await world.flush()
            assert sorted(world.receiver.texts) == sorted(["A0", "A1", "A2"] * (1 + len(others)))
            assert (bus.backlog(), told) == ({}, ["disk I/O error"])

        self.play(tmp_path, scenario, subscription(), *others)

    def test_a_backlog_that_could_not_be_read_is_read_again(self, tmp_path):
        async def scenario(world, bus):
            told = world.err_once("ORDER BY seq LIMIT ?")
            await bus.publish("bookings", numbered(2, "A"))
            assert not bus._dispatchers["on-booking"].quiet
            await until(lambda: world.receiver.texts == ["A0", "A1"])
            assert told == ["disk I/O error"]

        self.play(tmp_path, scenario)
