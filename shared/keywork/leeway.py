"""How much longer than the stay its key opens, as the policy wants it, while its room is nobody else's.

| at the key's lock, before and after the stay | the key opens |
|---|---|
| nobody has the rooms | as early and as late as the policy says |
| another guest's key opens within that time | from when that ends, until when that begins |
| another guest's key opens within the stay itself, by its own leeway | it is placed again, and ends there |
| another's was asked for at the same time, and neither knew how the other would stand | one is placed again |

A stay is what it was booked as: only its keys at the locks know of this. Who comes late gets the leeway that
is left; nobody's grows when a neighbour goes. Decision 0177.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from shared.domain.core import Guest
from shared.domain.kinds import OPENS_BEYOND_STAY, KeyWarning, SetRole
from shared.domain.policy import KeyKindPolicy
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.neighbours import neighbours_of
from shared.keywork.orders import Order, place_key_again
from shared.keywork.rounds import Outcome
from shared.keywork.services import retry_on_conflict
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause
from shared.ports.lock import KeyAtLock, LockKey

Said = TypeVar("Said", bound=Outcome)


async def with_leeway(
    key: LockKey, mine: GrantRecord, task: AttemptContext, policy: KeyKindPolicy
) -> LockKey:
    """Return a guest's key as long as it may open; whoever still opens in its stay is made to end."""
    core = task.entry.credential.core
    if not (policy.has_leeway and isinstance(core.holder, Guest)) or core.role is SetRole.ONE_SHOT:
        return key
    neighbours = await neighbours_of(mine, task)
    if neighbours is None:  # nobody can tell whose stays are near
        return key
    window = StayWindow(key.valid_from, key.valid_until, core.window.zone)
    await _made_way(neighbours.within(window), task)
    early, late = policy.early_arrival, policy.late_departure
    around = StayWindow(window.start - early, window.end + late, window.zone)
    others = await neighbours.of_guests(around, task.ledger)
    return replace(key, valid_from=_start(around, window, others), valid_until=_end(around, window, others))


async def kept_to_itself(task: AttemptContext, policy: KeyKindPolicy) -> None:
    """Look once more, now that it is saved how our key stands: who was asked for meanwhile could not know.

    Of two that were, the later to be saved sees the other.
    """
    if not (policy.has_leeway and isinstance(task.entry.credential.core.holder, Guest)):
        return
    for mine in await task.grants():
        if not (mine.stands and mine.opens_beyond_stay):
            continue
        neighbours = await neighbours_of(mine, task)
        if neighbours is not None:
            await _made_way(await neighbours.to_yield_beside(mine, task.ledger), task)


def told(outcome: Said, key: LockKey, stay: StayWindow) -> Said:
    """Return what a lock said, with what staff are to know of a key that opens longer than its stay."""
    asked_longer = (key.valid_from, key.valid_until) != (stay.start, stay.end)
    if not (asked_longer and isinstance(outcome, KeyAtLock)):
        return outcome
    opens = f"opens from {outcome.valid_from:%F %H:%M} to {outcome.valid_until:%F %H:%M} UTC, as policy wants"
    warnings = (*outcome.warnings, KeyWarning(OPENS_BEYOND_STAY, opens))
    return replace(outcome, warnings=warnings)


def _start(around: StayWindow, window: StayWindow, others: Sequence[GrantRecord]) -> datetime:
    ends = (min(kept.opens[1], window.start) for kept in others if kept.since < window.start)
    return max((around.start, *ends))


def _end(around: StayWindow, window: StayWindow, others: Sequence[GrantRecord]) -> datetime:
    starts = (max(kept.opens[0], window.end) for kept in others if kept.until > window.end)
    return min((around.end, *starts))


async def _made_way(within: Sequence[GrantRecord], task: AttemptContext) -> None:
    """Have keys placed again whose leeway reaches where another guest is: they end there."""
    for kept in within:
        await retry_on_conflict(partial(_placed_again, kept, task))


async def _placed_again(seen: GrantRecord, task: AttemptContext) -> None:
    entry = await task.ledger.entry(seen.grant.credential_id)
    if entry is None or not isinstance(entry.credential.core.holder, Guest):
        return
    grants = await task.ledger.grants(entry)
    standing = [kept for kept in grants if kept.grant.id == seen.grant.id and kept.stands]
    for kept in standing:
        change = place_key_again(entry, kept, Order(Cause(task.entry.cause.trace_id), task.now))
        if change is not None:
            # No adapter begins work: the sweeper does, within its minute.
            await task.ledger.save(change)
