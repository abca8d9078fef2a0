"""How well keys are made and taken back at a hotel, and what that is worth by the measure of A §1.2.

| of each            | before              | now                | so at least … at most      |
|--------------------|---------------------|--------------------|----------------------------|
| lost key           | USD 8 to 25 (§1.1)  | USD 1 to 3 (§1.2)  | USD 5 to 24 less           |
| guest who checks in| 4 to 8 minutes      | 0.5 to 1.5 minutes | 2.5 to 7.5 minutes less    |

A lost card costs a stay USD 0.05 to 0.30 where 5 to 10 in a hundred lose one: that is USD 1 to 3 a card.
They are the spec's figures, not this hotel's books: what is counted is keys.
"""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.instants import instant_to_text
from shared.ledger.day_figures import NUMBERS, figures_from, numbers_of
from shared.ledger.indexes import FIGURES_AT
from shared.ports.documents import Document, Ref, TenantDocuments

SHOWN_DAYS: Final = 60
USD_LOST: Final = (5, 24)
MINUTES_CHECK_IN: Final = (2.5, 7.5)
WAITED: Final = ("within_5s", "within_30s", "within_5m", "within_30m", "longer")


async def figures(
    store: TenantDocuments, house: str, now: datetime, days: int = SHOWN_DAYS
) -> dict[str, Any]:
    """Return a hotel's last days in numbers, the oldest first, and what they come to."""
    begins = instant_to_text(now - timedelta(days=days))[:10]
    before = Document(Ref("day_figures", "0"), {"property_id": house, "day": begins}, "")
    found = await store.query(FIGURES_AT, {"property_id": house}, after=before, limit=days + 1)
    counted = [figures_from(each) for each in found]
    whole = Counter(dict.fromkeys(NUMBERS, 0))
    for each in counted:
        whole.update(numbers_of(each))
    shown = [{"day": each.day, **numbers_of(each)} for each in counted]
    return {"property": house, "days": shown, "whole": dict(whole), **_worth(whole)}


def _worth(whole: Counter[str]) -> dict[str, Any]:
    made, taken = whole["issued"] + whole["failed"], whole["settled"]
    return {
        "issue_success": _share(whole["issued"], made),
        "revoke_success": _share(taken - whole["left"], taken),
        "revoked_within_5s": _share(whole["within_5s"], sum(whole[each] for each in WAITED)),
        "usd_avoided": [whole["lost"] * each for each in USD_LOST],
        "minutes_saved": [whole["stays"] * each for each in MINUTES_CHECK_IN],
    }


def _share(part: int, of: int) -> float | None:
    """Return a share of a hundred; None where there was nothing."""
    return None if not of else round(100 * part / of, 1)
