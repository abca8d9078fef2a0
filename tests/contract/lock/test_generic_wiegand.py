"""Cards that a front desk writes keep every promise, with a simulated desk; broken ones fail theirs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.instants import milliseconds
from shared.domain.lock_errors import LockError
from shared.ports.lock import InHand
from shared.vendor_kit.desk_jobs import STEPS, DeskJob, DeskJobs, JobError, JobState
from shared.vendor_kit.desk_keys import DeskVendor
from shared.vendor_kit.written_cards import WrittenCard
from tests.contract.failing import failure_of
from tests.contract.lock.carried_port_suite import DeskPortContract
from tests.contract.lock.desk_setting import DeskSetting
from tests.contract.lock.desk_suite import DeskContract
from tests.contract.lock.setting import TENANT


class FiasSetting(DeskSetting):
    """A desk that has its cards written by a lock system."""

    dialect = "fias"


@pytest.fixture(params=[DeskSetting, FiasSetting], ids=lambda kind: kind.__name__)
async def setting(tmp_path, request):
    async with request.param(tmp_path) as setting:
        yield setting


class TestGenericWiegand(DeskContract):
    """An encoder of the desk's own, or a lock system that speaks FIAS."""


class TestGenericWiegandPort(DeskPortContract):
    """The LockPort of such desks."""


async def test_a_job_says_in_which_dialect_its_card_is_written(setting):
    await setting.pulled()
    await setting.vendor.place_all(setting.keys())
    (job,) = await setting.pulled()
    assert job.dialect == (setting.dialect or "encoder")
    assert job.rooms == ("1000101",)


async def test_a_card_is_above_one_that_a_desk_whose_clock_is_ahead_made_alone(setting):
    await setting.pulled()
    (own, *_), now = setting.keys(), setting.clock.now()
    ahead = milliseconds(now + timedelta(minutes=4))
    alone = WrittenCard("loc_1", own.set_name, now + timedelta(hours=48), now, ahead)
    documents = setting.means.documents.tenant(TENANT)
    await documents.commit(setting.jobs.note(alone, ["1000101"]))

    await setting.vendor.place_all(setting.keys())

    (job,) = await setting.pulled()
    assert (job.overrides, job.number) == (True, ahead + 1)


async def test_a_card_that_leaves_a_door_is_written_for_its_others_all_the_same(setting):
    await setting.pulled()
    (here, left) = setting.keys()
    (hand,) = await setting.vendor.place_all([here])

    await setting.vendor.remove(left)

    assert [each.id for each in await setting.pulled()] == [hand.job]


async def test_a_card_is_ordered_however_often_it_came_to_nothing_before_and_its_last_job_is_soon_found(
    setting, monkeypatch
):
    await setting.pulled()
    for _ in range(70):
        await setting.vendor.place_all(setting.keys())
        (job,) = await setting.pulled()
        await setting.jobs.advance(job.id, JobState.ERROR, JobError.CARD_FAULTY)
        await setting.jobs.report(job.id)
    looked, find = [], DeskJobs.find

    async def counted(self, id_):
        looked.append(id_)
        return await find(self, id_)

    monkeypatch.setattr(DeskJobs, "find", counted)
    (hand, _) = await setting.vendor.place_all(setting.keys())
    assert (isinstance(hand, InHand), len(looked) < 20) == (True, True)
    assert [each.id for each in await setting.pulled()] == [hand.job]


async def test_a_dialect_nobody_speaks_is_refused(tmp_path):
    async with DeskSetting(tmp_path) as setting:
        setting.dialect = "morse"
        with pytest.raises(InvalidInput, match=r"account\.dialect"):
            setting.make_vendor()


def takes_silence_for_patience(patch):
    """Waits for a desk that is not there."""
    patch.setattr(DeskJob, "silent", lambda self, now: False)


def orders_whether_anybody_is_there_or_not(patch):
    """Believes in a desk."""

    async def silent(self):
        return False

    patch.setattr(DeskJobs, "desk_is_silent", silent)


def lets_a_late_answer_undo_a_card(patch):
    """Believes whatever is said last."""
    patch.setitem(STEPS, JobState.PROCESSED, frozenset(JobState))


def always_overrides(patch):
    """Ends whoever's cards were written before."""

    async def shared(self, rooms, name):
        return False

    patch.setattr(DeskVendor, "_shared", shared)


def always_joins(patch):
    """Ends nobody's card."""

    async def shared(self, rooms, name):
        return True

    patch.setattr(DeskVendor, "_shared", shared)


def overrides_at_every_door(patch):
    """Takes the front door for a room."""
    patch.setattr(DeskVendor, "_rooms", lambda self, keys: tuple(map(self._door, keys)))


def calls_nothing_off(patch):
    """Lets a card be written for a key that is to go."""

    async def call_off(self, id_):
        return await self.find(id_)

    patch.setattr(DeskJobs, "call_off", call_off)


def says_it_took_a_card_back(patch):
    """Takes a wish for a deed."""

    async def carried(self, key, left):
        """Say nothing."""

    patch.setattr(DeskVendor, "_refuse_carried", carried)


def orders_a_card_for_each_door(patch):
    """Takes a key for as many keys as it has doors."""
    place_all = DeskVendor.place_all

    async def one_by_one(self, keys):
        alone = (replace(key, set_name=key.name) for key in keys)
        return [placed for key in alone for placed in await place_all(self, [key])]

    patch.setattr(DeskVendor, "place_all", one_by_one)


BROKEN = {
    takes_silence_for_patience: "test_a_job_that_no_desk_takes_in_half_a_minute_is_called_off",
    orders_whether_anybody_is_there_or_not: (
        "test_a_desk_that_gives_no_sign_of_life_is_an_encoder_that_is_offline"
    ),
    lets_a_late_answer_undo_a_card: "test_an_answer_that_comes_twice_or_late_changes_nothing",
    always_overrides: "test_a_second_guest_s_card_ends_nobody_s",
    always_joins: "test_the_next_guest_s_card_ends_that_of_one_who_left_early",
    overrides_at_every_door: "test_a_neighbour_s_card_still_opens_the_front_door",
    calls_nothing_off: "test_a_removed_key_s_card_is_not_written_any_more",
    says_it_took_a_card_back: "test_a_written_card_is_not_taken_back_and_this_is_said",
    orders_a_card_for_each_door: "test_one_card_opens_all_doors_of_its_key_and_no_other",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda change: change.__name__)
async def test_a_broken_desk_fails_its_guarantee(tmp_path, broken, monkeypatch):
    broken(monkeypatch)
    async with DeskSetting(tmp_path) as setting:
        test = getattr(DeskContract(), BROKEN[broken])
        assert await failure_of(test, setting, refusal=LockError)
