"""One more key of a stay: in place of one, or beside it, for the same doors and times, with its own secret.

| role | beside | of which kind first |
|---|---|---|
| replacement | the one it replaces, which ends | as that one, or as the desk wants it |
| copy | the one it copies, and those copied before | as that one, or as the desk wants it |
| one_shot | the one it opens the doors of, for a day at most, and for one opening of the room | the same |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.domain.capabilities import LockCapabilities, supported_kinds
from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, KeyCredentialId
from shared.domain.kinds import KeyCredentialKind, SetRole
from shared.domain.plan import Choice, IssuePlan
from shared.domain.window import StayWindow
from shared.keywork.orders import Order
from shared.keywork.services import Services
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.key_record import KeyRecord, Saga, Target, Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.usecases.stays.turn import settle_key
from shared.vendor_kit.registry import unenforced_kinds


@dataclass(frozen=True, slots=True)
class AnotherKey:
    """A key to be: its id, what it is among those of its room, and the ways to make it."""

    id: KeyCredentialId
    role: SetRole
    ways: IssuePlan
    window: StayWindow | None = None
    """When it opens, if not as long as the other."""


def kind_of(said: Any) -> KeyCredentialKind | None:
    """Read the kind of key that somebody wants; none is as good as any."""
    if said is None or said in tuple(KeyCredentialKind):
        return None if said is None else KeyCredentialKind(said)
    raise InvalidInput("kind", "not a kind of key", f"give one of {', '.join(KeyCredentialKind)}")


def request_beside(entry: KeyRecord, new: AnotherKey, order: Order) -> Change:
    """Return what writes a key down for the doors and times of another; it rests while that one does.

    In the place of a key that opens once comes one that does: any other would follow the stay.
    """
    core, target = entry.credential.core, target_of(entry)
    role = core.role if core.role is SetRole.ONE_SHOT else new.role
    anew = replace(
        core,
        id=new.id,
        rooms=target.rooms,
        scope=core.scope if target.scope is None else target.scope,
        window=new.window or target.window,
        plan=new.ways,
        role=role,
        replaces=entry.id if role is SetRole.REPLACEMENT else None,
        local_id=None,
    )
    credential, facts = KeyCredential.request(anew, at=order.at, by=order.by)
    saga, due = Saga(kind=Work.ISSUE, claim=core.claim), order.at + STARTED_WITHIN
    record = KeyRecord(credential, saga, order.cause, due=due, holds=entry.holds, ordered_by=entry.ordered_by)
    return Change(record, facts)


def target_of(entry: KeyRecord) -> Target:
    """Return what a key opens, or is on its way to."""
    core = entry.credential.core
    return entry.amends or Target(core.rooms, core.window)


async def plan_of(entry: KeyRecord, wanted: KeyCredentialKind | None, services: Services) -> IssuePlan:
    """Return the ways to make a key like another, of its kind first, or of one that all its doors know."""
    core = entry.credential.core
    now = core.plan.current
    if wanted is None or wanted is now.kind:
        return IssuePlan(tuple(dict.fromkeys((now, *core.plan.choices))))
    premises = await services.hotels.premises(core.tenant, core.property_id)
    doors = [door for door in premises.doors(target_of(entry).rooms) if door.vendor == now.vendor]
    allowed = premises.policy.kinds_for(now.vendor, unenforced_kinds(now.vendor))
    kinds = supported_kinds(LockCapabilities.all(), [door.capabilities for door in doors], allowed)
    _check_kind(wanted, kinds)
    return IssuePlan(tuple(Choice(now.vendor, kind) for kind in dict.fromkeys((wanted, *kinds))))


def _check_kind(wanted: KeyCredentialKind, kinds: Sequence[KeyCredentialKind]) -> None:
    if wanted not in kinds:
        remedy = f"give one of {', '.join(kinds)}" if kinds else "see what its doors can do"
        raise InvalidInput("kind", "not what all its doors know and its tenant allows", remedy)


async def entry_of(key: CredentialId, ledger: Ledger, services: Services) -> KeyRecord:
    """Return a key's entry, or refuse its id; one of two stays is one's alone from then on."""
    entry = await ledger.entry(key)
    if entry is None:
        raise InvalidInput("key", "no such key", "name one that keyfleet credentials shows")
    return entry if entry.then is None else await settle_key(entry, ledger, services)


def check_lasting(entry: KeyRecord) -> None:
    """Refuse a key that opens once: one like it would open again and again, as long as the stay."""
    if entry.credential.core.role is SetRole.ONE_SHOT:
        raise InvalidInput("key", "one that opens once", "end it, and order another beside the guest's own")


async def stay_of(entry: KeyRecord, ledger: Ledger, services: Services) -> Reservation:
    """Return the stay that names the key, or refuse: nobody is to have a key whose stay is off or over."""
    holder = entry.credential.core.holder
    found = await ledger.documents.get(ref_of(holder.reservation_id)) if isinstance(holder, Guest) else None
    stay = None if found is None else reservation_from(found)
    lasting = target_of(entry).window.end > services.now
    if stay is None or stay.status is not Status.CONFIRMED or entry.id not in stay.credentials or not lasting:
        remedy = "confirm the booking anew: its keys follow"
        raise InvalidInput("key", "no key of a stay that goes on", remedy)
    return stay
