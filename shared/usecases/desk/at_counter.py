"""What a clerk at a desk in touch orders for a stay: the desk says who, and the cloud whether they may.

| order | what is done | ordered again |
|---|---|---|
| copy | one more key of the stay, which opens beside the first | while it waits to be written: that one |
| once | a key that opens the room once, where doors tell of it | while nobody used it: that one |
| replace | the key in use ends, another takes its place | while that one waits to be written: that one |
| extend | the stay ends later, and its keys follow | nothing |
| revoke | every key of the stay ends | nothing |

What is to be written comes to the desk as a job, as every card does. An order that comes again under its own
id, because its answer was lost, is answered as it was, whatever became of its card meanwhile.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, ReservationId, UserId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import RevokeReason, SetRole
from shared.domain.permissions import Permission
from shared.domain.states import Active, Failed, Revoked, Suspended
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation, ref_of, reservation_from
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.heard_orders import HeardOrder, Meant, order_id
from shared.usecases.desk.services import DeskServices
from shared.usecases.desk.staff import staff_at
from shared.usecases.stays.booking import keys_of
from shared.usecases.stays.tell_stay import NothingChanged, StayWord, tell_stay
from shared.usecases.upkeep.copy_key import CopyOrder, can_open_once, copy_key
from shared.usecases.upkeep.end_one_key import KeyOrder, end_one_key, replace_key

COPY, ONCE, REPLACE, EXTEND, REVOKE = "copy", "once", "replace", "extend", "revoke"
AGAIN: Final = "fetch the arrivals anew, and look at the stay"


@dataclass(frozen=True, slots=True)
class CounterOrder:
    """Who wants what for which stay; `until` is the stay's new end."""

    do: str
    reservation: ReservationId
    by: UserId
    until: datetime | None = None
    id: str | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read what a desk passes on."""
        do = body.get("do")
        if not isinstance(do, str) or do not in ORDERS:
            raise InvalidInput("do", "not among a counter's orders", f"say one of {', '.join(ORDERS)}")
        until = instant_from_text(body.get("until"), "until") if do == EXTEND else None
        reservation = ReservationId.parse(body.get("reservation"), "reservation")
        by = UserId.parse(body.get("by"), "by")
        return cls(do, reservation, by, until, order_id(body.get("id")))

    @property
    def asked(self) -> dict[str, Any]:
        """Return what two orders of one id must have in common."""
        until = None if self.until is None else instant_to_text(self.until)
        return {"do": self.do, "reservation": str(self.reservation), "until": until}


@dataclass(frozen=True, slots=True)
class Counter:
    """A stay, its keys that live, and who asks for what."""

    order: CounterOrder
    desk: KnownDesk
    on: DeskServices
    stay: Reservation
    keys: tuple[KeyRecord, ...]
    heard: HeardOrder

    def in_use(self) -> KeyRecord:
        """Return the key that the guest has; a copy is nobody's only key."""
        for key in self.keys:
            if isinstance(key.credential.state, Active | Suspended) and not _beside(key):
                return key
        raise InvalidInput("reservation", "it has no key in use", "issue its first one")


async def ordered(desk: KnownDesk, body: Mapping[str, Any], on: DeskServices) -> dict[str, Any]:
    """Do what a clerk orders, and say which keys it is about."""
    order = CounterOrder.of(body)
    permission, do = ORDERS[order.do]
    staff = await staff_at(desk.store, desk.record.property_id, on)
    if not any(one.user == order.by and permission in one.permissions for one in staff):
        raise InvalidInput("by", "not_permitted", "have the manager do it")
    found = await desk.store.get(ref_of(order.reservation))
    stay = None if found is None else reservation_from(found)
    if stay is None or stay.property_id != desk.record.property_id:
        raise InvalidInput("reservation", "no such stay here", AGAIN)
    heard = HeardOrder(desk, order.id, order.asked, on)
    told = await heard.made()
    if told is None:
        keys = await keys_of(stay, Ledger(desk.store, on.keys.ids))
        lives = tuple(key for key in keys if not isinstance(key.credential.state, Revoked | Failed))
        told = await do(Counter(order, desk, on, stay, lives, heard))
        await heard.keep(told)
    on.keys.log.info("a desk ordered", order=order.do, by=order.by, device=desk.record.id)
    return {"keys": told}


async def _copy(it: Counter) -> list[str]:
    waiting = _waiting(it, SetRole.COPY)
    if waiting:
        return waiting
    meant = await it.heard.meaning(Meant(it.in_use().id, 1 + sum(key.is_copy for key in it.keys)))
    order = CopyOrder(it.desk.tenant, meant.key, it.order.by, meant.copies)
    return list((await copy_key(order, it.on.keys))["copies"])


async def _once(it: Counter) -> list[str]:
    key = it.in_use()
    if not can_open_once(key):
        raise InvalidInput("do", "not_once", "order a copy, and end it by hand: those doors tell of nothing")
    order = CopyOrder(it.desk.tenant, key.id, it.order.by, once=True)
    return list((await copy_key(order, it.on.keys))["copies"])


async def _replace(it: Counter) -> list[str]:
    waiting = _waiting(it, SetRole.REPLACEMENT)
    if waiting:
        return waiting
    meant = await it.heard.meaning(Meant(it.in_use().id))
    order = KeyOrder(it.desk.tenant, meant.key, it.order.by, RevokeReason.LOST)
    return [str((await replace_key(order, it.on.keys))["replacedBy"])]


async def _revoke(it: Counter) -> list[str]:
    for key in it.keys:
        await end_one_key(KeyOrder(it.desk.tenant, key.id, it.order.by, RevokeReason.LOST), it.on.keys)
    return [str(key.id) for key in it.keys]


async def _extend(it: Counter) -> list[str]:
    until = it.order.until
    if until is None or it.stay.stay is None or until <= it.stay.stay.end:
        raise InvalidInput("until", "not later than the stay's end", "name a later day")
    data = {"validUntil": instant_to_text(until), "propertyId": it.desk.record.property_id}
    word = StayWord("dates_changed", it.order.reservation, data, it.desk.tenant,
                    EventId(f"evt_{it.on.keys.ids.ulid()}"), it.on.now, it.order.by)  # fmt: skip
    try:
        await tell_stay(word, it.on.cipher, it.on.keys)
    except NothingChanged:
        raise InvalidInput("until", "nothing came of it", AGAIN) from None
    return [str(key.id) for key in it.keys]


def _waiting(it: Counter, role: SetRole) -> list[str]:
    """Return the keys of a role that are still to be written: a second order means those."""
    waiting = (key for key in it.keys if key.credential.core.role is role)
    return [str(key.id) for key in waiting if not isinstance(key.credential.state, Active | Suspended)]


def _beside(key: KeyRecord) -> bool:
    return key.credential.core.role in (SetRole.COPY, SetRole.ONE_SHOT)


ORDERS: Final[Mapping[str, tuple[Permission, Callable[[Counter], Awaitable[list[str]]]]]] = {
    COPY: (Permission.KEY_ISSUE, _copy),
    ONCE: (Permission.KEY_ISSUE, _once),
    REPLACE: (Permission.KEY_REPLACE, _replace),
    EXTEND: (Permission.KEY_EXTEND, _extend),
    REVOKE: (Permission.KEY_REVOKE, _revoke),
}
