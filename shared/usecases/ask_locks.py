"""Asking a vendor for a key at each of its locks."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import KeyIssueFailed, LockError
from shared.ledger.delays import LONGEST_ROUND
from shared.ledger.entry import milliseconds
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.kept_grant import MOST_GRANTS, NEVER, grant_from
from shared.ports.lock import KeyAtLock, LockKey, LockVendor
from shared.ports.lock_causes import WINDOW_SPENT, about_the_pin
from shared.usecases.lock_desk import LockDesk
from shared.usecases.lock_key import lock_key
from shared.usecases.placing import Attempted, Placing

HOUR: Final = timedelta(hours=1)
COMPUTED_WITHIN: Final = timedelta(hours=25)
"""Only for a guest who comes within a day may a vendor choose the secret, and round the window."""
SHIFTS: Final = 3


async def asked(attempted: Attempted, desk: LockDesk) -> Attempted:
    """Ask at the locks, however many refuse, for a while: one out of reach must not keep the others shut."""
    placings = list(attempted.placings)
    late = attempted.task.now + LONGEST_ROUND
    async with desk.port.visit():
        for number in _in_turn(placings, attempted.began):
            placings[number] = await _asked_at(placings[number], attempted, desk)
            if about_the_pin(placings[number].error) or attempted.task.now >= late:
                break  # no other lock need learn a secret that is given up; what is done is saved in time
    return replace(attempted, placings=tuple(placings))


def _in_turn(placings: Sequence[Placing], began: datetime) -> list[int]:
    """Return which locks to ask: those nobody came to in this attempt; then any that has no key."""
    missing = [number for number, placing in enumerate(placings) if placing.standing is None]
    missed = [number for number in missing if placings[number].missed_since(began)]
    return sorted(missed or missing, key=lambda number: placings[number].asked_last or NEVER)


async def _asked_at(placing: Placing, attempted: Attempted, desk: LockDesk) -> Placing:
    key = await _lock_key(placing, attempted)
    outcome: KeyAtLock | LockError
    try:
        outcome = await _place(desk.port, key)
    except LockError as error:
        outcome = error
    return replace(placing, outcome=outcome, answered_at=attempted.task.now)


async def _place(port: LockVendor, key: LockKey) -> KeyAtLock:
    """Place the key; where this very window was used up at the lock, with an end some hours later."""
    for _ in range(SHIFTS):
        try:
            return await port.place(key)
        except KeyIssueFailed as refused:
            if refused.cause.kind != WINDOW_SPENT:
                raise
            key = replace(key, valid_until=key.valid_until + HOUR)
    return await port.place(key)


async def _lock_key(placing: Placing, attempted: Attempted) -> LockKey:
    grant, window = placing.kept.grant, attempted.task.entry.credential.core.window
    alone = len(attempted.placings) == 1 and grant.kind is KeyCredentialKind.PIN_CODE
    key = attempted.key
    return replace(
        lock_key(placing.kept, window, key),
        secret=None if key is None else key.artifact,
        intent_predates=not placing.fresh,
        not_before=await _previous_end(placing, attempted) if alone else None,
        any_secret=alone,
    )


async def _previous_end(placing: Placing, attempted: Attempted) -> datetime | None:
    """Return when the lock's previous guest leaves, where the vendor may round our start into their stay."""
    task, grant = attempted.task, placing.kept.grant
    start = task.entry.credential.core.window.start
    if start > task.now + COMPUTED_WITHIN:
        return None
    found = await task.ledger.documents.query(
        AT_DEVICE, {"device_id": str(grant.device_id)}, until=milliseconds(start), limit=MOST_GRANTS
    )
    if len(found) == MOST_GRANTS:
        return start  # the latest may be among those we do not see
    ends = [each.until for each in map(grant_from, found) if each.grant.credential_id != grant.credential_id]
    return max(ends, default=None)
