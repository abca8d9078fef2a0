"""Service accounts as people may see them: what each may do where, and until when; no secret of theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.domain.instants import instant_to_text
from shared.ledger import service_account
from shared.ledger.indexes import INTEGRATORS_OF
from shared.ledger.service_account import account_from
from shared.ports.documents import TenantDocuments
from shared.queries.pages import Place, page_of

Account = service_account.Account


@dataclass(frozen=True, slots=True)
class AccountPage:
    """Some service accounts, and the cursor of the next page if there may be one."""

    accounts: Sequence[Account]
    cursor: str | None


async def find_account(name: str, store: TenantDocuments) -> Account | None:
    """Return a service account, or None."""
    return await service_account.find_account(name, store)


async def accounts_paged(store: TenantDocuments, place: Place) -> AccountPage:
    """Return some of a tenant's service accounts, the oldest first."""
    page = await page_of(store, INTEGRATORS_OF, {}, place)
    return AccountPage([account_from(each) for each in page.documents], page.cursor)


def shown_account(account: Account, now: datetime) -> dict[str, Any]:
    """Return what people may see of a service account: no secret, and no digest of one."""
    it = account.integrator
    return {
        "id": it.id,
        "name": it.name,
        "permissions": sorted(it.permissions),
        "properties": sorted(it.properties),
        "everywhere": it.everywhere,
        "secrets": len(it.digests),
        "expires_at": instant_to_text(it.expires_at),
        "stopped_at": None if it.stopped_at is None else instant_to_text(it.stopped_at),
        "live": it.is_live(now),
    }
