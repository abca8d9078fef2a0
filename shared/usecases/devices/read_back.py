"""Keys are read back before their guests come: 72, 24 and 2 hours before, at the locks that they are to open.

1. The keys are found whose arrival has come within a mark since the last reading; each hour looks for some.
2. At 72 and 24 hours the comparison of the night has read them, if there was one; else, and at 2 hours, each
   is looked for by its name: one question of the vendor for each lock.
3. What the lock says goes into its grant: accepted becomes on the lock. What is not there is handed back, and
   the workflow has that lock compared, which places the key again with the same PIN.
4. Only then is the reading noted; who dies before is followed by the next hour, which reads the same again.
"""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.grant_lifecycle import Place, Placed, Placement
from shared.domain.ids import PropertyId
from shared.domain.lock_errors import LockError
from shared.domain.states import Active
from shared.keywork.lock_key import lock_key
from shared.keywork.services import Services
from shared.keywork.vault import secret_of
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.ledger.comparison import comparison_from
from shared.ledger.comparison import ref_of as comparison_ref
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, Wish, grant_from
from shared.ledger.hearing import Hearing, hearing_of
from shared.ledger.indexes import LIVE_AT, OF_CREDENTIAL
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.site import site_of
from shared.ports.documents import AlreadyExists, StaleVersion, TenantDocuments
from shared.usecases.attempts.begin_hearing import HearDoors

MARKS: Final = (timedelta(hours=72), timedelta(hours=24), timedelta(hours=2))
LAST_MARK: Final = MARKS[-1]
AN_HOUR: Final = timedelta(hours=1)
LONGEST_GAP: Final = timedelta(days=3)
READ_LATELY: Final = timedelta(hours=26)
PAGE: Final = 500
MOST_READ: Final = 60
ORDER: Final = tuple(Placement)


@dataclass(frozen=True, slots=True)
class Arriving:
    """A key whose guest arrives in as long as a mark says."""

    entry: KeyRecord
    mark: timedelta


async def arriving(
    property_id: PropertyId, hearing: Hearing, store: TenantDocuments, now: datetime
) -> AsyncIterator[Arriving]:
    """Yield the keys that came within a mark since they were read last."""
    since = max(hearing.read_back_at or now - AN_HOUR, now - LONGEST_GAP)
    equals = {"property_id": str(property_id)}
    page = await store.query(LIVE_AT, equals, limit=PAGE)
    while page:
        for entry in map(key_record_from, page):
            starts = entry.credential.core.window.start
            marks = [mark for mark in MARKS if since + mark < starts <= now + mark]
            if marks and isinstance(entry.credential.state, Active):
                yield Arriving(entry, min(marks))
        page = await store.query(LIVE_AT, equals, after=page[-1], limit=PAGE) if len(page) == PAGE else ()


async def read_back(command: HearDoors, services: Services, desks: VendorSessions) -> dict[str, Any]:
    """Read back what is due at a site, and return the locks whose keys are not there."""
    store, now = (await services.ledger(command.tenant)).documents, services.now
    hearing = await hearing_of(site_of(command.property_id, command.vendor), store)
    missing = list[str]()
    try:
        desk = await desks.at(command.tenant, command.property_id)
        async for each in arriving(command.property_id, hearing, store, now):
            if each.mark == LAST_MARK or not await _compared_lately(command, store, now):
                missing += await _read(each, desk, store, services)
        # Where somebody else notes how far doors were heard, the next hour reads the same again.
        with contextlib.suppress(AlreadyExists, StaleVersion):
            await replace(hearing, read_back_at=now).saved(store)
    except LockError as closed:
        services.log.warning(
            "keys could not be read back", property=command.property_id, cause=closed.cause.kind
        )
    return {"outcome": "done", "after_seconds": 0, "compare": list(dict.fromkeys(missing))[:MOST_READ]}


async def _compared_lately(command: HearDoors, store: TenantDocuments, now: datetime) -> bool:
    found = await store.get(comparison_ref(command.property_id, command.vendor))
    whole_at = None if found is None else comparison_from(found).whole_at
    return whole_at is not None and now < whole_at + READ_LATELY


async def _read(due: Arriving, desk: VendorSession, store: TenantDocuments, services: Services) -> list[str]:
    found = await store.query(OF_CREDENTIAL, {"credential_id": str(due.entry.id)}, limit=MOST_GRANTS)
    ours = {str(device.id) for device in desk.binding.devices}
    missing = list[str]()
    for kept in map(grant_from, found):
        counts = str(kept.grant.device_id) in ours and kept.stands and kept.wish is Wish.OPEN
        if counts and not await _at_its_lock(kept, due, desk, services):
            missing.append(str(kept.grant.device_id))
    return missing


async def _at_its_lock(kept: GrantRecord, due: Arriving, desk: VendorSession, services: Services) -> bool:
    """Say whether a key is at its lock, and note how far it has come there; a silent lock says nothing."""
    zone = desk.binding.property.zone
    sealed = await desk.secrets.find(secret_of(kept))
    try:
        at_lock = await desk.port.find(lock_key(kept, kept.window(zone), sealed, due.entry.credential.core))
    except LockError as error:
        services.log.warning(
            "a key could not be read back", deviceId=kept.grant.device_id, cause=error.cause.kind
        )
        return True
    if at_lock is None:
        services.log.warning(
            "an arrival's key is not at its lock",
            deviceId=kept.grant.device_id,
            keyCredentialId=kept.grant.credential_id,
        )
        return False
    state = kept.grant.state
    if isinstance(state, Placed) and ORDER.index(at_lock.placement) > ORDER.index(state.placement):
        further = kept.applied(Place(at=services.now, placement=at_lock.placement))
        with contextlib.suppress(StaleVersion):  # the key is worked on: who does that knows better
            await services.hotels.admitted(kept.grant.tenant).commit([further.write()])
    return True
