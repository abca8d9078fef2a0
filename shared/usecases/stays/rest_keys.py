"""The keys of a stay rest or wake with its record, in one commit; their work is begun after it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.domain.ids import CredentialId
from shared.domain.kinds import SuspendReason
from shared.keywork.orders import Order, hold_key, release_key
from shared.keywork.services import Services
from shared.keywork.start import begin_work
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation
from shared.usecases.stays.booking import keys_of
from shared.usecases.stays.turn import settle_turn

Ordering = Callable[[KeyRecord, Sequence[GrantRecord], SuspendReason, Order], Change | None]
HOLD: Final[Ordering] = hold_key
RELEASE: Final[Ordering] = release_key


@dataclass(frozen=True, slots=True)
class RestOrder:
    """Whether keys are to rest or to wake, for which reason, and on whose word."""

    ordering: Ordering
    reason: SuspendReason
    order: Order


async def rest_keys(
    record: Reservation, ordered: RestOrder, ledger: Ledger, services: Services
) -> tuple[CredentialId, ...]:
    """Save a stay as it is now held, and let each of its keys follow; return the keys."""
    await settle_turn(record, ledger, services)
    known = await keys_of(record, ledger)
    found = [ordered.ordering(key, await ledger.grants(key), ordered.reason, ordered.order) for key in known]
    changes = [change for change in found if change is not None]
    if not changes:
        await ledger.documents.commit([record.write()])
        return record.credentials
    for saved, change in zip(await ledger.save_all(changes, record.write()), changes, strict=True):
        if change.facts or change.grants:
            await begin_work(saved, ledger, services)
    return record.credentials


def unprompted(services: Services, event_id: str | None = None) -> Cause:
    """Return what set work going that no event brings about at once: with a trace of its own."""
    token = services.entropy.token(24).hex()
    return Cause(f"00-{token[:32]}-{token[32:]}-01", event_id)
