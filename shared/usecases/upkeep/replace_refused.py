"""A key whose PIN a lock will not have, for somebody else's opens there, is replaced by another.

It was to move, or to wake: its holder is to have one PIN for all doors, and no lock has the same one twice.

1. The stay says whether it still wants the key; if not, or if no other can be written down, people are told.
2. One commit: the old key revoked, the new one for where the old was to be, the stay that names it.
3. Of all who come by, one makes the new key. Where the old one opens it does so until the guest was told of
   the new one (`hand_over.py`). Decisions 0120, 0187.

One of staff is replaced by whoever follows its master key, which names it (decision 0221).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared.domain.core import Staff
from shared.domain.errors import InvalidInput
from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import RevokeReason, SetRole
from shared.keywork.desired import pin_refused
from shared.keywork.manual_task import alarm
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.master_key_record import find_master_key
from shared.usecases.stays.turn import settle_key, stuck
from shared.usecases.upkeep.another_key import AnotherKey, plan_of, request_beside, stay_of
from shared.usecases.upkeep.hand_over import hand_over

NO_OTHER: Final = "a lock refuses its PIN, for another's opens there, and it can have no other key"


async def replace_if_refused(
    entry: KeyRecord, grants: Sequence[GrantRecord], ledger: Ledger, services: Services
) -> KeyRecord | None:
    """Replace a key if a lock refuses its PIN for another's; return the key that goes on, if it does."""
    refused = pin_refused(entry, grants)
    if entry.then is not None and (refused or stuck(entry, grants, services.now)):
        await settle_key(entry, ledger, services)
        return None
    if not refused:
        return entry
    if isinstance(entry.credential.core.holder, Staff):
        return await _followed(entry, ledger, services)
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
    old, new = await ledger.save_all([ended, requested], replace(stay, credentials=named).write())
    await hand_over(old, new, ledger, services)
    told = {"keyCredentialId": entry.id, "replacedBy": id_}
    services.log.info("a key is replaced whose PIN a lock refuses", **told)
    return None


async def _followed(entry: KeyRecord, ledger: Ledger, services: Services) -> KeyRecord | None:
    """Have the master key of a staff key followed, which replaces it if its holder is to have it now."""
    from shared.usecases.staff.follow_master_key import follow_master_key

    holder = entry.credential.core.holder
    named = holder.master_key_id if isinstance(holder, Staff) else None
    record = None if named is None else await find_master_key(ledger.documents, named)
    if record is not None:
        await follow_master_key(record, ledger, services)
        known = await ledger.entry(entry.id)
        if known is None or known.version != entry.version:
            return None
    remedy = "look whether its holder is on duty, and give them a key by hand"
    return _looked(entry, InvalidInput("key", "no key of a shift that goes on", remedy), services)


def _looked(entry: KeyRecord, refusal: InvalidInput, services: Services) -> KeyRecord:
    """Tell people, once, of a key that goes on as it is; its locks are asked each hour."""
    if entry.revival.looked is None:
        alarm(entry.credential.core, NO_OTHER, services.log, problem=refusal.problem, remedy=refusal.remedy)
    return replace(entry, revival=replace(entry.revival, looked=services.now))
