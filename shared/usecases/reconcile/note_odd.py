"""What is odd at a lock becomes findings to save; what is odd no more is settled."""

from dataclasses import dataclass, replace
from typing import Final

from shared.domain.ids import FindingId
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.ledger.comparison import Comparison
from shared.ledger.finding import Finding, FindingKind, Word
from shared.ledger.finding_refs import FindingRefs
from shared.ledger.grant_record import GrantRecord
from shared.ports.document_limits import MOST_WRITES
from shared.ports.listed_keys import ListedKey
from shared.usecases.reconcile.judge_lock import OURS, Judgement, LockView, Odd, settlement

MOST_NEW: Final = MOST_WRITES - 1
"""As many as one commit holds beside the comparison; the next night finds the others."""


@dataclass(frozen=True, slots=True)
class LockFound:
    """A lock, how it was judged, and by what."""

    door: LockDevice
    judgement: Judgement
    view: LockView


@dataclass(frozen=True, slots=True)
class FindingAtLock:
    """A finding with what the list and the ledger have of it now."""

    finding: Finding
    listed: ListedKey | None = None
    kept: GrantRecord | None = None


async def noted(
    found: LockFound, comparison: Comparison, refs: FindingRefs, services: Services
) -> list[FindingAtLock]:
    """Return the findings to save; the number of an unknown key is kept, sealed, before its finding is."""
    odd = [each for each in found.judgement.odd if _changed(each, comparison)][:MOST_NEW]
    at_lock = [_finding(each, found.door, comparison, services) for each in odd]
    for each in at_lock:
        if each.finding.version is None and each.kept is None and each.listed is not None:
            await refs.keep(each.finding.id, each.listed.vendor_ref, services.now)
    room = MOST_NEW - len(at_lock)
    settled = [
        FindingAtLock(finding.ended(settlement(finding, found.view), services.now))
        for finding in found.judgement.settled[:room]
    ]
    for gone in settled:
        await refs.forget(gone.finding.id)
    _tell(at_lock, services)
    return [*at_lock, *settled]


def _changed(odd: Odd, comparison: Comparison) -> bool:
    """Say whether there is anything to save or to do: most of what was adopted stays as it was."""
    known = odd.known
    return known is None or not known.adopted or known.run != comparison.run


def _finding(odd: Odd, door: LockDevice, comparison: Comparison, services: Services) -> FindingAtLock:
    if odd.known is not None:
        seen = replace(odd.known, run=comparison.run, held=odd.known.held or comparison.held)
        # What was placed again and is gone once more is another loss.
        anew = replace(seen, given=None, held=comparison.held) if seen.word is Word.PLACE else seen
        return FindingAtLock(anew, odd.listed, odd.kept)
    return FindingAtLock(_new(odd, door, comparison, services), odd.listed, odd.kept)


def _new(odd: Odd, door: LockDevice, comparison: Comparison, services: Services) -> Finding:
    listed, kept = odd.listed, odd.kept
    times = (listed.valid_from, listed.valid_until) if listed else (None, None)
    assert listed is not None or kept is not None  # noqa: S101 - what is odd is in the list or in the ledger
    return Finding(
        id=FindingId.mint(services.ids.ulid()),
        kind=odd.kind,
        property_id=door.property_id,
        vendor=door.vendor,
        device_id=door.id,
        run=comparison.run,
        found_at=services.now,
        key_kind=listed.kind if listed is not None else kept.grant.kind,  # type: ignore[union-attr]  # as above
        name=_name(listed, kept),
        opens_from=times[0],
        opens_until=times[1],
        grant_id=kept.grant.id if kept else None,
        credential_id=kept.grant.credential_id if kept else None,
        held=comparison.held,
    )


def _name(listed: ListedKey | None, kept: GrantRecord | None) -> str | None:
    """Return the name that we gave a key; what people call theirs may name a guest."""
    if kept is not None:
        return kept.grant.vendor_name
    return listed.name if listed is not None and listed.name.startswith(OURS) else None


def _tell(found: list[FindingAtLock], services: Services) -> None:
    """Wake somebody for each key that may open a door and that nobody knows, once."""
    for each in found:
        finding = each.finding
        if finding.version is None and finding.kind is FindingKind.UNKNOWN and finding.may_open(services.now):
            services.log.alert(
                "a key at a lock is nobody's",
                runbook="lock/findings",
                finding=finding.id,
                deviceId=finding.device_id,
                property=finding.property_id,
                name=finding.name,
            )
