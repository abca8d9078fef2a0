"""What is known of a vendor's job: what others told, or what status says; after its time it has failed."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import CardEncoderOffline, KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.keywork.jobs import AtJob, answers_of
from shared.keywork.lock_key import lock_key
from shared.keywork.rounds import Round
from shared.ledger.job_in_hand import JobEnd, JobInHand
from shared.ports.lock import InHand, KeyAtLock
from tests.support.ledger_books import ARRIVAL, DAY, DOOR, HOUR, MINUTE, MOCK, NOW

FRONT, ENCODER = (
    LockDeviceId("lck_01KSAMP1E00000000000000001"),
    LockDeviceId("lck_01KSAMP1E00000000000000900"),
)
STANDS = KeyAtLock(vendor_ref=Secret("r"), valid_from=ARRIVAL, valid_until=ARRIVAL + DAY, exposure_until=None)
SPOILT = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("refused", "spoilt"))
JOB = JobInHand("job-1", "place", NOW, NOW + HOUR)


class Port:
    """A vendor that says of a job what a test wants, and notes what it was asked."""

    def __init__(self, says):
        self.says, self.asked = says, []

    def visit(self):
        return nullcontext()

    async def status(self, job, keys):
        self.asked.append((job, len(keys)))
        if isinstance(self.says, VendorUnreachable):
            raise self.says
        return [self.says] * len(keys)


@pytest.fixture
def known(books):
    """Return what is known of a job at two doors, some time after it began, and what the vendor was asked."""

    async def of(job, says=None, after=MINUTE):
        entry, _ = books.requested()
        core, port, now = entry.credential.core, Port(says), NOW + after
        waiting = [
            AtJob(door, kept := books.kept(entry, door), job, lock_key(kept, core.window, None, core))
            for door in (DOOR, FRONT)
        ]
        found = await answers_of(waiting, Round(port, MOCK, lambda: now, None), now)
        assert [part for part, _ in found] == [DOOR, FRONT]
        return [answer.outcome for _, answer in found], port.asked

    return of


async def test_job_whose_time_goes_on_is_still_in_hand_and_nobody_is_asked(known):
    outcomes, asked = await known(JOB)
    assert (outcomes, asked) == ([InHand("job-1", NOW + HOUR)] * 2, [])


async def test_job_that_failed_is_the_error_that_was_told_and_nobody_is_asked(known):
    outcomes, asked = await known(replace(JOB, end=JobEnd.of(SPOILT, NOW)))
    assert [(type(each), each.cause) for each in outcomes] == [(KeyIssueFailed, SPOILT.cause)] * 2
    assert asked == []


async def test_job_that_is_done_is_what_its_vendor_says_asked_once_for_all_its_locks(known):
    outcomes, asked = await known(replace(JOB, end=JobEnd(NOW)), STANDS)
    assert (outcomes, asked) == ([STANDS] * 2, [("job-1", 2)])


async def test_job_that_is_done_and_not_seen_yet_is_asked_for_within_a_minute(known):
    outcomes, _ = await known(replace(JOB, end=JobEnd(NOW)), InHand("job-1", NOW + DAY))
    assert {each.until for each in outcomes} == {NOW + 2 * MINUTE}


async def test_job_that_nobody_told_of_in_its_time_is_asked_for_and_may_go_on(known):
    outcomes, _ = await known(JOB, InHand("job-1", NOW + DAY), after=HOUR)
    assert {each.until for each in outcomes} == {NOW + DAY}


@pytest.mark.parametrize(
    ("encoder", "error", "device"), [(ENCODER, CardEncoderOffline, ENCODER), (None, VendorUnreachable, DOOR)]
)
async def test_job_that_nobody_did_in_its_time_has_failed(known, encoder, error, device):
    job = replace(JOB, encoder=encoder)
    outcomes, _ = await known(job, InHand("job-1", NOW + HOUR), after=HOUR + MINUTE)
    assert (type(outcomes[0]), outcomes[0].cause.kind) == (error, "job_unanswered")
    assert outcomes[0].device_id == device


async def test_vendor_that_does_not_even_answer_for_a_job_is_unreachable(known):
    silent = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
    assert (await known(JOB, silent, after=timedelta(days=2)))[0] == [silent] * 2


@pytest.mark.parametrize(("asked", "says"), [("place", None), ("remove", STANDS)])
async def test_end_of_something_else_than_was_asked_is_an_error(known, asked, says):
    outcomes, _ = await known(replace(JOB, asked=asked, end=JobEnd(NOW)), says)
    assert [each.code.rpartition(".")[2] for each in outcomes] == [
        "KEY_ISSUE_FAILED" if asked == "place" else "KEY_REVOKE_FAILED"
    ] * 2


async def test_removal_that_is_done_is_nothing_but_success(known):
    outcomes, _ = await known(replace(JOB, asked="remove", end=JobEnd(NOW)), None)
    assert outcomes == [None, None]
