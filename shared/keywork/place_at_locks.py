"""Asking a vendor for a key at each of its locks."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.replacing import replace
from shared.keywork.calls_told import tell_of_call
from shared.keywork.jobs import AtJob, answers_of
from shared.keywork.leeway import told, with_leeway
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.keywork.lock_key import ended_by, lock_key
from shared.keywork.neighbours import kept_apart, neighbours_of
from shared.keywork.rounds import Answer, Outcome, Round
from shared.keywork.vendor_session import VendorSession
from shared.ledger.grant_record import NEVER, PLACE
from shared.ports.lock import InHand, KeyAtLock, LockKey, LockVendor
from shared.ports.lock_causes import OUT_OF_REACH, PIN_REFUSED, WINDOW_SPENT, about_the_pin

HOUR: Final = timedelta(hours=1)
COMPUTED_WITHIN: Final = timedelta(hours=25)
"""Only for a guest who comes within a day may a vendor choose the secret."""
SHIFTS: Final = 3


async def place_at_locks(attempted: IssueAttempt, desk: VendorSession) -> IssueAttempt:
    """Ask at the locks, however many refuse, for a while: one out of reach must not keep the others shut.

    First comes what was in hand: its end may be known by now. Where the key is one artifact, it is asked for
    as one.
    """
    chosen = _Chosen(attempted, desk)

    async def place(placing: LockAttempt) -> KeyAtLock | InHand:
        return await _placed(placing, attempted, desk)

    async def place_all(placings: Sequence[LockAttempt]) -> Sequence[Outcome]:
        keys = [await _lock_key(each, attempted, desk) for each in placings]
        outcomes = await desk.port.place_all(keys)
        stay = attempted.task.entry.credential.core.window
        return [told(outcome, key, stay) for outcome, key in zip(outcomes, keys, strict=True)]

    def noted(placing: LockAttempt, answer: Answer) -> LockAttempt:
        tell_of_call(attempted.task, PLACE, answer)
        return chosen.judged(_noted(placing, answer))

    # No other lock need learn a secret that is given up.
    round_ = Round(
        desk.port,
        attempted.task.vendor,
        lambda: attempted.task.now,
        place,
        lambda each: about_the_pin(each.error),
    )
    placings = await _ends_of_jobs(attempted, round_, desk)
    in_turn = _in_turn(placings, attempted.began)
    parts = [placings[number] for number in in_turn]
    ask = round_.ask_as_one(parts, place_all, noted) if attempted.at_once else round_.ask(parts, noted)
    for number, placing in zip(in_turn, await ask, strict=False):
        placings[number] = placing
    return replace(attempted, placings=tuple(placings))


def _noted(placing: LockAttempt, answer: Answer) -> LockAttempt:
    return replace(placing, outcome=answer.outcome, answered_at=answer.answered_at, said=answer.said)


async def _ends_of_jobs(
    attempted: IssueAttempt, round_: Round[LockAttempt], desk: VendorSession
) -> list[LockAttempt]:
    """Return all parts, those that wait for a job with what is known of its end."""
    waiting = [
        AtJob(number, each.kept, each.job, await _lock_key(each, attempted, desk))
        for number, each in enumerate(attempted.placings)
        if each.job is not None
    ]
    placings = list(attempted.placings)
    for number, answer in await answers_of(waiting, round_, attempted.task.now):
        placings[number] = _noted(placings[number], answer)
    return placings


def _in_turn(placings: Sequence[LockAttempt], began: datetime) -> list[int]:
    """Return which locks to ask: those nobody came to in this attempt; then any that has no key."""
    missing = [number for number, each in enumerate(placings) if not each.stands and each.job is None]
    missed = [number for number in missing if placings[number].missed_since(began)]
    return sorted(missed or missing, key=lambda number: placings[number].asked_last or NEVER)


async def _placed(placing: LockAttempt, attempted: IssueAttempt, desk: VendorSession) -> KeyAtLock | InHand:
    """Place the key; where its lock is out of reach, perhaps one that the lock need not be told of."""
    key = await kept_apart(await _lock_key(placing, attempted, desk), placing.kept, attempted.task)
    try:
        return told(await _place(desk.port, key), key, attempted.task.entry.credential.core.window)
    except VendorUnreachable as error:
        freer = await _freer(key, placing, attempted) if error.cause.kind == OUT_OF_REACH else None
        if freer is None:
            raise
    return await _place(desk.port, freer)


async def _lock_key(placing: LockAttempt, attempted: IssueAttempt, desk: VendorSession) -> LockKey:
    key, core = attempted.key, attempted.task.entry.credential.core
    asked_for = replace(
        lock_key(placing.kept, core.window, key, core),
        secret=None if key is None else key.artifact,
        intent_predates=not placing.fresh,
        instead_of=await ended_by(core, attempted.task.ledger.documents),
    )
    return await with_leeway(asked_for, placing.kept, attempted.task, desk.premises.policy)


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
    """Place the key; where this very window was used up at the lock, with an end some hours sooner."""
    for _ in range(SHIFTS):
        try:
            return await port.place(key)
        except KeyIssueFailed as refused:
            if refused.cause.kind != WINDOW_SPENT:
                raise
            key = replace(key, valid_until=key.valid_until - HOUR)
    return await port.place(key)


async def _freer(key: LockKey, placing: LockAttempt, attempted: IssueAttempt) -> LockKey | None:
    """Let the vendor choose the secret, and open for less than the stay, if that can harm no other guest."""
    task, window = attempted.task, attempted.task.entry.credential.core.window
    alone = len(attempted.placings) == 1 and key.kind is KeyCredentialKind.PIN_CODE
    if not alone or window.start > task.now + COMPUTED_WITHIN:
        return None
    neighbours = await neighbours_of(placing.kept, task)
    if neighbours is None or await neighbours.lived_in(window, task.ledger):
        return None
    return replace(key, any_secret=True, valid_from=window.start, valid_until=window.end)
