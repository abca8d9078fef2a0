"""The sweeper: whatever announces and is due is tended, whoever's it is. One table names what is swept.

Keys come first, and once more each minute while the others are tended. When a sweep's time is up, of each
stream that is left only those are tended that are longest overdue.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.keywork.services import Services
from shared.ledger.delays import STEP_LEASE
from shared.ledger.indexes import (
    DUE,
    DUE_ACCOUNTS,
    DUE_ATTEMPTS,
    DUE_BULK,
    DUE_CANARIES,
    DUE_DEEDS,
    DUE_DEVICES,
    DUE_DISCLOSURES,
    DUE_GLASS,
    DUE_MASTER_KEYS,
    DUE_NOTICES,
    DUE_SENDINGS,
    DUE_SESSIONS,
    DUE_STAYS,
    DUE_TELEMETRY,
    DUE_WEBHOOKS,
)
from shared.ports.documents import DocumentStore, Index, Ref, StaleVersion, Update
from shared.streams.telling import DUE_AT
from shared.usecases.stays.check_arrival import check_arrival
from shared.usecases.stays.no_show import do_planned
from shared.usecases.telemetry.untold import tell_untold
from shared.usecases.upkeep.tend_key import tend_if_due
from shared.vendor_kit.calm.health_stream import tell_health
from shared.vendor_kit.indexes import DUE_BREAKERS

AT_A_TIME: Final = 400
LANES: Final = 32
"""So many are tended side by side: most of the time one of them waits for a store, a bus or an engine."""
MOST_ROUNDS: Final = 50
ROUNDS_OF_SENDINGS: Final = 5
"""An address that is down keeps thousands of events waiting, which wake each time it has rested: they take no
sweep's time from keys, which are looked at again with the next one."""
LONGEST: Final = timedelta(minutes=4)
"""Less than the sweeper's own time, and more than the minute after which the next one sets out."""
ELSEWHERE: Final = timedelta(minutes=5)
"""So long at most what was due of a tenant comes late in the cell that it moved to."""
KEYS_EVERY: Final = timedelta(minutes=1)
Due = tuple[TenantId, str]


async def _tend_key(tenant: TenantId, key: str, _: DocumentStore, services: Services) -> bool:
    return await tend_if_due(key, await services.ledger(tenant), services)


async def _tend_stay(tenant: TenantId, stay: str, _: DocumentStore, services: Services) -> bool:
    ledger = await services.ledger(tenant)
    planned = await do_planned(stay, ledger, services)
    return await check_arrival(stay, ledger, services) or planned


async def _tend_master_key(tenant: TenantId, name: str, _: DocumentStore, services: Services) -> bool:
    from shared.usecases.staff.follow_master_key import tend_master_key

    return await tend_master_key(name, await services.ledger(tenant), services)


async def _resume_bulk(tenant: TenantId, name: str, _: DocumentStore, services: Services) -> bool:
    from shared.usecases.bulk.begin_bulk import resume_bulk

    return await resume_bulk(name, await services.ledger(tenant), services)


