"""Every arrival is checked 72 hours, 24 hours and 2 hours before: will this guest get in? Decision 0144.

| found of a key | told as a risk |
|---|---|
| there is none | yes |
| it failed, and is wanted still | no: its task tells of it, and another is requested at these very times |
| it waits for its time | from ten minutes after that: the policy may want it late |
| it is being made | from 24 hours before |
| it rests, or is over | no |
| another stay has its room at this time, and neither's key says so | yes |
| it is to open, and something is amiss at one of its doors (`shared/keywork/door_risks.py`) | yes |

Three days ahead there is time: that is a warning. From a day ahead it is an alarm. Whoever dies after telling
tells once more.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_to_text
from shared.domain.states import Active
from shared.keywork.door_risks import risks_at
from shared.keywork.services import Services
from shared.ledger.device_record import kept_of
from shared.ledger.grant_record import Wish
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation, ref_of, reservation_from
from shared.usecases.stays.booking import keys_of
from shared.usecases.stays.room_at_once import ROOM_SHARED, Sharer, sharers_of

URGENT: Final = timedelta(hours=24)
TAKEN_UP_WITHIN: Final = timedelta(minutes=10)
"""So long after its time a key that waits may not have been taken up yet."""


async def check_arrival(reservation: str, ledger: Ledger, services: Services) -> bool:
    """Check an arrival if it is time; return whether it was."""
    found = await ledger.documents.get(ref_of(reservation))
    record = None if found is None else reservation_from(found)
    if record is None or record.next_check is None or record.next_check > services.now:
        return False
    risks = [risk async for risk in _risks(record, ledger, services)]
    if risks:
        _tell(record, risks, ledger, services)
    await replace(record, checked=services.now).saved(ledger.documents)
    return True


async def _risks(record: Reservation, ledger: Ledger, services: Services) -> AsyncIterator[str]:
    keys = await keys_of(record, ledger)
    if not keys:
        yield "no key"
    for other in await _shared_unsaid(record, keys, ledger, services):
        yield f"{other.room}: {other.guest.reservation_id} has it at this time too"
    for key in keys:
        if key.to_be_made and _urgent(record, services) and not _waits(key, services):
            yield f"{key.id}: yet to be made"
        if isinstance(key.credential.state, Active):
            async for risk in _at_doors(key, ledger):
                yield risk


async def _shared_unsaid(
    record: Reservation, keys: Sequence[KeyRecord], ledger: Ledger, services: Services
) -> Sequence[Sharer]:
    """Return who else has the rooms, where neither's key says so: both were booked at one moment."""
    stay, said = record.stay, [each.code for key in keys for each in key.credential.core.warnings]
    if stay is None or ROOM_SHARED in said:
        return ()
    try:
        setup = await services.hotels.premises(ledger.documents.tenant, stay.property_id)
    except InvalidInput:
        return ()  # a property that is set up no more has no rooms to share
    sharers = await sharers_of(stay, stay.held_by(record.id), setup, ledger)
    return [each for each in sharers if not each.said]


async def _at_doors(key: KeyRecord, ledger: Ledger) -> AsyncIterator[str]:
    for kept in await ledger.grants(key):
        if kept.wanted and kept.wish is Wish.OPEN:
            health = await kept_of(ledger.documents, kept.grant.device_id)
            for risk in risks_at(kept, health):
                yield risk


def _waits(key: KeyRecord, services: Services) -> bool:
    """Say whether a key is made no sooner on purpose, and that is not overdue."""
    return key.waits is not None and services.now < key.waits.until + TAKEN_UP_WITHIN


def _urgent(record: Reservation, services: Services) -> bool:
    return record.stay is not None and services.now >= record.stay.start - URGENT


def _tell(record: Reservation, risks: list[str], ledger: Ledger, services: Services) -> None:
    stay = record.stay
    assert stay is not None  # noqa: S101 - of others no arrival is checked
    about = {
        "tenantId": ledger.documents.tenant,
        "property": stay.property_id,
        "reservationId": record.id,
        "rooms": list(stay.rooms),
        "arrives": instant_to_text(stay.start),
        "risks": risks,
    }
    if _urgent(record, services):
        services.log.alert("a guest may not get in", runbook="lock/guest-at-the-door", **about)
    else:
        services.log.warning("a guest may not get in, in three days", **about)
