"""Asking a vendor for a key at each of its locks."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.ids import CredentialId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.jobs import AtJob, answers_of
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.keywork.lock_key import lock_key
from shared.keywork.rounds import Answer, Outcome, Round
from shared.keywork.vendor_session import VendorSession
from shared.ledger.grant_record import MOST_GRANTS, NEVER, GrantRecord, grant_from
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.reservation import ref_of, reservation_from
from shared.ports.lock import InHand, KeyAtLock, LockKey, LockVendor
from shared.ports.lock_causes import OUT_OF_REACH, PIN_REFUSED, WINDOW_SPENT, about_the_pin

HOUR: Final = timedelta(hours=1)
COMPUTED_WITHIN: Final = timedelta(hours=25)
"""Only for a guest who comes within a day may a vendor choose the secret, and round the window."""
SHIFTS: Final = 3


async def asked(attempted: IssueAttempt, desk: VendorSession) -> IssueAttempt:
    """Ask at the locks, however many refuse, for a while: one out of reach must not keep the others shut.

    First comes what was in hand: its end may be known by now. Where the key is one artifact, it is asked for
    as one.
    """
    chosen = _Chosen(attempted, desk)

    async def place(placing: LockAttempt) -> KeyAtLock | InHand:
        return await _placed(placing, attempted, desk)

    async def place_all(placings: Sequence[LockAttempt]) -> Sequence[Outcome]:
        return await desk.port.place_all([_lock_key(each, attempted) for each in placings])

    def noted(placing: LockAttempt, answer: Answer) -> LockAttempt:
        return chosen.judged(_noted(placing, answer))

    # No other lock need learn a secret that is given up.
    round_ = Round(
        desk.port,
        attempted.task.vendor,
        lambda: attempted.task.now,
        place,
        lambda each: about_the_pin(each.error),
    )
    placings = await _ends_of_jobs(attempted, round_)
    in_turn = _in_turn(placings, attempted.began)
    parts = [placings[number] for number in in_turn]
    ask = round_.ask_as_one(parts, place_all, noted) if attempted.at_once else round_.ask(parts, noted)
    for number, placing in zip(in_turn, await ask, strict=False):
        placings[number] = placing
    return replace(attempted, placings=tuple(placings))


def _noted(placing: LockAttempt, answer: Answer) -> LockAttempt:
    return replace(placing, outcome=answer.outcome, answered_at=answer.answered_at, said=answer.said)


async def _ends_of_jobs(attempted: IssueAttempt, round_: Round[LockAttempt]) -> list[LockAttempt]:
    """Return all parts, those that wait for a job with what is known of its end."""
    waiting = [
        AtJob(number, each.kept, each.job, _lock_key(each, attempted))
        for number, each in enumerate(attempted.placings)
        if each.job is not None
    ]
    placings = list(attempted.placings)
    for number, answer in await answers_of(waiting, round_, attempted.task.now):
        placings[number] = _noted(placings[number], answer)
    return placings


def _in_turn(placings: Sequence[LockAttempt], began: datetime) -> list[int]:
    """Return which locks to ask: those nobody came to in this attempt; then any that has no key."""
    missing = [number for number, each in enumerate(placings) if each.standing is None and each.job is None]
    missed = [number for number in missing if placings[number].missed_since(began)]
    return sorted(missed or missing, key=lambda number: placings[number].asked_last or NEVER)


async def _placed(placing: LockAttempt, attempted: IssueAttempt, desk: VendorSession) -> KeyAtLock | InHand:
    """Place the key; where its lock is out of reach, perhaps one that the lock need not be told of."""
    key = _lock_key(placing, attempted)
    try:
        return await _place(desk.port, key)
    except VendorUnreachable as error:
        freer = await _freer(key, placing, attempted) if error.cause.kind == OUT_OF_REACH else None
        if freer is None:
            raise
    return await _place(desk.port, freer)


def _lock_key(placing: LockAttempt, attempted: IssueAttempt) -> LockKey:
    key, core = attempted.key, attempted.task.entry.credential.core
    return replace(
        lock_key(placing.kept, core.window, key, core),
        secret=None if key is None else key.artifact,
        intent_predates=not placing.fresh,
    )


class _Chosen:
    """The one secret of a key: its guest would hold several, had its locks different ones."""

    def __init__(self, attempted: IssueAttempt, desk: VendorSession) -> None:
        self._alone, self._vendor = len(attempted.placings) == 1, desk.vendor
        self._secret = attempted.secret

    def judged(self, asked: LockAttempt) -> LockAttempt:
        """Refuse a key with another secret than its other locks have; where none was told, the first counts.

        It stands at the lock all the same, and is to be taken back.
        """
        at = asked.outcome
        if not isinstance(at, KeyAtLock) or self._alone or at.secret is None:
            return asked
        self._secret = self._secret or at.secret
        if at.secret == self._secret:
            return asked
        refused = KeyIssueFailed(vendor=self._vendor, cause=LockErrorCause(PIN_REFUSED))
        return replace(asked, outcome=refused, fresh=False)


async def _place(port: LockVendor, key: LockKey) -> KeyAtLock | InHand:
    """Place the key; where this very window was used up at the lock, with an end some hours later."""
    for _ in range(SHIFTS):
        try:
            return await port.place(key)
        except KeyIssueFailed as refused:
            if refused.cause.kind != WINDOW_SPENT:
                raise
            key = replace(key, valid_until=key.valid_until + HOUR)
    return await port.place(key)


async def _freer(key: LockKey, placing: LockAttempt, attempted: IssueAttempt) -> LockKey | None:
    """Let the vendor choose the secret, and round the window, if that can harm neither guest."""
    task, window = attempted.task, attempted.task.entry.credential.core.window
    alone = len(attempted.placings) == 1 and key.kind is KeyCredentialKind.PIN_CODE
    if not alone or window.start > task.now + COMPUTED_WITHIN:
        return None
    neighbours = await _neighbours(placing.kept, task)
    if neighbours is None or _lived_in(neighbours, window):
        return None
    return replace(key, any_secret=True, not_before=_previous_end(neighbours, window))


async def _neighbours(mine: GrantRecord, task: AttemptContext) -> list[GrantRecord] | None:
    """Return what other guests hold at the lock for our rooms, or None where that is more than we see."""
    at_device, own = {"device_id": str(mine.grant.device_id)}, await _own_keys(task)
    found = await task.ledger.documents.query(AT_DEVICE, at_device, limit=MOST_GRANTS)
    others = (kept for kept in map(grant_from, found) if kept.grant.credential_id not in own)
    rooms = set(mine.grant.rooms)
    return None if len(found) == MOST_GRANTS else [kept for kept in others if rooms & {*kept.grant.rooms}]


async def _own_keys(task: AttemptContext) -> set[CredentialId]:
    """Return the keys of this guest's stay: one may be kept beside this one."""
    core = task.entry.credential.core
    if not isinstance(core.holder, Guest):
        return {core.id}
    found = await task.ledger.documents.get(ref_of(core.holder.reservation_id))
    return {core.id, *(() if found is None else reservation_from(found).credentials)}


def _previous_end(neighbours: Sequence[GrantRecord], window: StayWindow) -> datetime | None:
    """Return when the previous guest leaves, into whose stay a vendor may round our start."""
    return max((kept.until for kept in neighbours if kept.until <= window.start), default=None)


def _lived_in(neighbours: Sequence[GrantRecord], window: StayWindow) -> bool:
    """Say whether somebody's stay goes on when ours begins: no vendor may choose how early we come."""
    return any(kept.wanted and kept.since < window.start < kept.until for kept in neighbours)
