"""What schedules promise, each guarantee in a test of its name; any implementation can be put in."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.delivery.backoff import Retry
from infra.local.delivery.refusal import SpecRefused
from infra.local.schedules import UnknownSchedule
from shared.vendor_kit.http import ConnectionFailed
from tests.contract.schedules.setting import START, URL, ScheduleSetting, schedule, scheduled
from tests.support.delivery_rig import until

DAY = 86_400
HALF_HOURS = ["00:30", "01:00", "01:30", "02:00"]


class SchedulesContract(ScheduleSetting):
    """The guarantees of design §6, in virtual time."""

    def test_a_job_is_called_at_each_tick_and_never_drifts(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.takes = 7.3
            await asyncio.sleep(3601)
            ticks = [300.0 * number for number in range(1, 13)]
            assert [round(each.at, 3) for each in world.receiver.received] == ticks

        self.play(tmp_path, scenario)

    def test_a_call_is_an_authenticated_post_that_names_its_tick(self, tmp_path):
        async def scenario(world, schedules):
            await until(lambda: world.receiver.received, within=600)
            await schedules.idle()
            call = world.receiver.received[0].call
            assert (call.method, call.url, call.body) == ("POST", URL, b'{"dry":true}')
            assert call.headers == {
                "user-agent": "Google-Cloud-Scheduler",
                "X-CloudScheduler": "true",
                "X-CloudScheduler-JobName": "sweep",
                "X-CloudScheduler-ScheduleTime": "2026-03-01T09:05:00.000Z",
                "authorization": f"Bearer clock@hotel->{URL}",
                "content-type": "application/json",
            }

        self.play(tmp_path, scenario, schedule(body=b'{"dry":true}'))

    def test_the_first_start_waits_for_the_first_tick(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(299)
            assert world.receiver.received == []
            (status,) = schedules.status()
            assert (status.last_tick, status.next_tick) == (None, START + timedelta(minutes=5))

        self.play(tmp_path, scenario)

    def test_ticks_missed_while_down_are_made_up_once_for_the_latest(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(301)
            await self.ended(world, schedules)
            await asyncio.sleep(3 * 3600)
            again = await self.reborn(world)
            await asyncio.sleep(1)
            assert [scheduled(each) for each in world.receiver.received] == ["09:05", "12:05"]
            await asyncio.sleep(300)
            assert [scheduled(each) for each in world.receiver.received][2:] == ["12:10"]
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_restart_without_a_missed_tick_calls_nothing(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(301)
            await self.ended(world, schedules)
            await asyncio.sleep(60)
            again = await self.reborn(world)
            await asyncio.sleep(200)
            assert len(world.receiver.received) == 1
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_tick_under_way_at_a_crash_is_called_again(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.takes = 10.0
            await asyncio.sleep(305)
            await self.ended(world, schedules)
            again = await self.reborn(world)
            await until(lambda: len(world.receiver.received) == 2)
            assert [scheduled(each) for each in world.receiver.received] == ["09:05", "09:05"]
            await asyncio.sleep(60)
            assert len(world.receiver.received) == 2
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_tick_that_kills_the_process_is_given_up_in_the_end(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.takes = 10.0
            await asyncio.sleep(305)
            for _ in range(6):
                await self.ended(world, schedules)
                schedules = await self.reborn(world)
                await asyncio.sleep(1)
            assert len(world.receiver.received) == 4
            (status,) = schedules.status()
            assert status.reason == "the process ended during the last attempt"
            await asyncio.sleep(300)
            assert scheduled(world.receiver.received[-1]) == "09:10"
            await schedules.stop()

        self.play(tmp_path, scenario)

    def test_ticks_during_a_long_call_are_made_up_once_after_it(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.takes = 1000.0
            await asyncio.sleep(301)
            world.receiver.takes = 1.0
            await asyncio.sleep(1000)
            assert [scheduled(each) for each in world.receiver.received] == ["09:05", "09:20"]
            assert world.receiver.busiest == 1

        self.play(tmp_path, scenario, schedule(attempt_deadline=1500))

    def test_a_failed_call_is_repeated_as_the_retry_policy_says(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.answer = lambda _: 503
            await asyncio.sleep(3660)
            assert [round(each.at - 3600) for each in world.receiver.received] == [0, 5, 15]
            assert {scheduled(each) for each in world.receiver.received} == {"10:00"}
            (status,) = schedules.status()
            assert (status.attempts, status.done, status.reason) == (3, True, "answered 503")

        retry = Retry(max_attempts=3, min_backoff=5)
        self.play(tmp_path, scenario, schedule(cron="0 * * * *", retry=retry))

    def test_without_a_retry_policy_a_failed_tick_waits_for_the_next(self, tmp_path):
        async def scenario(world, schedules):
            world.receiver.answer = lambda _: ConnectionFailed()
            await asyncio.sleep(601)
            assert [round(each.at) for each in world.receiver.received] == [300, 600]
            assert schedules.status()[0].reason == "no connection"

        self.play(tmp_path, scenario)

    def test_a_mistake_of_our_own_costs_no_more_than_a_minute(self, tmp_path):
        async def scenario(world, schedules):
            told = world.hear()
            await asyncio.sleep(150)
            with world.writing_fails():
                await asyncio.sleep(300)
                assert world.receiver.received == []
            await asyncio.sleep(61)
            assert [scheduled(each) for each in world.receiver.received] == ["09:05"]
            assert told == ["database disk image is malformed"] * 3
            await asyncio.sleep(300)
            assert [scheduled(each) for each in world.receiver.received][1:] == ["09:10"]

        self.play(tmp_path, scenario)

    def test_a_job_is_called_though_there_is_no_room_to_note_it(self, tmp_path):
        async def scenario(world, schedules):
            with world.no_room():
                await asyncio.sleep(3661)
            assert len(world.receiver.received) == 12

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize("restart", [True, False])
    def test_a_clock_that_was_ahead_and_is_set_back_stops_nothing(self, tmp_path, restart):
        async def scenario(world, schedules):
            world.set_clock(days=30)
            await asyncio.sleep(3601)
            world.set_clock(days=-30)
            if restart:
                await self.ended(world, schedules)
                schedules = await self.reborn(world)
            called = len(world.receiver.received)
            await asyncio.sleep(3600)
            assert [scheduled(each) for each in world.receiver.received[called:]][-11:] == [
                f"10:{minute:02}" for minute in range(10, 60, 5)
            ] + ["11:00"]
            assert len(world.receiver.received) <= called + 12
            await schedules.stop()

        self.play(tmp_path, scenario)

    def test_a_clock_set_ahead_by_days_makes_up_once(self, tmp_path):
        async def scenario(world, schedules):
            world.set_clock(days=3)
            await asyncio.sleep(301)
            assert [scheduled(each) for each in world.receiver.received] == ["09:05"]

        self.play(tmp_path, scenario)

    def test_a_clock_that_is_only_kept_right_doubles_no_tick(self, tmp_path):
        async def scenario(world, schedules):
            for _ in range(12):
                await asyncio.sleep(300)
                world.set_clock(seconds=-2)
            await asyncio.sleep(60)
            ticks = [scheduled(each) for each in world.receiver.received]
            assert len(set(ticks)) == len(ticks) >= 11

        self.play(tmp_path, scenario)

    def test_a_changed_rule_makes_a_new_beginning(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(301)
            await self.ended(world, schedules)
            await asyncio.sleep(3600)
            again = await self.reborn(world, schedule(cron="30 * * * *"))
            await asyncio.sleep(60)
            assert len(world.receiver.received) == 1
            await again.stop()

        self.play(tmp_path, scenario)

    def test_a_job_can_be_run_out_of_turn_without_touching_its_ticks(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(60)
            outcome = await schedules.run_now("sweep")
            assert (outcome.status, scheduled(world.receiver.received[0])) == (204, "09:01")
            await asyncio.sleep(300)
            assert [scheduled(each) for each in world.receiver.received] == ["09:01", "09:05"]
            with pytest.raises(UnknownSchedule, match="no schedule 'swoop': name one of sweep"):
                await schedules.run_now("swoop")

        self.play(tmp_path, scenario)

    def test_ticks_follow_the_wall_clock_of_the_zone(self, tmp_path):
        async def scenario(world, schedules):
            await asyncio.sleep(DAY)
            assert [scheduled(each) for each in world.receiver.received] == ["21:30"]

        self.play(tmp_path, scenario, schedule(cron="0 2 * * *", zone="Asia/Kabul"))

    @pytest.mark.parametrize(
        ("cron", "beginning", "hours", "ticks"),
        [
            # Berlin skips 02:00 to 03:00 on 2026-03-29, that is after 01:00 UTC.
            ("30 2 * * *", datetime(2026, 3, 28, 12, tzinfo=UTC), 48, ["01:00", "00:30"]),
            (
                "*/30 * * * *",
                datetime(2026, 3, 29, 0, 15, tzinfo=UTC),
                2,
                ["00:30", "01:00", "01:30", "02:00"],
            ),
            # It lives 02:00 to 03:00 twice on 2026-10-25, from 00:00 and from 01:00 UTC.
            ("30 2 * * *", datetime(2026, 10, 24, 12, tzinfo=UTC), 48, ["00:30", "01:30"]),
            (
                "*/30 * * * *",
                datetime(2026, 10, 25, 0, 15, tzinfo=UTC),
                2,
                ["00:30", "01:00", "01:30", "02:00"],
            ),
        ],
        ids=["fixed in the gap", "repeating in the gap", "fixed in the fold", "repeating in the fold"],
    )
    def test_a_change_of_clocks_neither_loses_nor_doubles_a_tick(
        self, tmp_path, cron, beginning, hours, ticks
    ):
        async def scenario(world, schedules):
            await asyncio.sleep(hours * 3600)
            assert [scheduled(each) for each in world.receiver.received] == ticks

        self.play(tmp_path, scenario, schedule(cron=cron, zone="Europe/Berlin"), beginning=beginning)

    @pytest.mark.parametrize("minutes", [5, 35, 65, 95])
    def test_a_restart_inside_the_doubled_hour_does_not_repeat_a_fixed_tick(self, tmp_path, minutes):
        async def scenario(world, schedules):
            await asyncio.sleep(minutes * 60)
            await self.ended(world, schedules)
            again = await self.reborn(world, berlin)
            await asyncio.sleep(4 * 3600)
            assert [scheduled(each) for each in world.receiver.received] == ["00:30"]
            await again.stop()

        berlin = schedule(cron="30 2 * * *", zone="Europe/Berlin")
        self.play(tmp_path, scenario, berlin, beginning=datetime(2026, 10, 25, 0, 0, tzinfo=UTC))

    @pytest.mark.parametrize(
        ("changes", "finding"),
        [
            ({"cron": "every 5 minutes"}, r"'sweep': cron is 'every 5 minutes': give minute, hour"),
            ({"cron": "* * * * * *"}, "cron is .*: give minute, hour"),
            ({"cron": "61 * * * *"}, r"cron is '61 \* \* \* \*' \(Bad minute\): give minute"),
            ({"cron": "0 0 * * 5L"}, "cron is"),
            ({"cron": "0 0 31 2 *"}, "cron is '0 0 31 2 *'"),
            ({"zone": "Asia/Kabool"}, "zone is 'Asia/Kabool': name a zone of the IANA database"),
            ({"zone": "../etc"}, "zone is"),
            ({"attempt_deadline": 5}, "attempt_deadline is 5: choose between 15 and 1800"),
            (
                {"retry": Retry(min_backoff=9, max_backoff=3)},
                r"retry.min_backoff \(9\) exceeds",
            ),
            ({"url": "sweep"}, "url is 'sweep': give an absolute"),
            ({"name": "a b"}, "name is 'a b': use up to"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_a_malformed_schedule_is_refused_at_load_with_field_and_remedy(self, changes, finding):
        with pytest.raises(SpecRefused, match=finding.replace("'0 0 31 2 *'", "'0 0 31 2")):
            schedule(**changes)

    def test_two_schedules_of_one_name_are_refused(self, tmp_path):
        async def scenario(world, _):
            with pytest.raises(SpecRefused, match="name is taken: rename one"):
                self.make(world.means, (schedule(), schedule()))

        self.play(tmp_path, scenario)
