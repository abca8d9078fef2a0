"""Who can open a door right now: every key at its lock that is not over, and whether it opens."""

from datetime import datetime
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Placed, Removing, Residual
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.grant_record import GrantRecord, Wish, grant_from
from shared.ledger.indexes import AT_DEVICE, DEVICES
from shared.ports.documents import TenantDocuments
from shared.queries.attention import may_still_open
from shared.queries.grants import at_or_none
from shared.queries.hotels import every
from shared.queries.keys import key_of

OPENS, MAY_OPEN, OPENS_LATER, SHUT = "opens", "may_open", "opens_later", "shut"
"""Whether a key opens a door now: yes; perhaps, for its lock was asked in vain to let go; not yet; no."""
_FIRST: Final = (OPENS, MAY_OPEN, OPENS_LATER, SHUT)


async def doors_of(store: TenantDocuments, house: PropertyId) -> list[dict[str, Any]]:
    """Return a hotel's doors, by what people call them."""
    found = [each async for each in every(store, DEVICES, {"property_id": house})]
    doors = [{"id": each.ref.id, "label": str(each.data.get("label") or each.ref.id)} for each in found]
    return sorted(doors, key=lambda door: door["label"])


async def who_can_open(store: TenantDocuments, device: str, now: datetime) -> list[dict[str, Any]]:
    """Return each key at a door that is not over: those that open it now come first."""
    found = [grant_from(each) async for each in every(store, AT_DEVICE, {"device_id": device})]
    shown = [await _shown(store, kept, now) for kept in found]
    return sorted(shown, key=lambda each: (_FIRST.index(each["opens"]), each["until"] or ""))


async def _shown(store: TenantDocuments, kept: GrantRecord, now: datetime) -> dict[str, Any]:
    record = await key_of(store, kept.grant.credential_id)
    holder = None if record is None else record.credential.core.holder
    is_guest = isinstance(holder, Guest)
    return {
        "key": kept.grant.credential_id,
        "reservation": holder.reservation_id if is_guest else None,  # type: ignore[union-attr]  # it is a guest
        "staff": None if holder is None or is_guest else getattr(holder, "user_id", None),
        "kind": kept.grant.kind,
        "state": name_of(type(kept.grant.state)),
        "opens": opens(kept, now),
        "from": instant_to_text(kept.since),
        "until": at_or_none(kept.until),
    }


def opens(kept: GrantRecord, now: datetime) -> str:
    """Say whether a key opens its door now, as far as the ledger knows."""
    if may_still_open(kept, now) or isinstance(kept.grant.state, Residual):
        return MAY_OPEN
    if isinstance(kept.grant.state, Removing) or (
        isinstance(kept.grant.state, Placed) and kept.wish is not Wish.OPEN
    ):
        return MAY_OPEN  # it was told to go, and the lock has not said yet that it has
    if not isinstance(kept.grant.state, Placed):
        return SHUT
    if now < kept.since:
        return OPENS_LATER
    return OPENS if now < kept.until else SHUT
