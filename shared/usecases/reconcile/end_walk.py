"""The end of a walk: keys that vanished are placed again, unless that is a person's to decide.

| what vanished | placed again |
|---|---|
| of a hotel whose ledger was restored | by a person's word: it may have been taken away since the backup |
| more than a fifth of all, and more than three | by a person's word: a list that was cut says the same |
| else | by itself, as a wish: the same PIN, under the same name, looked for before it is added |

What somebody was told of once is not told again; it stands in the list of findings until it is settled.
"""

from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.comparison import Comparison, Progress
from shared.ledger.finding import Finding, Word, WordGiven, finding_from
from shared.ledger.ledger import Ledger
from shared.usecases.reconcile.place_again import open_findings, place_again


async def end_walk(comparison: Comparison, ledger: Ledger, services: Services) -> None:
    """Say what a comparison came to; begun again after a crash, it goes on with what is left to be placed."""
    if comparison.braked:
        services.log.alert(
            "so many keys vanished that nobody believes it",
            runbook="lock/findings",
            because=f"{comparison.gone} of {comparison.expected} keys at {comparison.vendor}'s locks",
            property=comparison.property_id,
            vendor=comparison.vendor,
            gone=comparison.gone,
            expected=comparison.expected,
        )
    else:
        for finding in await _to_place(comparison, ledger):
            await _placed(finding, ledger, services)
    progress = Progress.BRAKED if comparison.braked else Progress.DONE
    await ledger.documents.commit([comparison.ended(progress, services.now).write()])
    services.log.info(
        "locks were compared",
        property=comparison.property_id,
        vendor=comparison.vendor,
        compared=comparison.compared,
        expected=comparison.expected,
        gone=comparison.gone,
        unread=len(comparison.unread),
    )


async def _to_place(comparison: Comparison, ledger: Ledger) -> list[Finding]:
    """Return what this comparison found gone or altered, and nobody holds or has ordered yet."""
    found = map(finding_from, await open_findings(ledger))
    return [finding for finding in found if _placeable(finding, comparison)]


def _placeable(finding: Finding, comparison: Comparison) -> bool:
    seen = finding.run == comparison.run and not finding.kind.opens
    return seen and not finding.held and finding.word is None


async def _placed(finding: Finding, ledger: Ledger, services: Services) -> None:
    given = WordGiven(Word.PLACE, services.now)
    await retry_on_conflict(lambda: place_again(finding, given, ledger, services))
