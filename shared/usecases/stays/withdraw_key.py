"""Keys end in the ledger, whatever their state; what they have at the locks is on its way out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from shared.domain.kinds import ClaimKey, RevokeReason
from shared.domain.reactions import withdrawal
from shared.events.idempotency import claim_key
from shared.keywork.manual_task import task_closed
from shared.keywork.services import Services
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.key_record import Cause, KeyRecord, Work
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import Delete
from shared.usecases.stays.booking import BookingEvent


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What ends keys, to be saved: those that lived, and the tasks of those that were never made."""

    changes: tuple[Change, ...] = ()
    closed: tuple[Delete, ...] = ()


NOTHING: Final = Withdrawn()


async def withdraw_keys(
    entries: Iterable[KeyRecord],
    reason: RevokeReason,
    booking: BookingEvent,
    ledger: Ledger,
    services: Services,
) -> Withdrawn:
    """Return what ends these keys; nothing for those that are over already, unless a task is left of them."""
    changes, closed = list[Change](), list[Delete]()
    for entry in entries:
        closed += await task_closed(entry, ledger)
        changes += await withdrawn(entry, reason, booking.cause, ledger, services.now)
    return Withdrawn(tuple(changes), tuple(closed))


async def withdrawn(
    entry: KeyRecord, reason: RevokeReason, cause: Cause, ledger: Ledger, now: datetime
) -> list[Change]:
    """Return what ends a key; nothing if it is over already."""
    command = withdrawal(entry.credential, reason, at=now)
    if command is None:
        return []
    grants = tuple(grant.withdrawn(now) for grant in await ledger.grants(entry) if not grant.over)
    ended, facts = entry.credential.apply(command)
    claim = ClaimKey(
        claim_key("revoke", event_id=cause.event_id or str(entry.id), key_credential_id=str(entry.id))
    )
    turned = replace(
        entry,
        credential=ended,
        saga=entry.saga.turned(Work.WITHDRAW, claim),
        cause=cause,
        due=now + STARTED_WITHIN,
    )
    return [Change(turned, facts, grants)]
