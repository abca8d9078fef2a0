"""A key that opens once is over when its room has opened to it: as soon as its door tells of that.

| the attempt | its key |
|---|---|
| opened a door of the key's own rooms | ends: revoked, and removed at its locks |
| opened a door that leads to other rooms too, or to none | goes on: its guest is on the way |
| was refused; by a key that is over, or of another role | goes on as it is |

A lock that tells hours later lets the key in until then: it is also short, a day at most. Decision 0147.
"""

from shared.domain.kinds import RevokeReason, SetRole
from shared.domain.premises import LockDevice
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.attempt import Attempt
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger


async def end_spent(attempt: Attempt, door: LockDevice | None, ledger: Ledger, services: Services) -> None:
    """End the key of an attempt if that was the one time it opens; told twice, it ends once."""
    if attempt.opened and attempt.credential_id is not None and door is not None:
        await retry_on_conflict(lambda: _end(attempt, door, ledger, services))


async def _end(attempt: Attempt, door: LockDevice, ledger: Ledger, services: Services) -> None:
    entry = await ledger.entry(str(attempt.credential_id))
    if entry is None or entry.credential.core.role is not SetRole.ONE_SHOT:
        return
    if not door.rooms or not set(door.rooms) <= set(entry.credential.core.rooms):
        return
    order = Order(Cause(entry.cause.trace_id), services.now)
    change = end_key(entry, await ledger.grants(entry), RevokeReason.CHECKOUT, order)
    if change is not None:
        services.log.info("a key that opens once was used", keyCredentialId=entry.id, attempt=attempt.id)
        await begin_work(await ledger.save(change), ledger, services)
