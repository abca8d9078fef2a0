"""A stay's living keys follow it to other rooms and times, the guest's secret unchanged, where they can.

They can if each key that the stay would have now has one of the same vendor already, of a kind that all the
new doors know, and lives; its copies follow it. Else the stay gets new keys, as one that is confirmed anew.
"""

from collections.abc import Sequence
from dataclasses import replace

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId
from shared.domain.kinds import KeyWarning, RevokeReason, SetRole, merge_warnings
from shared.domain.states import Active, Failed, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.keywork.orders import Order, amend_key
from shared.keywork.prepare import doors_for
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import KeyRecord, Target
from shared.ledger.ledger import Change
from shared.ledger.reservation import Reservation
from shared.usecases.stays.booking import StayNews, keys_of
from shared.usecases.stays.change_stay import applied, is_included, save_news, withdrawn_beside
from shared.usecases.stays.request_keys import check_end, check_locks
from shared.usecases.stays.room_at_once import ROOM_SHARED, check_shared, sharers_of, warnings_in
from shared.usecases.stays.split_stay import Share, split_stay


async def amend_stay(it: StayNews, record: Reservation) -> tuple[CredentialId, ...] | None:
    """Return the keys of the stay, on their way to what it is now; None if they cannot follow it."""
    keys = await keys_of(record, it.ledger)
    present = [key for key in keys if _of_the_stay(key, record)]
    matched = await _matched(it, present)
    if matched is None:
        return None
    window, found = matched
    order = Order(it.booking.cause, it.services.now)
    changes = list[Change]()
    for key, share in found:
        target = Target(share.rooms, window)
        grants = await it.ledger.grants(key)
        change = amend_key(key, grants, target, share.doors, order, it.services.ids)
        changes += [] if change is None else [change]
    beside = [key for key in keys if key not in present]
    kept = [key for key in beside if is_included(it, key)]
    ended = await withdrawn_beside(it, beside, kept, RevokeReason.REPLACED)
    heard = replace(applied(it, record), credentials=tuple(key.id for key in (*present, *kept)))
    await save_news(it, [*ended.changes, *changes], heard.write(), *ended.closed)
    return heard.credentials


def _of_the_stay(key: KeyRecord, record: Reservation) -> bool:
    """Say whether a key follows its stay: one that opens once has a time of its own."""
    core = key.credential.core
    return core.claim == record.claim and core.role is not SetRole.ONE_SHOT


async def _matched(
    it: StayNews, present: Sequence[KeyRecord]
) -> tuple[StayWindow, list[tuple[KeyRecord, Share]]] | None:
    """Return each present key with the share of the stay it is to follow; None if any cannot."""
    try:
        premises = await it.services.hotels.premises(it.booking.tenant, it.stay.property_id)
        check_end(it.stay.end, it.services.now)
        shares = split_stay(it.stay.rooms, premises, it.stay.wished)
        sharers = await sharers_of(it.stay, it.guest, premises, it.ledger)
        check_shared(sharers, it.guest, premises.policy)
        for share in shares:
            check_locks(share)
    except InvalidInput:
        return None  # whoever makes new keys says why there can be none
    matched = _shared_out(present, shares)
    if matched is None:
        return None
    whole = [
        (_saying(key, warnings_in(share.rooms, sharers)), _with_scope(share, key, premises))
        for key, share in matched
    ]
    return it.stay.window(premises.property.zone), whole


def _saying(key: KeyRecord, shared: tuple[KeyWarning, ...]) -> KeyRecord:
    """Return a key that says of its rooms to come who else has them, and of those before nothing more."""
    core = key.credential.core
    other = tuple(each for each in core.warnings if each.code != ROOM_SHARED)
    core = replace(core, warnings=merge_warnings(other, shared))
    return replace(key, credential=replace(key.credential, core=core))


def _with_scope(share: Share, key: KeyRecord, premises: HotelSetup) -> Share:
    """Return a share with the doors of its key's scope, which go with it wherever it goes."""
    devices = premises.of_vendor(share.vendor)
    return replace(share, doors=doors_for(key.credential.core, share.rooms, devices))


def _shared_out(
    present: Sequence[KeyRecord], shares: Sequence[Share]
) -> list[tuple[KeyRecord, Share]] | None:
    by_vendor = {share.vendor: share for share in shares}
    living = [key for key in present if not isinstance(key.credential.state, Revoked | Failed)]
    matched = [
        (key, share)
        for key in living
        if (share := by_vendor.get(key.credential.core.plan.current.vendor)) and _follows(key, share)
    ]
    # Of a share there may be several keys, for a party has copies; each share must have one that lives.
    served = {share.vendor for _, share in matched}
    whole = len(by_vendor) == len(shares) == len(served) > 0
    return matched if whole and len(matched) == len(living) else None


def _follows(key: KeyRecord, share: Share) -> bool:
    state = key.credential.state
    return isinstance(state, Active | Suspended) and state.key.kind in share.kinds
