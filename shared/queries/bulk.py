"""Revocations of many keys as people may see them: how far each is, newest first."""

from collections.abc import Mapping
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_to_text
from shared.ledger.bulk_job import BulkJob, Stage, find_job, find_page, job_from
from shared.ledger.indexes import BULK
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import Cell, Unknown

MOST_LISTED: Final = 100


async def list_bulk(cell: Cell, tenant: str | None) -> dict[str, Any]:
    """Return the jobs of a tenant, or of all, the newest of each first."""
    found = [
        (store, job_from(each))
        for store in await cell.known(tenant)
        for each in await store.query(BULK, {}, limit=MOST_LISTED)
    ]
    return {"jobs": [await _shown(store, job) for store, job in found]}


async def shown_bulk(cell: Cell, name: str, tenant: str | None) -> dict[str, Any]:
    """Return one job, by the property or the lock that it is of."""
    found = [(store, await find_job(store, name)) for store in await cell.known(tenant)]
    known = [(store, job) for store, job in found if job is not None]
    if not known:
        raise Unknown(f"no bulk revocation of {name[:80]!r}: keyfleet bulk list shows which there are")
    if len(known) > 1:
        named = ", ".join(store.tenant for store, _ in known)
        raise InvalidInput("job", "known to several tenants", f"name one with --tenant: {named}")
    return await _shown(*known[0])


def is_under_way(job: Mapping[str, Any]) -> bool:
    """Say of a job as it is shown whether it goes on."""
    return bool(job["stage"] != Stage.DONE)


async def _shown(store: TenantDocuments, job: BulkJob) -> dict[str, Any]:
    page = await find_page(store, job.id, job.page)
    here = (0, 0, 0) if page is None else (page.removed, page.residual, len(page.keys))
    return {
        "job": job.id,
        "tenant": store.tenant,
        "property": job.property_id,
        "device": job.device_id,
        "stage": job.stage,
        "by": str(job.by),
        "began_at": instant_to_text(job.began_at),
        "moved_at": instant_to_text(job.moved_at),
        "page": job.page,
        "pages": job.pages,
        "revoked": job.revoked,
        "removed": job.removed + here[0],
        "residual": job.residual + here[1],
        "left_on_page": here[2],
    }
