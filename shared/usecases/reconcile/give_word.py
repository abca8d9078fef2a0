"""A person decides about what was found at a lock: it may stay, it is to go, or it is to be placed again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import FindingId, TenantId, UserId
from shared.domain.instants import instant_from_text
from shared.domain.scrub import scrub_our_own
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.finding import FINDINGS, Finding, FindingKind, Word, WordGiven, finding_from
from shared.ledger.ledger import Ledger
from shared.ports.documents import Ref
from shared.usecases.reconcile.place_again import place_again

TAKES: Final[Mapping[Word, frozenset[FindingKind]]] = {
    Word.ADOPT: frozenset({FindingKind.UNKNOWN}),
    Word.REMOVE: frozenset({FindingKind.UNKNOWN, FindingKind.LINGERING}),
    Word.PLACE: frozenset({FindingKind.VANISHED, FindingKind.ALTERED}),
}
LONGEST_REASON: Final = 120


@dataclass(frozen=True, slots=True)
class GiveWord:
    """Who decides what about which finding, why, and until when it may stay."""

    tenant: TenantId
    finding: FindingId
    word: Word
    by: UserId
    because: str | None = None
    until: datetime | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        said, until = body.get("word"), body.get("until")
        if said not in list(Word):
            raise InvalidInput("word", "nothing that can be decided", f"name one of {', '.join(Word)}")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            FindingId.parse(body.get("finding"), "finding"),
            Word(said),
            UserId.parse(body.get("by"), "by"),
            _reason(body.get("because")),
            None if until is None else instant_from_text(until, "until"),
        )


async def give_word(command: GiveWord, services: Services) -> dict[str, Any]:
    """Keep what was decided, and say about which lock; what is to be done there begins from it."""
    ledger = await services.ledger(command.tenant)
    finding = await retry_on_conflict(lambda: _given(command, ledger, services))
    services.log.info(
        "somebody decided about a finding", finding=finding.id, word=command.word, by=command.by
    )
    return {
        "finding": finding.id,
        "word": command.word.value,
        "property": finding.property_id,
        "vendor": finding.vendor,
        "lock": finding.device_id,
        "over": finding.over,
    }


async def _given(command: GiveWord, ledger: Ledger, services: Services) -> Finding:
    finding = await _found(command, ledger)
    given = WordGiven(command.word, services.now, command.by, command.because, command.until)
    if finding.over or finding.word is command.word:
        return finding
    if command.word is Word.PLACE:
        ordered, saved = await place_again(finding, given, ledger, services)
        if saved is not None:
            await begin_work(saved, ledger, services)
        return ordered
    decided = replace(finding, given=given)
    await ledger.documents.commit([decided.write()])
    return decided


async def _found(command: GiveWord, ledger: Ledger) -> Finding:
    found = await ledger.documents.get(Ref(FINDINGS, command.finding))
    if found is None:
        raise InvalidInput("finding", "no such finding", "name one that keyfleet finding list shows")
    finding = finding_from(found)
    if finding.kind not in TAKES[command.word]:
        fitting = ", ".join(word for word, kinds in TAKES.items() if finding.kind in kinds)
        raise InvalidInput("word", f"not for a finding that is {finding.kind}", f"it takes: {fitting}")
    return finding


def _reason(said: object) -> str | None:
    if said is not None and (not isinstance(said, str) or not 0 < len(said) <= LONGEST_REASON):
        raise InvalidInput(
            "because", "no short text", f"say why in up to {LONGEST_REASON} letters, and name no guest"
        )
    return None if said is None else scrub_our_own(said)
