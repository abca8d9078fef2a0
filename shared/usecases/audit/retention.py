"""What the audit log keeps, for how long, and what is let go of each day.

| kept | where | until |
|---|---|---|
| entries, sealed bodies, checkpoints | objects under retention | seven years, or as long as the tenant asks |
| what leads from an alias to a guest | sealed documents | as long after their last entry, or a hold |
| rows of the outbox, keys, grants, tasks | documents | 90 days after their last entry, once anchored |
| events for analysis | BigQuery, by `sinks` of terraform/fleet.json | as B §4 says of each subject |
"""

from typing import Any

from shared.domain.ids import TenantId
from shared.usecases.audit.books import open_book
from shared.usecases.audit.forgetting import forget_announced, let_idle_go
from shared.usecases.audit.rights import review_guests
from shared.usecases.audit.services import AuditServices


async def keep_tenant(tenant: TenantId, on: AuditServices) -> dict[str, Any]:
    """Do a tenant's daily upkeep; one that fails is told of, and keeps no other from theirs."""
    book = await open_book(on, tenant)
    if book is None or not book.record.begun:
        return {"streams": 0, "guests": 0, "forgotten": 0}
    try:
        forgotten = await forget_announced(book)
        guests = await review_guests(book)
        return {"streams": await let_idle_go(book, on.now), "guests": guests, "forgotten": forgotten}
    except Exception as error:  # noqa: BLE001 - one tenant's trouble must not keep the others' records
        on.log.failure("the upkeep of an audit log broke off", error, tenant=tenant)
        return {"streams": 0, "guests": 0, "forgotten": 0}
