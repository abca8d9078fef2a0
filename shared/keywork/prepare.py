"""A key's grants as they are written down, one to a lock, before any vendor is asked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from shared.domain.core import CredentialCore, Guest
from shared.domain.grant import Grant, VendorCall
from shared.domain.grant_lifecycle import Intended
from shared.domain.ids import GrantId, RoomId
from shared.domain.premises import LockDevice, doors_of
from shared.ledger.grant_record import LONGEST_EXTENSION, GrantRecord
from shared.ledger.key_record import KeyRecord, Target
from shared.ports.ambient import Ids

MOST_LOCKS: Final = 150
"""As many as can be written down in one commit, with what two earlier tries may have left at them."""


def doors_for(
    core: CredentialCore, rooms: Sequence[RoomId], devices: Sequence[LockDevice]
) -> tuple[LockDevice, ...]:
    """Return the locks that a key is to open: of these rooms, and of its scope those that know such keys."""
    kind, wanted = core.plan.current.kind, set(rooms)
    return tuple(
        door
        for door in doors_of(rooms, devices, core.scope)
        if not wanted.isdisjoint(door.rooms) or door.capabilities.supports(kind)
    )


def new_grant(
    entry: KeyRecord,
    door: LockDevice,
    target: Target,
    known: Sequence[GrantRecord],
    at: datetime,
    ids: Ids,
) -> GrantRecord:
    """Return a key's grant at a door that has none, as it is written down before any vendor is asked."""
    grant = _grant(entry, door, target, known, at, GrantId.mint(ids.ulid()))
    window, holder = target.window, entry.credential.core.holder
    guest = holder.guest_id if isinstance(holder, Guest) else None
    return GrantRecord(grant, window.start, window.end, vendor_device=door.vendor_device, guest=guest)


def _grant(
    entry: KeyRecord,
    door: LockDevice,
    target: Target,
    known: Sequence[GrantRecord],
    at: datetime,
    id_: GrantId,
) -> Grant:
    core, kind = entry.credential.core, entry.credential.core.plan.current.kind
    return Grant(
        id=id_,
        tenant=core.tenant,
        property_id=core.property_id,
        credential_id=core.id,
        device_id=door.id,
        rooms=tuple(room for room in door.rooms if room in target.rooms),
        vendor=door.vendor,
        kind=kind,
        vendor_key=_call(entry, door, known).key,
        capabilities=door.capabilities,
        exposure_until=target.window.end + LONGEST_EXTENSION,
        state=Intended(),
        version=1,
        changed_at=at,
        secret_try=entry.secret_try,
    )


def _call(entry: KeyRecord, door: LockDevice, known: Sequence[GrantRecord]) -> VendorCall:
    core, kind = entry.credential.core, entry.credential.core.plan.current.kind
    tried = (door.id, kind, entry.secret_try)
    # A door that was unmapped meanwhile has had such a grant, whose removal must not take this one along.
    before = sum((k.grant.device_id, k.grant.kind, k.grant.secret_try) == tried for k in known)
    return VendorCall(
        claim=core.claim,
        credential_id=core.id,
        device_id=door.id,
        kind=kind,
        secret_try=entry.secret_try,
        step=f"issue.{before}" if before else "issue",
    )
