"""What a vendor promises whose cards a desk writes: jobs that end, or are told; one card for all doors."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.kinds import REVOKE_PENDING_AT_LOCK, SetRole
from shared.domain.lock_errors import (
    CardEncoderOffline,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    VendorUnreachable,
)
from shared.domain.secret import Secret
from shared.ports.lock import InHand, KeyAtLock
from shared.ports.lock_causes import deferred_by_us
from shared.vendor_kit.desk_jobs import JobState
from tests.contract.lock.setting import DAY, DOOR_101, DOOR_102, FRONT, HOUR, KABUL, MOBILE_APP, NOWHERE

HALF_A_MINUTE = timedelta(seconds=30)


async def refused(setting, keys, kind=LockError):
    """Return the error that every door is answered with."""
    answers = await setting.vendor.place_all(keys)
    assert all(isinstance(each, kind) for each in answers), answers
    return answers[0]


class DeskContract:
    """The guarantees of `LockVendor`, where a card is written by somebody at a desk."""

    async def test_a_card_is_in_hand_until_somebody_wrote_it(self, setting):
        keys = setting.keys()
        await setting.pulled()
        first, second = await setting.vendor.place_all(keys)
        assert isinstance(first, InHand)
        assert (first, first.until) == (second, setting.clock.now() + HALF_A_MINUTE)
        await setting.work()
        assert all(isinstance(each, KeyAtLock) for each in await setting.vendor.status(first.job, keys))

    async def test_one_card_opens_all_doors_of_its_key_and_no_other(self, setting):
        at, front = await setting.placed(setting.keys())
        assert at.vendor_ref == front.vendor_ref
        assert [setting.opens(at, door) for door in (DOOR_101, FRONT, DOOR_102)] == [True, True, False]
        assert len(setting.desk.written) == 1

    async def test_a_card_opens_from_its_start_to_its_end(self, setting):
        now = setting.clock.now()
        at, _ = await setting.placed(setting.keys(valid_from=now + HOUR, valid_until=now + DAY))
        assert (at.valid_from, at.valid_until) == (now + HOUR, now + DAY)
        opening = [setting.opens(at, after=after) for after in (timedelta(), HOUR, DAY - HOUR, DAY)]
        assert opening == [False, True, True, False]

    async def test_asking_again_orders_no_second_card(self, setting):
        keys = setting.keys()
        await setting.placed(keys)
        again = await setting.vendor.place_all(keys)
        assert all(isinstance(each, KeyAtLock) for each in again)
        assert (len(setting.desk.written), await setting.pulled()) == (1, [])

    async def test_asking_at_once_orders_no_second_card(self, setting):
        await setting.pulled()
        await asyncio.gather(*(setting.vendor.place_all(setting.keys()) for _ in range(4)))
        assert len(await setting.pulled()) == 1

    async def test_a_desk_that_gives_no_sign_of_life_is_an_encoder_that_is_offline(self, setting):
        error = await refused(setting, setting.keys(), CardEncoderOffline)
        assert (error.cause.kind, error.permanent) == ("encoder_offline", False)
        await setting.pulled()
        setting.clock.advance(seconds=30)
        await refused(setting, setting.keys(), CardEncoderOffline)
        assert await setting.pulled() == []

    async def test_a_job_that_no_desk_takes_in_half_a_minute_is_called_off(self, setting):
        keys = setting.keys()
        await setting.pulled()
        (hand, _) = await setting.vendor.place_all(keys)
        setting.clock.advance(seconds=29)
        assert isinstance((await setting.vendor.status(hand.job, keys))[0], InHand)
        setting.clock.advance(seconds=1)
        (said, _) = await setting.vendor.status(hand.job, keys)
        assert isinstance(said, CardEncoderOffline)
        assert await setting.pulled() == []

    async def test_a_job_that_a_desk_has_waits_for_the_guest(self, setting):
        keys = setting.keys()
        await setting.pulled()
        (hand, _) = await setting.vendor.place_all(keys)
        await setting.take()
        setting.clock.advance(hours=6)
        (later, _) = await setting.vendor.status(hand.job, keys)
        assert (later.job, later.until) == (hand.job, keys[0].valid_until)
        await setting.work()
        assert isinstance((await setting.vendor.status(hand.job, keys))[0], KeyAtLock)

    @pytest.mark.parametrize("fault", ["no_card", "card_faulty", "encoder_offline"])
    async def test_a_card_that_was_not_written_is_told_once_and_then_ordered_anew(self, setting, fault):
        setting.desk.faults = [fault]
        keys = setting.keys()
        (said, _) = await setting.placed(keys)
        assert isinstance(said, LockError)
        assert not said.permanent
        (at, _) = await setting.placed(keys)
        assert setting.opens(at)

    async def test_an_answer_that_comes_twice_or_late_changes_nothing(self, setting):
        keys = setting.keys()
        await setting.pulled()
        (hand, _) = await setting.vendor.place_all(keys)
        (job,) = await setting.pulled()
        await setting.work()
        for state in (JobState.ERROR, JobState.RECEIVED, JobState.CANCELLED, JobState.PROCESSED):
            assert (await setting.jobs.advance(job.id, state)).state is JobState.PROCESSED
        assert isinstance((await setting.vendor.status(hand.job, keys))[0], KeyAtLock)
        assert len(await setting.jobs.made_at("1000101")) == 1

    async def test_a_card_that_was_written_after_all_is_known(self, setting):
        keys = setting.keys()
        await setting.pulled()
        await setting.vendor.place_all(keys)
        (job,) = await setting.pulled()
        setting.clock.advance(seconds=30)
        await setting.vendor.status(job.id, keys)
        await setting.answer(job)
        assert (await setting.vendor.find(keys[0])).vendor_ref == Secret(job.id)
        with pytest.raises(KeyRevokeFailed):
            await setting.vendor.remove(keys[0])

    async def test_a_removed_key_s_card_is_not_written_any_more(self, setting):
        keys = setting.keys()
        await setting.pulled()
        await setting.vendor.place_all(keys)
        for key in keys:
            assert await setting.vendor.remove(key) is None
        await setting.work()
        assert setting.desk.written == {}

    async def test_a_card_that_lies_on_the_encoder_is_waited_for(self, setting):
        keys = setting.keys()
        await setting.pulled()
        await setting.vendor.place_all(keys)
        (job,) = await setting.pulled()
        await setting.jobs.advance(job.id, JobState.PROCESSING)
        with pytest.raises(VendorUnreachable):
            await setting.vendor.remove(keys[0])
        await setting.answer(job)
        with pytest.raises(KeyRevokeFailed):
            await setting.vendor.remove(keys[0])

    async def test_a_written_card_is_not_taken_back_and_this_is_said(self, setting):
        keys = setting.keys()
        (at, _) = await setting.placed(keys)
        assert [each.code for each in at.warnings] == [REVOKE_PENDING_AT_LOCK]
        for key in keys:
            with pytest.raises(KeyRevokeFailed) as caught:
                await setting.vendor.remove(key)
            assert (caught.value.cause.kind, caught.value.permanent) == ("ends_by_time", True)
        setting.clock.advance(hours=48)
        for key in keys:
            await setting.vendor.remove(key)

    async def test_a_second_guest_s_card_ends_nobody_s(self, setting):
        (first, _) = await setting.placed(setting.keys())
        (second, _) = await setting.placed(setting.keys("second"))
        assert [setting.opens(each) for each in (second, first, second)] == [True] * 3

    async def test_the_next_guest_s_card_ends_that_of_one_who_left_early(self, setting):
        keys = setting.keys()
        (first, _) = await setting.placed(keys)
        with pytest.raises(KeyRevokeFailed):
            await setting.vendor.remove(keys[0])
        (second, front) = await setting.placed(setting.keys("second"))
        assert (setting.opens(second), setting.opens(first)) == (True, False)
        assert setting.opens(front, FRONT)

    @pytest.mark.parametrize(("role", "ends"), [(role, role is SetRole.REPLACEMENT) for role in SetRole])
    async def test_a_replacement_s_card_alone_ends_that_of_somebody_who_stays(self, setting, role, ends):
        lost = setting.keys()
        (first, _) = await setting.placed(lost)
        names = frozenset({lost[0].set_name})
        (second, _) = await setting.placed(setting.keys("second", role=role, instead_of=names))
        assert [setting.opens(second), setting.opens(first)] == [True, not ends]

    async def test_a_neighbour_s_card_still_opens_the_front_door(self, setting):
        (_, neighbour) = await setting.placed(setting.keys("neighbour", (DOOR_102, FRONT)))
        (left, _) = await setting.placed(setting.keys("left early"))
        with pytest.raises(KeyRevokeFailed):
            await setting.vendor.remove(setting.keys("left early")[0])
        (at, front) = await setting.placed(setting.keys())
        assert [setting.opens(each, FRONT) for each in (front, neighbour)] == [True, True]
        assert [setting.opens(each) for each in (at, left)] == [True, False]

    async def test_a_card_is_not_ordered_long_before_the_stay(self, setting):
        await setting.pulled()
        error = await refused(setting, setting.keys(valid_from=setting.clock.now() + DAY), VendorUnreachable)
        assert (error.cause.kind, deferred_by_us(error)) == ("too_early", True)
        assert setting.vendor.wait_after(error) == 6 * HOUR
        assert await setting.pulled() == []

    async def test_what_a_desk_cannot_make_is_refused_for_good(self, setting):
        await setting.pulled()
        error = await refused(setting, setting.keys(kind=MOBILE_APP), KeyIssueFailed)
        assert (error.cause.kind, error.permanent) == ("kind_not_offered", True)

    async def test_a_lock_of_nobody_is_not_paired(self, setting):
        await refused(setting, setting.keys(doors=(NOWHERE,)), DeviceNotPaired)

    async def test_a_restart_forgets_no_job(self, setting):
        keys = setting.keys()
        await setting.pulled()
        (hand, _) = await setting.vendor.place_all(keys)
        await setting.reopen()
        await setting.work()
        assert isinstance((await setting.vendor.status(hand.job, keys))[0], KeyAtLock)

    async def test_the_property_s_locks_are_listed(self, setting):
        listed = await setting.vendor.list_devices(KABUL.id)
        assert {each.device_id for each in listed} == {DOOR_101, DOOR_102, FRONT}
        assert (await setting.vendor.health_check(DOOR_101)).online
