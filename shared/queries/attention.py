"""What somebody must see to: guests without their key, and locks that keep what should be gone."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Intended, Placed, Placement, Residual, Resting
from shared.domain.instants import instant_to_text, milliseconds
from shared.domain.lifecycle import name_of
from shared.domain.states import Failed
from shared.keywork.desired import hopeful
from shared.keywork.revival import looked_at
from shared.ledger.delays import STEP_LEASE
from shared.ledger.grant_record import (
    CLOCK_MARGIN,
    LONGEST_EXTENSION,
    PLACE,
    REST,
    YES,
    GrantRecord,
    Wish,
    grant_from,
)
from shared.ledger.indexes import KEYLESS, LEAVING, TASKS, WAITING
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ports.documents import TenantDocuments
from shared.ports.lock_causes import LockCause
from shared.queries.grants import at_or_none, grants_of, moment
from shared.queries.hotels import Cell, every, label_of
from shared.queries.keys import key_of

MOST_NAMED: Final = 20
PLACED: Final = frozenset(Placement)
HEEDED_WITHIN: Final = timedelta(minutes=1)
"""What is to go or rest has gone by then, if all is well: who has not is told of, asked or not."""
SOON: Final = timedelta(hours=2)
"""A guest who comes within so long is as good as at the door."""
TIMEOUT: Final = LockCause.TIMEOUT.value
AWAY_BY: Final = frozenset(
    {
        TIMEOUT,
        LockCause.CONNECTION_BROKEN.value,
        LockCause.UNREADABLE_ANSWER.value,
        LockCause.SERVER_ERROR.value,
        LockCause.PIN_TAKEN.value,
    }
)
"""After these a lock that was asked to change a key may have none."""
TWICE: Final = "second_code"
"""Why a lock is told of whose key is as it ought to be: it opens to another code as well."""


@dataclass(slots=True)
class _Found:
    """What was found so far, over all tenants."""

    failed: list[KeyRecord] = field(default_factory=list)
    waiting: int = 0
    locks: int = 0
    keyless: list[str] = field(default_factory=list)
    at_the_door: list[str] = field(default_factory=list)


async def attention(cell: Cell, now: datetime) -> dict[str, Any]:
    """Count failed keys that are wanted, keys yet to be made, locks with residues; name who has no key."""
    found = _Found()
    for store in await cell.asked(None):
        await _look_at(store, now, found)
    return {
        "failed_keys": len(found.failed),
        "failed": [_failed(each) for each in sorted(found.failed, key=_arrival)[:MOST_NAMED]],
        "waiting_keys": found.waiting,
        "residual_locks": found.locks,
        "keyless_stays": found.keyless[:MOST_NAMED],
        "keys_at_the_door": found.at_the_door[:MOST_NAMED],
    }


async def failed_keys(cell: Cell, tenant: str | None, now: datetime) -> list[dict[str, Any]]:
    """Return the keys that failed and are wanted still, as their guests arrive."""
    found = [key for store in await cell.known(tenant) async for key in failed_and_wanted(store, now)]
    return [_failed(each) for each in sorted(found, key=_arrival)]


def _arrival(record: KeyRecord) -> tuple[datetime, str]:
    return record.credential.core.window.start, record.id


def _failed(record: KeyRecord) -> dict[str, Any]:
    core, state = record.credential.core, record.credential.state
    assert isinstance(state, Failed)  # noqa: S101 - only such keys are asked about
    return {
        "key": record.id,
        "tenant": core.tenant,
        "property": core.property_id,
        "reservation": core.holder.reservation_id if isinstance(core.holder, Guest) else None,
        "rooms": list(core.rooms),
        "arrives": instant_to_text(core.window.start),
        "reason": state.reason,
        "since": instant_to_text(record.revival.first_failed or state.failed_at),
        "next_look": at_or_none(looked_at(record)),
    }


async def _look_at(store: TenantDocuments, now: datetime, found: _Found) -> None:
    found.failed += [key async for key in failed_and_wanted(store, now)]
    soon = milliseconds(now + SOON)
    async for document in every(store, WAITING, {}):
        record = key_record_from(document)
        found.waiting += record.to_be_made
        if document.data["waiting"] <= soon and await _lets_wait(store, record, now):
            found.at_the_door.append(document.ref.id)
    leaving = [grant_from(each) async for each in every(store, LEAVING, {})]
    found.locks += len({kept.grant.device_id for kept in leaving if is_left(kept, now)})
    shut = {str(kept.grant.credential_id) for kept in leaving if is_wanted(kept, now)}
    found.at_the_door += sorted(shut - {*found.at_the_door})
    found.keyless += [
        each.ref.id async for each in every(store, KEYLESS, {}) if _misses_keys(reservation_from(each), now)
    ]


async def _lets_wait(store: TenantDocuments, record: KeyRecord, now: datetime) -> bool:
    """Say whether a guest waits for a key, or for it to come to a door that their stay was changed to."""
    if record.to_be_made:
        return record.credential.core.window.end > now
    return any(_is_yet_to_come(kept, now) for kept in await grants_of(store, record.id))


def _is_yet_to_come(kept: GrantRecord, now: datetime) -> bool:
    intended = isinstance(kept.grant.state, Intended) and kept.wish is Wish.OPEN
    return intended and kept.since <= now + SOON and now < kept.until


def _misses_keys(record: Reservation, now: datetime) -> bool:
    """Say whether a stay lost its keys, or never had one and its guest is here or comes soon."""
    stay = record.stay
    if stay is None:
        return True
    return now < stay.end and (record.incarnation > 0 or stay.start <= now + SOON)


def may_still_open(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a lock still opens to what it should not: it was asked in vain, or given up.

    | what the key at the lock is to do | it may still open                                    |
    |-----------------------------------|------------------------------------------------------|
    | go, or rest                       | once its lock was asked in vain, or after a minute   |
    | open no longer than to a new end  | once its lock was asked in vain, or after a minute   |
    | go when another room stands       | as long as that is so                                |
    | wake, or open for longer          | no: its guest may be shut out, which is told apart   |

    Whether a saga still tries makes no difference (trial §2.3).
    """
    if isinstance(kept.grant.state, Residual):
        return not kept.lapsed(now)
    if kept.wish is Wish.LEFT:
        return True
    if isinstance(kept.grant.state, Resting) or (kept.wish is Wish.OPEN and not _is_cut_short(kept, now)):
        return False
    since = kept.wished_at or kept.grant.changed_at
    # What is gone and not believed yet may come back by an earlier call: after a minute it is told.
    in_vain = any(call.answer is not None and call.answer not in YES for call in kept.calls[-1:])
    return in_vain or now - since >= HEEDED_WITHIN


