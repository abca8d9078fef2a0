"""Somebody lost their account: they may sign in no more, and every key they hold is over (B §3).

1. That they are stopped is kept first: a shift that begins meanwhile, or is told of again, makes no key.
2. Their master keys end, each in one commit with its credentials; then whatever else they hold.
3. Done again, it finds what an earlier delivery left.
"""

from typing import TYPE_CHECKING

from shared.domain.ids import MasterKeyId, UserId
from shared.domain.kinds import RevokeReason
from shared.domain.master_key import ExpiryTrigger
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger
from shared.usecases.hotels.staff_access import stop_person
from shared.usecases.staff.event_cause import cause_of
from shared.usecases.staff.follow_master_key import end_master_key
from shared.usecases.staff.held_keys import living_credentials, living_keys

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def dismiss(event: "Event", reason: RevokeReason, services: Services) -> tuple[MasterKeyId, ...]:
    """Take every key of a person; return which master keys those were."""
    ledger, person = await services.ledger(event.tenant_id), UserId(event.data.user_id)
    await stop_person(person, services.now, ledger.documents)
    return await retry_on_conflict(lambda: _ended(person, reason, cause_of(event), ledger, services))


async def _ended(
    person: UserId, reason: RevokeReason, cause: Cause, ledger: Ledger, services: Services
) -> tuple[MasterKeyId, ...]:
    held = await living_keys(person, ledger)
    for record in held:
        await end_master_key(record, ExpiryTrigger.USER_DEACTIVATED, ledger, services)
    for entry in await living_credentials(person, ledger):
        change = end_key(entry, await ledger.grants(entry), reason, Order(cause, services.now))
        if change is not None:
            await begin_work(await ledger.save(change), ledger, services)
    return tuple(record.id for record in held)
