"""One key is ended, or replaced by another, on a person's word: a PIN was seen, a phone is lost.

| order | the old key | the new one |
|---|---|---|
| end | revoked at once, whatever its state; its locks follow | none, also of a key that failed |
| replace | the same, and it names the new one | of the same stay, rooms and times, with a secret of its own |
| renew | revoked, and opens until its guest was told of the new one | the same |

Both are one commit, with the stay that names its keys. The door that is to close is asked first. Ordered
twice, the second order finds what the first did. A key that is on its way to other rooms or times is replaced
by one for those; of another kind, where all its doors know that kind and the tenant allows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, KeyCredentialId, TenantId, UserId, credential_id
from shared.domain.kinds import KeyCredentialKind, RevokeReason, SetRole
from shared.domain.lifecycle import name_of
from shared.domain.plan import IssuePlan
from shared.domain.states import Revoked
from shared.keywork.manual_task import task_closed
from shared.keywork.orders import Order, end_key
from shared.keywork.revival import awaited
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import Delete
from shared.usecases.upkeep.another_key import (
    AnotherKey,
    check_lasting,
    entry_of,
    kind_of,
    plan_of,
    request_beside,
    stay_of,
)
from shared.usecases.upkeep.hand_over import hand_over

REASONS: Final = (RevokeReason.LOST, RevokeReason.SECURITY)


@dataclass(frozen=True, slots=True)
class KeyOrder:
    """Which key, on whose word, and why."""

    tenant: TenantId
    key: CredentialId
    by: UserId
    reason: RevokeReason
    kind: KeyCredentialKind | None = None
    ways: IssuePlan | None = None
    """How the new one is tried, if not like the old one."""

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        key = credential_id(body.get("key"), "key")
        said = body.get("reason", RevokeReason.LOST)
        if said not in REASONS:
            raise InvalidInput("reason", "not one a person gives", f"say {' or '.join(REASONS)}")
        by = UserId.parse(body.get("by"), "by")
        kind = kind_of(body.get("kind"))
        return cls(TenantId.parse(body.get("tenant"), "tenant"), key, by, RevokeReason(said), kind)


async def end_one_key(order: KeyOrder, services: Services) -> dict[str, Any]:
    """End a key, and say how it stands; one that is over already is left as it is."""
    ledger = await services.ledger(order.tenant)
    entry = await retry_on_conflict(lambda: _ended(order, ledger, services))
    services.log.info("a key was ended by hand", keyCredentialId=entry.id, by=order.by, reason=order.reason)
    return {"key": entry.id, "state": name_of(type(entry.credential.state))}


async def replace_key(order: KeyOrder, services: Services) -> dict[str, Any]:
    """End a key and request another for the same stay; return which one that is."""
    ledger = await services.ledger(order.tenant)
    new = await retry_on_conflict(lambda: _replaced(order, ledger, services))
    services.log.info("a key was replaced by hand", keyCredentialId=order.key, by=order.by, replacedBy=new)
    return {"key": order.key, "replacedBy": new}


async def renew_key(order: KeyOrder, services: Services) -> dict[str, Any]:
    """Replace a key that nobody else has: it opens until its guest was told of the new one."""
    return await replace_key(replace(order, reason=RevokeReason.REPLACED), services)


async def _ended(order: KeyOrder, ledger: Ledger, services: Services) -> KeyRecord:
    entry = await entry_of(order.key, ledger, services)
    change = end_key(entry, await ledger.grants(entry), order.reason, _word(order, entry, services))
    closed = await task_closed(entry, ledger)
    if change is None:
        return await _let_go(entry, closed, ledger)
    saved = await ledger.save(change, *closed)
    await begin_work(saved, ledger, services)
    return saved.entry


async def _let_go(entry: KeyRecord, closed: Sequence[Delete], ledger: Ledger) -> KeyRecord:
    """Leave a key that is over as it is; one that failed gets no other in its place any more."""
    if awaited(entry) is not None:
        return (await ledger.save(Change(_given_up(entry)), *closed)).entry
    if closed:
        await ledger.documents.commit(closed)
    return entry


def _given_up(entry: KeyRecord) -> KeyRecord:
    return replace(entry, revival=replace(entry.revival, let_go=True))


async def _replaced(order: KeyOrder, ledger: Ledger, services: Services) -> CredentialId:
    entry = await entry_of(order.key, ledger, services)
    state = entry.credential.state
    if isinstance(state, Revoked) and state.replaced_by is not None:
        return state.replaced_by
    check_lasting(entry)
    stay = await stay_of(entry, ledger, services)
    word, id_ = _word(order, entry, services), KeyCredentialId.mint(services.ids.ulid())
    ways = order.ways or await plan_of(entry, order.kind, services)
    requested = request_beside(entry, AnotherKey(id_, SetRole.REPLACEMENT, ways), word)
    ended = end_key(entry, await ledger.grants(entry), order.reason, word, id_)
    named = tuple(id_ if each == entry.id else each for each in stay.credentials)
    beside = [replace(stay, credentials=named).write(), *await task_closed(entry, ledger)]
    changes = [ended or Change(_given_up(entry)), requested]
    old, new = await ledger.save_all(changes, *beside)
    if order.reason is RevokeReason.REPLACED:
        await hand_over(old, new, ledger, services)
        return id_
    if ended is not None:  # one that had failed is due as it was, for what it left at its locks
        await begin_work(old, ledger, services)
    await begin_work(new, ledger, services)
    return id_


def _word(order: KeyOrder, entry: KeyRecord, services: Services) -> Order:
    return Order(Cause(entry.cause.trace_id), services.now, order.by)
