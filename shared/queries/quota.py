"""What each vendor's application may be asked in its month, and what is due of that, as people may see it."""

from typing import Any, Final

from shared.ledger.indexes import QUOTA, RATES
from shared.ports.documents import DocumentStore
from shared.vendor_kit.calm.blocks import PLATFORM

MOST_LISTED: Final = 200
_OURS: Final = frozenset({"schema_version"})


async def shown_quota(documents: DocumentStore) -> dict[str, Any]:
    """Return the plan of each application as it was made last, and the limit of those without one."""
    store = documents.tenant(PLATFORM)
    plans = {found.ref.id: found.data for found in await store.query(QUOTA, {}, limit=MOST_LISTED)}
    shown = []
    for found in await store.query(RATES, {}, limit=MOST_LISTED):
        plan = {name: value for name, value in plans.get(found.ref.id, {}).items() if name not in _OURS}
        limit = found.data.get("limit", {})
        shown.append(
            {
                "application": found.ref.id,
                "monthly": limit.get("monthly"),
                **plan,
                "calls": limit.get("calls"),
                "seconds": limit.get("seconds"),
                "spent": found.data.get("spent", 0),
                "reserved": found.data.get("reserved", 0),
            }
        )
    return {"applications": shown}
