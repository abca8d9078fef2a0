"""A key whose PIN a lock will not have, for somebody else's opens there, is replaced by another.

It was to move, or to wake: its guest is to have one PIN for all doors, and no lock has the same one twice.

1. The stay says whether it still wants the key; if not, or if no other can be written down, people are told.
2. One commit: the old key revoked, the new one for where the old was to be, the stay that names it.
3. The door that is to close is asked first. Of all who come by, one makes the new key. Decision 0120.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import RevokeReason, SetRole
from shared.keywork.desired import pin_refused
from shared.keywork.manual_task import alarm
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services
from shared.keywork.start import begin_work
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Ledger
from shared.usecases.upkeep.another_key import AnotherKey, plan_of, request_beside, stay_of

NO_OTHER: Final = "a lock refuses its PIN, for another's opens there, and it can have no other key"


async def replace_if_refused(
    entry: KeyRecord, grants: Sequence[GrantRecord], ledger: Ledger, services: Services
) -> KeyRecord | None:
    """Replace a key if a lock refuses its PIN for another's; return the key that goes on, if it does."""
    if not pin_refused(entry, grants):
        return entry
    try:
        stay = await stay_of(entry, ledger, services)
        ways = await plan_of(entry, None, services)
    except InvalidInput as refusal:
        return _looked(entry, refusal, services)
    word, id_ = Order(Cause(entry.cause.trace_id), services.now), KeyCredentialId.mint(services.ids.ulid())
    ended = end_key(entry, grants, RevokeReason.REPLACED, word, id_)
    assert ended is not None  # noqa: S101 - it is no key of which a PIN was refused that is over
    requested = request_beside(entry, AnotherKey(id_, SetRole.REPLACEMENT, ways), word)
    named = tuple(id_ if each == entry.id else each for each in stay.credentials)
    for saved in await ledger.save_all([ended, requested], replace(stay, credentials=named).write()):
        await begin_work(saved, ledger, services)
    told = {"keyCredentialId": entry.id, "replacedBy": id_}
    services.log.info("a key is replaced whose PIN a lock refuses", **told)
    return None


def _looked(entry: KeyRecord, refusal: InvalidInput, services: Services) -> KeyRecord:
    """Tell people, once, of a key that goes on as it is; its locks are asked each hour."""
    if entry.revival.looked is None:
        alarm(entry.credential.core, NO_OTHER, services.log, problem=refusal.problem, remedy=refusal.remedy)
    return replace(entry, revival=replace(entry.revival, looked=services.now))