def is_left(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a lock has what should be gone: a key, or a second code beside one that is wanted."""
    return may_still_open(kept, now) or opens_twice(kept, now)


def opens_twice(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a lock opens to a code beside its key's own that nobody was told or could delete."""
    end = kept.grant.exposure_until
    return kept.has_second_code and (end is None or now < end + CLOCK_MARGIN)


def _is_cut_short(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a lock that did not hear of other dates may open longer than they say.

    By how little it was cut nobody can tell beforehand, for a vendor may round: at the new end it is told.
    """
    exposed = kept.grant.exposure_until
    long_before = exposed is None or exposed > kept.until + LONGEST_EXTENSION
    return kept.unmet and (long_before or now >= kept.until)


def is_wanted(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a guest is here, or comes soon, for whom the lock does not open as it is wished to.

    Where it was to rest meanwhile, or a call for it may have taken it away and not put it back, nobody knows
    whether the lock has the key at all: its guest is named too.
    """
    doubtful = kept.unmet or isinstance(kept.grant.state, Residual)
    may_lack = not _is_cut_short(kept, now) or _may_rest(kept) or _may_be_away(kept)
    shut = doubtful and kept.wish is Wish.OPEN and may_lack
    due = kept.since <= now + SOON and now < kept.until
    return (shut and due) or (kept.wish is Wish.LEFT and kept.since <= now + SOON)


def _may_rest(kept: GrantRecord) -> bool:
    """Say whether the lock was asked to let the key rest since it last said that it opens."""
    words = (call for call in reversed(kept.calls) if call.asked == REST or call.answer in PLACED)
    last = next(words, None)
    return last is not None and last.asked == REST


def _may_be_away(kept: GrantRecord) -> bool:
    """Say whether the lock was asked for the key since it had it, and nobody knows what came of that.

    What cannot be changed at a lock is deleted there and added anew: a call that broke off, or is under way,
    may be between the two.
    """
    since = takewhile(lambda call: call.answer not in PLACED, reversed(kept.calls))
    return any(call.asked == PLACE and (call.answer or TIMEOUT) in AWAY_BY for call in since)


async def failed_and_wanted(store: TenantDocuments, now: datetime) -> AsyncIterator[KeyRecord]:
    """Go through the keys that failed, whose stay is not over and that a confirmed stay still names."""
    async for task in every(store, TASKS, {}):
        record = await key_of(store, task.ref.id)
        if record is None or not isinstance(record.credential.state, Failed):
            continue
        if record.credential.core.window.end > now and await _named(store, record):
            yield record


async def _named(store: TenantDocuments, record: KeyRecord) -> bool:
    holder = record.credential.core.holder
    found = await store.get(ref_of(holder.reservation_id)) if isinstance(holder, Guest) else None
    stay = None if found is None else reservation_from(found)
    return stay is not None and stay.status is Status.CONFIRMED and record.id in stay.credentials


async def residues(
    cell: Cell, tenant: str | None, now: datetime, house: str | None = None
) -> list[dict[str, Any]]:
    """Return what should be gone and may still open a lock, the longest first, saga or no saga."""
    shown = []
    for store in await cell.known(tenant):
        async for document in every(store, LEAVING, {}):
            kept = grant_from(document)
            if house in (None, kept.grant.property_id) and is_left(kept, now):
                shown.append(await _residue(store, kept, now))
    return shown


def _cause(kept: GrantRecord) -> str | None:
    """Return why it is at its lock still: what its vendor said last, unless that is no refusal."""
    if kept.has_second_code and isinstance(kept.grant.state, Placed):
        return TWICE
    return getattr(kept.grant.state, "cause", None) or next((call.answer for call in kept.calls[-1:]), None)


def _next_try(kept: GrantRecord, record: KeyRecord | None, now: datetime) -> datetime | None:
    """Return when its lock is asked next: an execution that rests until then is looked after only later."""
    due = None if record is None else record.due
    if record is None or due is None or record.saga.parked or not hopeful(kept):
        return due
    return max(due - STEP_LEASE, now)


async def _residue(store: TenantDocuments, kept: GrantRecord, now: datetime) -> dict[str, Any]:
    grant, record = kept.grant, await key_of(store, kept.grant.credential_id)
    asked = kept.calls[-1:]
    holder = None if record is None else record.credential.core.holder
    return {
        "grant": grant.id,
        "key": grant.credential_id,
        "tenant": grant.tenant,
        "property": grant.property_id,
        "reservation": holder.reservation_id if isinstance(holder, Guest) else None,
        "device": grant.device_id,
        "label": await label_of(store, grant.device_id),
        "vendor": grant.vendor,
        "vendor_name": grant.vendor_name,
        "state": name_of(type(grant.state)),
        "wish": kept.wish,
        "since": instant_to_text(grant.changed_at),
        "cause": _cause(kept),
        "asked_last": next((moment(call.answered_at or call.at) for call in asked), None),
        "zone": None if record is None else record.credential.core.window.zone,
        "next_try": moment(_next_try(kept, record, now)),
        "exposure_until": at_or_none(grant.exposure_until),
    }
