"""One key more for a party: a copy opens what the key opens, with a secret of its own.

How many copies there are to be is said, not how many more: ordered twice, they are made once. They follow the
stay wherever it goes, and end with it. A key that opens once is another sort: it lives a day of its stay at
most, and ends when its room has opened to it (`shared/usecases/attempts/end_spent.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, KeyCredentialId, TenantId, UserId, credential_id
from shared.domain.kinds import KeyCredentialKind, SetRole
from shared.domain.states import Failed, Revoked
from shared.domain.window import StayWindow
from shared.keywork.orders import Order
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation
from shared.usecases.stays.booking import keys_of
from shared.usecases.upkeep.another_key import (
    AnotherKey,
    check_lasting,
    entry_of,
    kind_of,
    plan_of,
    request_beside,
    stay_of,
    target_of,
)
from shared.vendor_kit.registry import tells_attempts

ONCE_WITHIN: Final = timedelta(hours=24)
"""So long a key that opens once may wait for its one time."""
MOST_COPIES: Final = 9
"""Of a party whose size nobody told."""


@dataclass(frozen=True, slots=True)
class CopyOrder:
    """How many copies of which key there are to be, on whose word."""

    tenant: TenantId
    key: CredentialId
    by: UserId
    copies: int = 1
    kind: KeyCredentialKind | None = None
    once: bool = False

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        try:
            key = credential_id(body.get("key"))
        except InvalidInput as refusal:
            raise refusal.at("key") from None
        copies = body.get("copies", 1)
        if type(copies) is not int or not 1 <= copies <= MOST_COPIES:
            raise InvalidInput("copies", "not a number of copies", f"give 1 to {MOST_COPIES}")
        by, kind = UserId.parse(body.get("by"), "by"), kind_of(body.get("kind"))
        once = body.get("once", False) is True
        return cls(TenantId.parse(body.get("tenant"), "tenant"), key, by, copies, kind, once)


async def copy_key(order: CopyOrder, services: Services) -> dict[str, Any]:
    """Request the copies that are missing, and return all that there are."""
    ledger = await services.ledger(order.tenant)
    making = _made_once if order.once else _copied
    copies = await retry_on_conflict(lambda: making(order, ledger, services))
    services.log.info("a key was copied", keyCredentialId=order.key, by=order.by, copies=len(copies))
    return {"key": order.key, "copies": copies}


async def _copied(order: CopyOrder, ledger: Ledger, services: Services) -> list[str]:
    entry = await entry_of(order.key, ledger, services)
    stay = await stay_of(entry, ledger, services)
    _check(order, entry, stay)
    vendor = entry.credential.core.plan.current.vendor
    copies = [key for key in await keys_of(stay, ledger) if key.is_copy]
    known = [key for key in copies if key.credential.core.plan.current.vendor == vendor]
    ways = await plan_of(entry, order.kind, services)
    word = Order(Cause(entry.cause.trace_id), services.now, order.by)
    new = [
        AnotherKey(KeyCredentialId.mint(services.ids.ulid()), SetRole.COPY, ways)
        for _ in range(order.copies - len(known))
    ]
    if new:
        named = replace(stay, credentials=(*stay.credentials, *(each.id for each in new)))
        requested = [request_beside(entry, each, word) for each in new]
        for saved in await ledger.save_all(requested, named.write()):
            await begin_work(saved, ledger, services)
    return [str(each) for each in (*(key.id for key in known), *(each.id for each in new))]


async def _made_once(order: CopyOrder, ledger: Ledger, services: Services) -> list[str]:
    """Request a key that opens once, unless there is one for the same doors that nobody has used yet."""
    entry = await entry_of(order.key, ledger, services)
    stay = await stay_of(entry, ledger, services)
    _check_lives(entry)
    if not can_open_once(entry):
        remedy = "order a copy, and end it by hand"
        raise InvalidInput(
            "key", "its doors tell nobody who opened them: no key of theirs ends by that", remedy
        )
    if entry.holds:
        raise InvalidInput("key", "it rests", "release its stay first: its guest is not to get in")
    ways = await plan_of(entry, order.kind, services)
    for key in await keys_of(stay, ledger):
        if _unused(key, entry, services.now):
            _check_same(key, order.kind)
            return [str(key.id)]
    id_, window = KeyCredentialId.mint(services.ids.ulid()), _one_day(entry, services.now)
    word = Order(Cause(entry.cause.trace_id), services.now, order.by)
    requested = request_beside(entry, AnotherKey(id_, SetRole.ONE_SHOT, ways, window), word)
    named = replace(stay, credentials=(*stay.credentials, id_))
    await begin_work(await ledger.save(requested, named.write()), ledger, services)
    return [str(id_)]


def can_open_once(entry: KeyRecord) -> bool:
    """Say whether a key like another could end by its one opening: its vendor must hear of that."""
    return tells_attempts(entry.credential.core.plan.current.vendor)


def _one_day(entry: KeyRecord, now: datetime) -> StayWindow:
    """Return a day from now, and never out of the stay: before it, the room may be another guest's."""
    whole = target_of(entry).window
    start = max(now, whole.start)
    return StayWindow(start, min(whole.end, start + ONCE_WITHIN), whole.zone)


def _unused(key: KeyRecord, entry: KeyRecord, now: datetime) -> bool:
    """Say whether a key opens once what another opens, and may yet."""
    core, own, doors = key.credential.core, entry.credential.core, target_of(entry).rooms
    if core.role is not SetRole.ONE_SHOT or isinstance(key.credential.state, Revoked | Failed):
        return False
    at_those = core.plan.current.vendor == own.plan.current.vendor and set(core.rooms) == set(doors)
    return at_those and core.window.end > now


def _check_same(key: KeyRecord, wanted: KeyCredentialKind | None) -> None:
    if wanted not in {None, key.credential.core.plan.choices[0].kind}:
        remedy = "have it used, or end it: keyfleet key end"
        raise InvalidInput("kind", "one of another kind opens once, and is unused", remedy)


def _check(order: CopyOrder, entry: KeyRecord, stay: Reservation) -> None:
    _check_lives(entry)
    check_lasting(entry)
    party = None if stay.stay is None else stay.stay.party
    if party is not None and order.copies >= party:
        remedy = "book the party as large as it is"
        raise InvalidInput("copies", f"more keys than its party of {party}", remedy)


def _check_lives(entry: KeyRecord) -> None:
    if isinstance(entry.credential.state, Revoked | Failed):
        raise InvalidInput("key", "over", "copy a key that lives, or replace this one")
