"""A desk's certificate, the next one before it ends, and the list of those that count no more (A §9.3)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.keywork.services import retry_on_conflict
from shared.offline.certificate import LIFETIME, OVERLAP, OfflineCertificate, RevocationList
from shared.ports.documents import Create, Ref, TenantDocuments, Update, Write
from shared.usecases.desk.authority import CERTIFICATES, DeskAuthority
from shared.usecases.desk.desks import DeskRecord, KnownDesk, desk_of
from shared.usecases.desk.services import DeskServices

REVOCATIONS: Final = Ref("desk_settings", "revocations")


def new_serial(on: DeskServices) -> str:
    """Return a serial that no certificate has: its day, and a ULID."""
    return f"lock-oic-{on.now.date().isoformat()}-{on.keys.ids.ulid()}"


async def certificate_of(tenant: TenantId, record: DeskRecord, on: DeskServices) -> str:
    """Return a desk's present certificate, signed: the same bytes, however often it is asked for."""
    it = OfflineCertificate(
        serial=record.serial,
        tenant=tenant,
        property_id=record.property_id,
        device=record.id,
        device_key=bytes(record.public),
        kinds=record.kinds,
        begins=record.certified_at,
    )
    return it.sign(await DeskAuthority(tenant, on).signs(CERTIFICATES)).decode()


async def renew(desk: KnownDesk, on: DeskServices) -> str:
    """Return a desk's certificate, and from two weeks before its end the next one."""
    record = desk.record
    if on.now >= record.certified_at + LIFETIME - OVERLAP:
        record = replace(
            record, serials=(*record.serials, new_serial(on)), certified_at=on.now.replace(microsecond=0)
        )
        await desk.store.commit([record.write()])
    return await certificate_of(desk.tenant, record, on)


async def revocations(store: TenantDocuments, on: DeskServices) -> RevocationList:
    """Return the tenant's list; the first has number 1."""
    found = await store.get(REVOCATIONS)
    if found is None:
        return RevocationList(number=1, issued=on.now, serials=frozenset())
    issued = instant_from_text(found.data["issued"], "issued")
    serials = frozenset(found.data["serials"])
    return RevocationList(number=found.data["number"], issued=issued, serials=serials)


async def stop_desk(record: DeskRecord, store: TenantDocuments, on: DeskServices) -> None:
    """Keep a stopped desk and the list with all its serials in one commit."""

    async def stop() -> None:
        # Read anew each time: a desk that keeps asking changes its record, and must not outrun its end.
        kept = await desk_of(store, record.id) or record
        stopped = replace(kept, stopped_at=record.stopped_at, stopped_by=record.stopped_by)
        writes: list[Write] = [stopped.write(), await _listed(kept.serials, store, on)]
        await store.commit(writes)

    await retry_on_conflict(stop)


async def _listed(serials: Iterable[str], store: TenantDocuments, on: DeskServices) -> Create | Update:
    found, before = await store.get(REVOCATIONS), await revocations(store, on)
    data = {
        **({} if found is None else found.data),
        "schema_version": 1,
        "number": before.number + 1,
        "issued": instant_to_text(on.now),
        "serials": sorted(before.serials | {*serials}),
    }
    return Create(REVOCATIONS, data) if found is None else Update(REVOCATIONS, data, found.version)