async def _tell_disclosure(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.audit.disclosures import tell_disclosure

    return await tell_disclosure(name, documents.tenant(tenant), services.bus)


async def _tend_webhook(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.webhooks.tend_webhook import tend_webhook

    return await tend_webhook(tenant, name, documents, services)


async def _tend_attempt(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.attempts.tend_attempt import tend_attempt

    return await tend_attempt(tenant, name, documents, services)


async def _tend_notice(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.guests.tend_notice import tend_notice

    return await tend_notice(name, documents.tenant(tenant), services.sagas, services.now)


async def _tend_sending(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.outbound.due import tend_sending

    return await tend_sending(name, documents.tenant(tenant), services)


async def _tend_device(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.devices.tend_device import tend_device

    return await tend_device(tenant, name, documents, services)


async def _tell_health(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    return await tell_health(name, documents.tenant(tenant), services.bus)


async def _tell_telemetry(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    return await tell_untold(name, documents.tenant(tenant), services.bus)


async def _expire_session(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.backoffice.expire import expire_session

    return await expire_session(tenant, name, documents, services)


async def _tend_account(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.accounts.rotate import tend_account

    return await tend_account(name, tenant, documents.tenant(tenant), services)


async def _tend_glass(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.accounts.break_glass import tend_glass

    return await tend_glass(name, tenant, documents.tenant(tenant), services)


async def _tell_deed(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.accounts.deeds import tell_deed

    return await tell_deed(name, documents.tenant(tenant), services.bus)


async def _tend_canary(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    from shared.usecases.canary.begin import tend_canary

    return await tend_canary(name, tenant, documents.tenant(tenant), services)


@dataclass(frozen=True, slots=True)
class SweptStream:
    """Aggregates of one kind: where the due ones are found, and what is done about one."""

    due: Index
    tend: Callable[[TenantId, str, DocumentStore, Services], Awaitable[bool]]
    complaint: str
    rounds: int = MOST_ROUNDS


SWEPT: Final = (
    SweptStream(DUE, _tend_key, "a due key could not be tended"),
    SweptStream(DUE_STAYS, _tend_stay, "a stay could not be tended that is due"),
    SweptStream(DUE_MASTER_KEYS, _tend_master_key, "a master key could not be brought to what it is to be"),
    SweptStream(DUE_BULK, _resume_bulk, "a bulk revocation could not be taken up"),
    SweptStream(DUE_DISCLOSURES, _tell_disclosure, "who was shown evidence could not be told"),
    SweptStream(DUE_TELEMETRY, _tell_telemetry, "what the backoffice did could not be told"),
    SweptStream(DUE_WEBHOOKS, _tend_webhook, "a vendor's webhook could not be tended"),
    SweptStream(DUE_ATTEMPTS, _tend_attempt, "an attempt at a door could not be told"),
    SweptStream(DUE_DEVICES, _tend_device, "what happened to a lock could not be told"),
    SweptStream(DUE_SESSIONS, _expire_session, "a session that is over could not be closed"),
    SweptStream(DUE_NOTICES, _tend_notice, "what a guest is to be told could not be gone on with"),
    SweptStream(DUE_ACCOUNTS, _tend_account, "a vendor's account could not be looked at"),
    SweptStream(DUE_DEEDS, _tell_deed, "what was done about a vendor's account could not be told"),
    SweptStream(DUE_GLASS, _tend_glass, "broken glass could not be closed"),
    SweptStream(DUE_CANARIES, _tend_canary, "a vendor's next build could not be looked at"),
    SweptStream(
        DUE_SENDINGS, _tend_sending, "an event could not be sent on to whoever hears it", ROUNDS_OF_SENDINGS
    ),
    SweptStream(DUE_BREAKERS, _tell_health, "a vendor's change of health could not be told"),
)


async def sweep_due(
    documents: DocumentStore, services: Services, streams: Sequence[SweptStream] = SWEPT
) -> int:
    """Tend what is due of each stream, the longest overdue first, and return how many that were."""
    until = services.now + LONGEST
    keys, *others = (_Sweep(stream, documents, services, until) for stream in streams)
    return await keys.all_due() + sum([await each.all_due(keys) for each in others])


@dataclass(slots=True)
class _Sweep:
    stream: SweptStream
    documents: DocumentStore
    services: Services
    until: datetime
    looked: datetime = field(init=False)

    async def all_due(self, before: "_Sweep | None" = None) -> int:
        """Tend all that is due while there is time, and those before it once more each minute."""
        tended = 0
        for _ in range(self.stream.rounds):
            if before is not None and self.services.now >= before.looked + KEYS_EVERY:
                tended += await before.all_due()
            self.looked = self.services.now
            due = await self.documents.sweep(
                self.stream.due, {}, until=milliseconds(self.looked), limit=AT_A_TIME
            )
            tended += await self._side_by_side(due) if due else 0
            if len(due) < AT_A_TIME or self.services.now >= self.until:
                break
        return tended

    async def _side_by_side(self, due: Sequence[Due]) -> int:
        lanes = range(min(LANES, len(due)))
        return sum(await asyncio.gather(*(self._in_turn(due[lane::LANES]) for lane in lanes)))

    async def _in_turn(self, lane: Sequence[Due]) -> int:
        return sum([await self._tended(tenant, id_) for tenant, id_ in lane])

    async def _tended(self, tenant: TenantId, id_: str) -> bool:
        try:
            if await self.services.hotels.is_elsewhere(tenant):
                # Another cell tends it now; what is left of it here must not stand before the others.
                await self._put_off(tenant, id_, ELSEWHERE)
                return False
            return await self.stream.tend(tenant, id_, self.documents, self.services)
        except StaleVersion:
            return False  # somebody else tends it
        except Exception as error:  # noqa: BLE001 - one that is broken must not keep the others waiting
            named = {"tenant": tenant, "credential": id_}
            self.services.log.failure(self.stream.complaint, error, **named)
            await self._put_off(tenant, id_)
            return False

    async def _put_off(self, tenant: TenantId, id_: str, wait: timedelta = STEP_LEASE) -> None:
        """Let the others come first, without reading what may be unreadable, unless it is put off already."""
        store, now = self.documents.tenant(tenant), self.services.now
        found = await store.get(Ref(self.stream.due.collection, id_))
        if found is not None and found.data.get(DUE_AT, 0) <= milliseconds(now):
            with contextlib.suppress(StaleVersion):
                later = {**found.data, DUE_AT: milliseconds(now + wait)}
                await store.commit([Update(found.ref, later, found.version)])
