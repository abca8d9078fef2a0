"""A key failed, and its stay is wanted still: when another is requested in its place, and who is told.

| when | another key is requested |
|---|---|
| its vendor took a key since, or the lock that refused it answered | at the next look |
| 15 minutes after the first failure, an hour after the next, six hours after each other | in any case |
| 24 hours and 2 hours before the stay | in any case |
| from 2 hours before the stay until its end | a quarter of an hour after each failure |

People are told of the first failure, and once more when a day, two hours and nothing are left until the stay:
the task for the desk says since when there is no key. Decision 0069.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import FailureReason, SetRole
from shared.domain.states import Failed
from shared.ledger.delays import (
    ANEW_AFTER,
    ANEW_BEFORE,
    ASKED_STILL_EVERY,
    LOOK_EVERY,
    LOOK_NEAR,
    NEEDED_WITHIN,
)
from shared.ledger.grant_record import GONE, PLACE, GrantRecord
from shared.ledger.key_record import KeyRecord, Revival
from shared.ports.lock_causes import LockCause

TAKEN: Final = frozenset(Placement)
CURABLE: Final = frozenset(
    {
        FailureReason.VENDOR_UNREACHABLE,
        FailureReason.KEY_ISSUE_FAILED,
        FailureReason.DEVICE_NOT_PAIRED,
        FailureReason.CARD_ENCODER_OFFLINE,
        FailureReason.NO_SUPPORTED_KIND,
    }
)
"""What may be otherwise another time; other keys failed because nobody wants them."""
AT_THE_LOCK: Final = frozenset(
    {
        LockCause.GATEWAY_OFFLINE,
        LockCause.NO_GATEWAY,
        LockCause.GATEWAY_BUSY,
        LockCause.LOCK_BUSY,
        LockCause.LOCK_FULL,
        LockCause.LOCK_FROZEN,
        LockCause.LOCK_SWAPPED,
        LockCause.NO_SUCH_LOCK,
        LockCause.NOT_PROVISIONED,
        LockCause.NO_PERMISSION,
        LockCause.NOT_SUPPORTED,
    }
)
"""Causes that another lock's answer says nothing of."""


def awaited(entry: KeyRecord) -> Failed | None:
    """Return how a key failed that another may stand in for, as long as nobody knows better.

    None stands in for one that was to open once: whoever stood at the door is ordered another.
    """
    core, state = entry.credential.core, entry.credential.state
    if core.role is SetRole.ONE_SHOT:
        return None
    if not isinstance(state, Failed) or state.reason not in CURABLE or entry.revival.let_go:
        return None
    return state if isinstance(core.holder, Guest) and state.failed_at < core.window.end else None


def anew_at(entry: KeyRecord, failed: Failed) -> datetime:
    """Return when another key is requested in any case."""
    start, at = entry.credential.core.window.start, failed.failed_at
    if at >= start - NEEDED_WITHIN:
        return at + ASKED_STILL_EVERY
    grown = at + ANEW_AFTER[min(entry.revival.times, len(ANEW_AFTER) - 1)]
    return min(moment for moment in (grown, *_checked(start)) if moment > at)


def looked_at(entry: KeyRecord) -> datetime | None:
    """Return when it is looked next whether another key is to be requested; None if never."""
    failed = awaited(entry)
    if failed is None:
        return None
    anew, last = anew_at(entry, failed), entry.revival.looked or failed.failed_at
    near = last >= entry.credential.core.window.start - NEEDED_WITHIN
    look = last + (LOOK_NEAR if near else LOOK_EVERY)
    return min(look, anew) if anew > last else look


def next_in_line(entry: KeyRecord, failed: Failed) -> Revival:
    """Return what the key stands in for that is requested in place of one that failed."""
    past = entry.revival
    return Revival(
        times=past.times + 1,
        first_failed=past.first_failed or failed.failed_at,
        last_failed=failed.failed_at,
    )


def told_anew(entry: KeyRecord, failed: Failed) -> bool:
    """Say whether people are to be told of a failure: of the first, and when their time runs out."""
    before, start = entry.revival.last_failed, entry.credential.core.window.start
    return before is None or any(before < moment <= failed.failed_at for moment in (*_checked(start), start))


def answers_again(grants: Iterable[GrantRecord], answered: Iterable[GrantRecord]) -> bool:
    """Say whether a vendor's yes, at some grants since a key failed, speaks for another try of the key.

    It must have taken a key, for it may let go of keys and take none. Where a lock would not, it must be that
    lock that answers; and one that was full must have let go of something.
    """
    refused = dict(_refused(grants))
    yes = ((kept.grant.device_id, kept.done_last) for kept in answered)
    said = [(device, call.answer) for device, call in yes if call is not None]
    if not refused:
        return any(answer in TAKEN for _, answer in said)
    return any(
        device in refused and (answer == GONE or refused[device] != LockCause.LOCK_FULL)
        for device, answer in said
    )


def _refused(grants: Iterable[GrantRecord]) -> Iterator[tuple[LockDeviceId, str]]:
    """Return the locks that would not have the key, each with its cause, where that is of the lock."""
    for kept in grants:
        last = next((call.answer for call in reversed(kept.calls) if call.asked == PLACE), None)
        if last in AT_THE_LOCK:
            yield kept.grant.device_id, str(last)


def _checked(start: datetime) -> tuple[datetime, ...]:
    return tuple(start - before for before in ANEW_BEFORE)
