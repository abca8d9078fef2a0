"""What was found at locks that is not as the ledger has it, as people may see it: never what opens a door."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from shared.domain.instants import instant_to_text
from shared.ledger.comparison import Comparison, comparison_from
from shared.ledger.finding import Finding, finding_from
from shared.ledger.indexes import ADOPTED, COMPARISONS, FINDINGS
from shared.ports.documents import TenantDocuments
from shared.queries.grants import at_or_none, moment
from shared.queries.hotels import Cell, every, label_of

MOST_NAMED: Final = 20


async def found_at_locks(cell: Cell, tenant: str | None) -> dict[str, Any]:
    """Return what waits to be settled, the oldest first, what was let stand, and how it was looked for."""
    shown: dict[str, list[dict[str, Any]]] = {"findings": [], "adopted": [], "comparisons": []}
    for store in await cell.known(tenant):
        for name, index in (("findings", FINDINGS), ("adopted", ADOPTED)):
            shown[name] += [
                await _finding(store, finding_from(each)) async for each in every(store, index, {})
            ]
        async for each in every(store, COMPARISONS, {}):
            shown["comparisons"].append(_comparison(store, comparison_from(each)))
    return shown


async def troubling(cell: Cell, now: datetime) -> dict[str, Any]:
    """Count the keys at locks that may open and are nobody's; name those that locks lost and still lack."""
    strange, lost = 0, list[str]()
    for store in await cell.asked(None):
        async for each in every(store, FINDINGS, {}):
            finding = finding_from(each)
            strange += finding.may_open(now)
            lost += _lost(finding)
    return {"strange_keys": strange, "lost_keys": sorted({*lost})[:MOST_NAMED]}


async def strange_residues(cell: Cell, tenant: str | None, now: datetime) -> list[dict[str, Any]]:
    """Return the keys that may open a lock and are nobody's, or should be gone, as residues are shown."""
    shown = []
    for store in await cell.known(tenant):
        async for each in every(store, FINDINGS, {}):
            finding = finding_from(each)
            if finding.may_open(now):
                shown.append(await _as_residue(store, finding))
    return shown


def _lost(finding: Finding) -> Iterator[str]:
    if not finding.kind.opens and finding.word is None and finding.credential_id is not None:
        yield finding.credential_id


async def _finding(store: TenantDocuments, finding: Finding) -> dict[str, Any]:
    given = finding.given
    return {
        "finding": finding.id,
        "kind": finding.kind.value,
        "tenant": store.tenant,
        "property": finding.property_id,
        "vendor": finding.vendor,
        "device": finding.device_id,
        "label": await label_of(store, finding.device_id),
        "key_kind": finding.key_kind.value,
        "vendor_name": finding.name,
        "key": finding.credential_id,
        "grant": finding.grant_id,
        "opens_from": at_or_none(finding.opens_from),
        "opens_until": at_or_none(finding.opens_until),
        "found_at": moment(finding.found_at),
        "held": finding.held,
        "cause": finding.cause,
        "word": None if given is None else given.word.value,
        "by": None if given is None else given.by,
        "because": None if given is None else given.because,
        "until": None if given is None else at_or_none(given.until),
    }


async def _as_residue(store: TenantDocuments, finding: Finding) -> dict[str, Any]:
    return {
        "grant": finding.id,
        "key": finding.credential_id,
        "tenant": store.tenant,
        "property": finding.property_id,
        "reservation": None,
        "device": finding.device_id,
        "label": await label_of(store, finding.device_id),
        "vendor": finding.vendor,
        "vendor_name": finding.name,
        "state": finding.kind.value,
        "wish": finding.word,
        "since": instant_to_text(finding.found_at),
        "cause": finding.cause or finding.kind.value,
        "asked_last": None,
        "next_try": None,
        "exposure_until": at_or_none(finding.opens_until),
    }


def _comparison(store: TenantDocuments, it: Comparison) -> dict[str, Any]:
    return {
        "tenant": store.tenant,
        "property": it.property_id,
        "vendor": it.vendor,
        "run": it.run,
        "occasion": it.occasion.value,
        "progress": it.progress.value,
        "began_at": moment(it.began_at),
        "moved_at": moment(it.moved_at),
        "whole_at": moment(it.whole_at),
        "compared": it.compared,
        "expected": it.expected,
        "gone": it.gone,
        "unread": list(it.unread),
        "held": it.held,
        "cause": it.cause,
    }
