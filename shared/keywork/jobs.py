"""What became of jobs that a vendor had in hand: told by others, or asked for when nobody told in time.

| its end was told | its time is over | what is known |
|---|---|---|
| as failed | | that error |
| as done | | what the vendor's `status` says of it; still in hand, it is asked for again within a minute |
| | yes | what `status` says; still in hand, it is a failure: the encoder is offline, or nobody answered |
| | no | it is still in hand, and the vendor is not asked |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from shared.domain.lock_errors import (
    CardEncoderOffline,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    LockErrorCause,
    VendorUnreachable,
)
from shared.keywork.rounds import Answer, Outcome, Round
from shared.ledger.delays import LONGEST_SLEEP
from shared.ledger.grant_record import PLACE, REMOVE, REST, WAKE, GrantRecord
from shared.ledger.job_in_hand import JobInHand
from shared.ports.lock import InHand, KeyAtLock, LockKey
from shared.ports.lock_causes import LockCause

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class AtJob(Generic[A]):
    """A lock's part that waits for a job, and the key that the vendor is told of in asking for it."""

    part: A
    kept: GrantRecord
    job: JobInHand
    key: LockKey


async def answers_of(
    waiting: Sequence[AtJob[A]], round_: Round[Any], now: datetime
) -> list[tuple[A, Answer]]:
    """Return each lock's part with what is known of its job; a job is asked for once, whatever its locks."""
    known = [(each, _told(each, now)) for each in waiting]
    answered = [(each.part, Answer(outcome, now, now)) for each, outcome in known if outcome is not None]
    unknown = [each for each, outcome in known if outcome is None]
    for name in dict.fromkeys(each.job.job for each in unknown):
        of_job = [each for each in unknown if each.job.job == name]
        answered += await _asked(name, of_job, round_, now)
    return answered


def _told(it: AtJob[A], now: datetime) -> LockError | InHand | None:
    """Return what is known without the vendor, if that is enough."""
    if it.job.end is not None:
        return it.job.end.error(_about(it))
    return InHand(it.job.job, it.job.until, it.job.encoder) if it.job.waits(now) else None


async def _asked(
    name: str, of_job: Sequence[AtJob[A]], round_: Round[Any], now: datetime
) -> list[tuple[A, Answer]]:
    async def status(parts: Sequence[AtJob[A]]) -> Sequence[Outcome]:
        return await round_.port.status(name, [each.key for each in parts])

    answers = await round_.answers_as_one(of_job, status)
    return [
        (each.part, replace(answer, outcome=_judged(each, answer.outcome, now)))
        for each, answer in zip(of_job, answers, strict=True)
    ]


def _judged(it: AtJob[A], outcome: Outcome, now: datetime) -> Outcome:
    """Return what is believed of a job's end: one that is still in hand beyond its time has failed."""
    if not isinstance(outcome, InHand):
        return _fitting(it, outcome)
    if it.job.end is not None:
        return replace(outcome, until=min(outcome.until, now + LONGEST_SLEEP))
    return outcome if outcome.until > now else _unanswered(it)


def _fitting(it: AtJob[A], outcome: KeyAtLock | LockError | None) -> Outcome:
    """Refuse an end that is not of what was asked for: no key where one was placed, or one still there."""
    if outcome is None and it.job.asked in (PLACE, WAKE):
        return KeyIssueFailed(cause=LockErrorCause(LockCause.NO_SUCH_KEY), **_about(it))  # type: ignore[arg-type]
    if isinstance(outcome, KeyAtLock) and it.job.asked in (REMOVE, REST):
        return KeyRevokeFailed(cause=LockErrorCause(LockCause.REFUSED), **_about(it))  # type: ignore[arg-type]
    return outcome


def _unanswered(it: AtJob[A]) -> LockError:
    vendor, cause = it.kept.grant.vendor, LockErrorCause(LockCause.JOB_UNANSWERED)
    if it.job.encoder is not None:
        return CardEncoderOffline(vendor=vendor, device_id=it.job.encoder, cause=cause)
    return VendorUnreachable(vendor=vendor, device_id=it.kept.grant.device_id, cause=cause)


def _about(it: AtJob[A]) -> dict[str, object]:
    """Return what an error that others told is about."""
    grant = it.kept.grant
    device = it.job.encoder or grant.device_id
    return {"vendor": grant.vendor, "device_id": device, "credential_id": grant.credential_id}
