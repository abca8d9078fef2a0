"""Who is here and waits out a vendor's trouble is served as soon as the vendor is well, not when due.

| since it was parked                                            | the key                         |
|----------------------------------------------------------------|---------------------------------|
| its vendor took another key of the house (`answers_again`)     | is begun, in the sweeper's line |
| a circuit of its vendor closed                                 | likewise                        |
| nothing of it                                                  | is looked at by the next sweep  |
| it was begun early already, in vain                            | waits until it was to be asked  |

Each sweep looks at it, and until the next one, every few seconds. What is begun early is no attempt: a vendor
that is well for others alone costs the key none. What dies between is looked at by the next. Decision 0330.
"""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import CredentialId, TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import VendorCode
from shared.keywork.desired import next_vendor
from shared.keywork.services import Services
from shared.ledger.delays import LOOKED_EVERY
from shared.ledger.indexes import BREAKERS
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reading import from_value
from shared.ports.documents import Document, StaleVersion
from shared.usecases.upkeep.ask_again import for_nothing
from shared.usecases.upkeep.revive_key import has_answered
from shared.usecases.upkeep.tend_key import begin_in_line, is_to_wait
from shared.vendor_kit.breaker import BreakerState
from shared.vendor_kit.calm.blocks import PLATFORM

LOOK_EVERY: Final = 5.0
LOOKED_FOR: Final = 48.0
"""Seconds after a sweep began, within the minute after which the next one comes."""
MOST_CIRCUITS: Final = 200


async def look_at_vendor(entry: KeyRecord, vendor: VendorCode, ledger: Ledger, services: Services) -> None:
    """Begin a key whose vendor is well since it was parked; else have it looked at again, soon."""
    if await _is_well(entry, ledger, services):
        await begin_in_line(for_nothing(entry), vendor, ledger, services)
        return
    if entry.saga.parked_at is not None:
        services.line.note_here(entry)
    later = services.now + LOOKED_EVERY
    await ledger.save(Change(replace(entry, due=min(later, entry.saga.asks_at or later))))


async def serve_waiting(services: Services, began: float) -> None:
    """Look again at those whom the sweep found waiting here that `began` then, until the next one."""
    waiting, until = services.line.take_here(), began + LOOKED_FOR
    while waiting and passed() < until:
        await asyncio.sleep(LOOK_EVERY)
        waiting = [each for each in waiting if not await _served(*each, services)]


async def _served(tenant: TenantId, key: CredentialId, services: Services) -> bool:
    """Begin a key whose vendor is well; say whether nobody waits for that any more."""
    try:
        ledger = await services.ledger(tenant)
        entry = await ledger.entry(key)
        if entry is None or not is_to_wait(entry.saga, services.now):
            return True
        vendor = next_vendor(entry, ())
        if vendor is None or not await _is_well(entry, ledger, services):
            return vendor is None
        await begin_in_line(for_nothing(entry), vendor, ledger, services)
    except StaleVersion:
        return True  # somebody else tends it
    except Exception as error:  # noqa: BLE001 - one that is broken must not keep the others waiting
        named = {"tenant": tenant, "credential": key}
        services.log.failure("it could not be seen whether a key's vendor is well", error, **named)
        return True  # for this minute
    return True


async def _is_well(entry: KeyRecord, ledger: Ledger, services: Services) -> bool:
    since = entry.saga.parked_at
    if since is None:
        return False
    return await _circuit_closed(entry, since, services) or await has_answered(entry, since, ledger)


async def _circuit_closed(entry: KeyRecord, since: datetime, services: Services) -> bool:
    """Say whether a vendor of the key was found well since, whosever application that is."""
    vendors = {str(choice.vendor) for choice in entry.credential.core.plan.choices}
    circuits = services.hotels.admitted(PLATFORM)
    # A second of grace: texts of instants are in order but for parts of one.
    changed = from_value(BREAKERS, instant_to_text(since - timedelta(seconds=1)))
    found = await circuits.query(BREAKERS, {}, after=changed, limit=MOST_CIRCUITS)
    return any(_closed_since(each, since) for each in found if each.ref.id.partition(":")[0] in vendors)


def _closed_since(breaker: Document, since: datetime) -> bool:
    closed = breaker.data["state"] == BreakerState.CLOSED
    return closed and instant_from_text(breaker.data["changed_at"], "changed_at") > since


def passed() -> float:
    """Return seconds by a clock that nobody sets."""
    return asyncio.get_running_loop().time()
