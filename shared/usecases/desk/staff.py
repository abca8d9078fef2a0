"""Who of staff may work at a property's desks when those are alone: their roles, and the PIN of their own.

People prove themselves to the cloud by their company's sign-in, which needs a network. At a desk that has
none they give a PIN, of which the cloud keeps a slow hash alone; the desk is given it in its arrivals, sealed
in no way but signed, and lets nobody in without it.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Permission, Role, held_by_roles
from shared.keywork.services import retry_on_conflict
from shared.ledger.reading import reading
from shared.offline.arrivals import StaffRights
from shared.offline.sign_in import pin_hash
from shared.ports.documents import Create, Ref, TenantDocuments, Update
from shared.usecases.desk.services import DeskServices
from shared.usecases.hotels.staff_access import StaffAccess

STAFF: Final = "desk_staff"
MOST: Final = 200
SALT_BYTES: Final = 16
_PIN: Final = re.compile(r"[0-9]{6,12}")
AT_DESK: Final = frozenset(
    {
        Permission.KEY_READ,
        Permission.KEY_ISSUE,
        Permission.KEY_ISSUE_OFFLINE,
        Permission.KEY_EXTEND,
        Permission.KEY_REPLACE,
        Permission.KEY_REVOKE,
    }
)
"""What anybody can do at a desk at all."""


@dataclass(frozen=True, slots=True)
class StaffOrder:
    """Somebody of staff at a property's desks: added with roles and a PIN, or taken away without roles."""

    tenant: TenantId
    property_id: PropertyId
    user: UserId
    roles: tuple[Role, ...]
    pin: str | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "StaffOrder":
        """Read the command."""
        roles, pin = body.get("roles") or (), body.get("pin")
        if not isinstance(roles, list | tuple) or any(each not in tuple(Role) for each in roles):
            raise InvalidInput("roles", "not a role", f"name one of {', '.join(Role)}")
        if roles and (not isinstance(pin, str) or not _PIN.fullmatch(pin)):
            raise InvalidInput("pin", "missing, or not 6 to 12 digits", "let the person choose one")
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        property_id = PropertyId.parse(body.get("property"), "property")
        user = UserId.parse(body.get("user"), "user")
        return cls(tenant, property_id, user, tuple(map(Role, roles)), pin)


async def staff_orders(body: Mapping[str, Any], on: DeskServices) -> dict[str, Any]:
    """Keep who may work at a property's desks, and return who does."""
    order = StaffOrder.of(body)
    store = await on.store(order.tenant)
    return {"staff": await retry_on_conflict(lambda: _kept(order, store, on))}


async def staff_at(store: TenantDocuments, property_id: PropertyId, on: DeskServices) -> list[StaffRights]:
    """Return who may do what at a property's desks; whoever was stopped anywhere may do nothing here."""
    found = await store.get(Ref(STAFF, property_id))
    if found is None:
        return []
    access = StaffAccess(on.keys.hotels, on.keys.clock.now)
    known = await access.of(store.tenant)
    rights = []
    with reading(found):
        for user, one in found.data["staff"].items():
            if await access.is_stopped(store.tenant, UserId(user)):
                continue
            held = held_by_roles(map(Role, one["roles"]), known.attributes() if known else {})
            rights.append(StaffRights(user=UserId(user), permissions=held & AT_DESK, pin=one["pin"]))
    return rights


async def _kept(order: StaffOrder, store: TenantDocuments, on: DeskServices) -> list[str]:
    ref = Ref(STAFF, order.property_id)
    found = await store.get(ref)
    before = {} if found is None else found.data
    staff = {**before["staff"]} if before else {}
    staff.pop(str(order.user), None)
    if order.roles and order.pin is not None:
        salt = base64.b64encode(on.keys.entropy.token(SALT_BYTES)).decode()
        staff[str(order.user)] = {
            "roles": [str(each) for each in order.roles],
            "pin": pin_hash(order.pin, salt),
        }
    if len(staff) > MOST:
        raise InvalidInput("user", f"more than {MOST} people", "take one away first")
    data = {**before, "schema_version": 1, "staff": staff}
    await store.commit([Create(ref, data) if found is None else Update(ref, data, found.version)])
    return sorted(staff)
