"""Vendors' next builds on trial, as people are shown them."""

from typing import Any

from shared.ledger.canary import Canary, Figures, canaries_of
from shared.ports.documents import TenantDocuments

Facts = dict[str, Any]


async def canaries(store: TenantDocuments) -> list[Facts]:
    """Return the last trial of each vendor's next build, the newest first."""
    return [canary_facts(each) for each in await canaries_of(store)]


def canary_facts(record: Canary) -> Facts:
    """Return what is shown of a trial."""
    return {
        "vendor": str(record.vendor),
        "pilot": record.pilot,
        "stage": record.stage.value,
        "step": record.step,
        "turn": record.turn,
        "build": record.build,
        "begun_by": record.by,
        "began_at": record.began_at,
        "step_at": record.step_at,
        "reason": record.reason,
        "before": None if record.before is None else figures_facts(record.before),
        "figures": figures_facts(record.figures),
    }


def figures_facts(figures: Figures) -> Facts:
    """Return how a build did, by the names of A §15.5; a rate of nothing is none."""
    return {
        "issue_success_rate": _rate(figures.placed, figures.unplaced),
        "issue_p95_ms": figures.p95_ms,
        "revoke_success_rate": _rate(figures.removed, figures.unremoved),
        "vendor_error_rate": _rate(figures.errors, figures.calls - figures.errors),
        "calls": figures.calls,
    }


def _rate(part: int, rest: int) -> float | None:
    return round(part / (part + rest), 4) if part + rest else None
