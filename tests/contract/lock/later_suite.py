"""What every vendor promises that answers later: a job is told of truly, and none outlives its key's removal.

A setting says how somebody at the vendor's end does the work: `finish(job)` ends a job well, and says whether
there was anything to end; `spoil(job)` ends it badly. `together` are the keys of one artifact for all doors.
"""

from dataclasses import replace

from shared.domain.lock_errors import LockError
from shared.ports.lock import InHand, KeyAtLock
from tests.contract.lock.setting import DAY


async def asked(setting):
    """Ask for the key at all its doors, and return the one job of it."""
    answers = await setting.vendor.place_all(setting.together())
    assert all(isinstance(each, InHand) for each in answers)
    (job,) = {each.job for each in answers}
    return job


class LaterContract:
    """The guarantees of `place_all`, `status` and `remove` at a vendor that has keys in hand."""

    async def test_a_key_in_hand_opens_nothing_yet_and_says_until_when_to_wait(self, setting):
        answers = await setting.vendor.place_all(setting.together())
        assert [each.until > setting.clock.now() for each in answers] == [True] * len(answers)
        assert await setting.counts() == [0] * len(answers)

    async def test_a_key_asked_for_again_is_the_same_job(self, setting):
        assert await asked(setting) == await asked(setting)

    async def test_a_job_that_nobody_did_is_still_in_hand(self, setting):
        job = await asked(setting)
        answers = await setting.vendor.status(job, setting.together())
        assert [each.job for each in answers] == [job] * len(answers)

    async def test_a_job_that_is_done_stands_at_every_lock_and_once(self, setting):
        job = await asked(setting)
        assert await setting.finish(job)
        for answers in (
            await setting.vendor.status(job, setting.together()),
            await setting.vendor.place_all(setting.together()),
        ):
            assert all(isinstance(each, KeyAtLock) for each in answers)
        assert await setting.counts() == [1] * len(setting.together())

    async def test_a_job_that_failed_is_an_error_and_may_be_asked_for_anew(self, setting):
        job = await asked(setting)
        await setting.spoil(job)
        answers = await setting.vendor.status(job, setting.together())
        assert all(isinstance(each, LockError) for each in answers)
        assert await setting.finish(await asked(setting))

    async def test_a_job_nobody_knows_is_an_error(self, setting):
        answers = await setting.vendor.status("nobody-s", setting.together())
        assert all(isinstance(each, LockError) for each in answers)

    async def test_removing_a_key_in_hand_calls_its_job_off(self, setting):
        job = await asked(setting)
        assert await setting.vendor.remove_all(setting.together()) == [None] * len(setting.together())
        assert not await setting.finish(job)
        assert await setting.counts() == [0] * len(setting.together())

    async def test_a_job_is_done_in_its_time_or_not_at_all(self, setting):
        job = await asked(setting)
        setting.clock.advance(days=30)
        assert not await setting.finish(job)

    async def test_a_key_that_stands_is_asked_for_anew_when_its_end_moves(self, setting):
        await setting.finish(await asked(setting))
        longer = [replace(key, valid_until=key.valid_until + DAY) for key in setting.together()]
        answers = await setting.vendor.place_all(longer)
        assert all(isinstance(each, InHand) for each in answers)
