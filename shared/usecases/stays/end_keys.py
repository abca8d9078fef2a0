"""Keys end in the ledger, whatever their state; what they have at the locks is on its way out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shared.domain.kinds import RevokeReason
from shared.keywork.manual_task import task_closed
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import Delete
from shared.usecases.stays.booking import BookingEvent


@dataclass(frozen=True, slots=True)
class EndedKeys:
    """What ends keys, to be saved: those that lived, and the tasks of those that were never made."""

    changes: tuple[Change, ...] = ()
    closed: tuple[Delete, ...] = ()


NOTHING: Final = EndedKeys()


async def end_keys(
    entries: Iterable[KeyRecord],
    reason: RevokeReason,
    booking: BookingEvent,
    ledger: Ledger,
    services: Services,
) -> EndedKeys:
    """Return what ends these keys; nothing for those that are over already, unless a task is left of them."""
    changes, closed = list[Change](), list[Delete]()
    for entry in entries:
        closed += await task_closed(entry, ledger)
        changes += await ending_of(entry, reason, booking.cause, ledger, services.now)
    return EndedKeys(tuple(changes), tuple(closed))


async def ending_of(
    entry: KeyRecord, reason: RevokeReason, cause: Cause, ledger: Ledger, now: datetime
) -> list[Change]:
    """Return what ends a key; nothing if it is over already."""
    change = end_key(entry, await ledger.grants(entry), reason, Order(cause, now))
    return [] if change is None else [change]
