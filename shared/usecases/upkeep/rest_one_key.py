"""One key rests, or wakes, on a person's word: a card was left in the lift, a code was said aloud.

The stay's other keys go on. What holds the whole stay holds the key besides: it wakes when nothing does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, TenantId, UserId
from shared.domain.kinds import SuspendReason
from shared.domain.lifecycle import name_of
from shared.domain.states import Failed, Revoked
from shared.keywork.orders import Order, hold_key, release_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Change, Ledger

_Ordering = Callable[[KeyRecord, Sequence[GrantRecord], SuspendReason, Order], Change | None]
OVER: Final = (Revoked, Failed)


@dataclass(frozen=True, slots=True)
class RestKey:
    """Which key, on whose word, and why."""

    tenant: TenantId
    key: CredentialId
    by: UserId
    reason: SuspendReason


async def rest_one_key(order: RestKey, services: Services) -> KeyRecord:
    """Let a key rest for a reason; one that rests for it already is left as it is."""
    return await _obeyed(order, hold_key, services)


async def wake_one_key(order: RestKey, services: Services) -> KeyRecord:
    """Take a reason away; a key that it does not hold is left as it is."""
    return await _obeyed(order, release_key, services)


async def _obeyed(order: RestKey, ordering: _Ordering, services: Services) -> KeyRecord:
    ledger = await services.ledger(order.tenant)
    entry = await retry_on_conflict(lambda: _obey(order, ordering, ledger, services))
    about = {"keyCredentialId": entry.id, "by": order.by, "reason": order.reason}
    services.log.info("a key rests, or wakes, by hand", rests=ordering is hold_key, **about)
    return entry


async def _obey(order: RestKey, ordering: _Ordering, ledger: Ledger, services: Services) -> KeyRecord:
    entry = await ledger.entry(order.key)
    if entry is None:
        raise InvalidInput("key", "no such key", "name one that keyfleet credentials shows")
    state = entry.credential.state
    if isinstance(state, OVER):
        raise InvalidInput("key", f"{name_of(type(state))}, and over", "request another for its stay")
    word = Order(Cause(entry.cause.trace_id), services.now, order.by)
    change = ordering(entry, await ledger.grants(entry), order.reason, word)
    if change is None:
        return entry
    saved = await ledger.save(change)
    if change.facts or change.grants:
        await begin_work(saved, ledger, services)
    return saved.entry
