"""The keys of a confirmed stay, as they are first written down."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.commands import Fail
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import KeyCredentialId, TenantId
from shared.domain.kinds import ClaimKey, FailureReason, KeyWarning, SetRole, SuspendReason
from shared.domain.premises import doors_of
from shared.domain.replacing import born_open
from shared.domain.scope import AccessScope
from shared.keywork.prepare import MOST_LOCKS
from shared.keywork.services import Services
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import Cause, KeyRecord, Saga, Work
from shared.ledger.ledger import Change
from shared.ledger.stay import Stay
from shared.usecases.stays.room_at_once import Sharer, warnings_in
from shared.usecases.stays.split_stay import Share, split_stay

NO_LOCK_OF_ITS_OWN: Final = KeyWarning(
    "NO_LOCK_OF_ITS_OWN", "a room has no lock but those that every room shares: is its own not mapped?"
)
SCOPE_NOT_SUPPORTED: Final = KeyWarning(
    "SCOPE_NOT_SUPPORTED", "the locks know no floors or areas: the key opens the doors of its rooms"
)
FURTHEST: Final = timedelta(days=1096)
"""No guest needs a key for longer than three years: such an end is a slip, or says that nobody knows."""


@born_open
@dataclass(frozen=True, slots=True)
class Wanted:
    """Keys to write down: for which stay of whom, under which claim, and why."""

    tenant: TenantId
    holder: Guest
    stay: Stay
    claim: ClaimKey
    cause: Cause
    holds: frozenset[SuspendReason] = frozenset()
    sharers: tuple[Sharer, ...] = ()
    instead_of: CredentialCore | None = None
    """The key that failed in whose place they come: what it was to be among its room's, they are."""


def request_keys(wanted: Wanted, premises: HotelSetup, services: Services) -> list[Change]:
    """Return the keys to write down for a confirmed stay, or refuse the whole of it."""
    stay = wanted.stay
    window = stay.window(premises.property.zone)
    check_end(window.end, services.now)
    otherwise = stay.wished or premises.policy.preferred_kinds
    changes = []
    for share in split_stay(stay.rooms, premises, stay.wished):
        check_locks(share)
        shared = warnings_in(share.rooms, wanted.sharers)
        id_, plan = KeyCredentialId.mint(services.ids.ulid()), share.plan(otherwise)
        core = CredentialCore(
            id=id_,
            tenant=wanted.tenant,
            property_id=stay.property_id,
            holder=wanted.holder,
            rooms=share.rooms,
            window=window,
            plan=plan,
            claim=wanted.claim,
            scope=stay.scope if _scoped(share, stay.scope, premises) else AccessScope(),
            role=_role(wanted, shared),
            replaces=None if wanted.instead_of is None else wanted.instead_of.replaces,
            warnings=(*_warnings(share, stay, premises), *shared),
        )
        changes.append(_change(core, share, wanted, services))
    return changes


def _role(wanted: Wanted, shared: tuple[KeyWarning, ...]) -> SetRole:
    """Return what a key is among those of its room: one more of a party voids no other, whenever it comes."""
    before = None if wanted.instead_of is None else wanted.instead_of.role
    if before in (SetRole.COPY, SetRole.REPLACEMENT):
        return before
    return SetRole.JOINER if shared else SetRole.FIRST


def check_end(end: datetime, now: datetime) -> None:
    """Refuse a stay that is over, or that nobody knows the end of."""
    if end <= now:
        remedy = "correct the dates, or leave the message: a stay that is over needs no key"
        raise InvalidInput("data.validUntil", "in the past", remedy)
    if end > now + FURTHEST:
        remedy = f"correct the year, or give an end within {FURTHEST.days} days, and confirm anew before then"
        raise InvalidInput("data.validUntil", "too far away", remedy)


def check_locks(share: Share) -> None:
    """Refuse a key to more locks than can be written down at once."""
    if len(share.doors) > MOST_LOCKS:
        problem = f"their key would need {len(share.doors)} locks, and a key has at most {MOST_LOCKS}"
        raise InvalidInput("data.rooms", problem, "book the rooms as several stays")


def _warnings(share: Share, stay: Stay, premises: HotelSetup) -> tuple[KeyWarning, ...]:
    unlocked = () if all(map(premises.locked, share.rooms)) else (NO_LOCK_OF_ITS_OWN,)
    return unlocked if _scoped(share, stay.scope, premises) else (*unlocked, SCOPE_NOT_SUPPORTED)


def _scoped(share: Share, scope: AccessScope, premises: HotelSetup) -> bool:
    """Say whether the key can open all of a scope: its locks know of such, or each part has its door."""
    able = [door.capabilities for door in share.doors]
    floors = all(each.scope_floors for each in able) or all(
        _has_door(share, AccessScope(floors=(floor,)), premises) for floor in scope.floors
    )
    areas = all(each.scope_areas for each in able) or all(
        _has_door(share, AccessScope(areas=(area,)), premises) for area in scope.areas
    )
    return floors and areas


def _has_door(share: Share, part: AccessScope, premises: HotelSetup) -> bool:
    """Say whether a lock of the same vendor, that knows all kinds the key may become, leads there."""
    doors = doors_of((), premises.of_vendor(share.vendor), part)
    return any(all(map(door.capabilities.supports, share.kinds)) for door in doors)


def _change(core: CredentialCore, share: Share, wanted: Wanted, services: Services) -> Change:
    """Write a key down; one that no kind could make fails at once, in the same commit."""
    now = services.now
    credential, facts = KeyCredential.request(core, at=now)
    if not share.possible:
        credential, failed = credential.apply(Fail(at=now, reason=FailureReason.NO_SUPPORTED_KIND))
        facts = (*facts, *failed)
    saga = Saga(kind=Work.ISSUE, claim=core.claim)
    entry = KeyRecord(credential, saga, wanted.cause, due=now + STARTED_WITHIN, holds=wanted.holds)
    return Change(entry, facts)
