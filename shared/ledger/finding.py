"""A finding: something at a lock that is not as the ledger has it, kept until a lock or a person settles it.

| kind | at the lock | in the ledger | what becomes of it |
|---|---|---|---|
| unknown | a key | nobody has it | a person's word: adopted, or removed |
| lingering | a key of ours | gone, or at rest | removed, as often as it takes |
| vanished | nothing | open | placed again, unless a restore or the brake holds it for a person's word |
| altered | a key of ours, at another time or at rest | open | placed again, likewise |
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final, Self

from shared.domain.ids import (
    CredentialId,
    FindingId,
    GrantId,
    LockDeviceId,
    PropertyId,
    UserId,
)
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.stored import Json
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref
from shared.streams.record import Record

FINDINGS: Final = "findings"


class FindingKind(StrEnum):
    """How a lock and the ledger differ."""

    UNKNOWN = "unknown"
    LINGERING = "lingering"
    VANISHED = "vanished"
    ALTERED = "altered"

    @property
    def opens(self) -> bool:
        """Say whether somebody may get in by it who should not; else somebody may not who should."""
        return self in (FindingKind.UNKNOWN, FindingKind.LINGERING)


class Word(StrEnum):
    """What is to become of a finding."""

    ADOPT = "adopt"
    REMOVE = "remove"
    PLACE = "place"


class FindingEnd(StrEnum):
    """How a finding was settled."""

    GONE = "gone"
    """The lock has it no more, whoever took it away."""
    REMOVED = "removed"
    AS_WISHED = "as_wished"
    """The key opens its lock again, as it is to."""
    KEY_ENDED = "key_ended"


@dataclass(frozen=True, slots=True)
class WordGiven:
    """Who decided, when and why; nobody, where it follows from the ledger."""

    word: Word
    at: Moment
    by: UserId | None = None
    because: str | None = None
    until: Moment | None = None
    """An adopted key is one to be removed from then on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """`name` is the key's at its vendor where we gave it; others may be a guest's, and are not kept.

    `opens_until` is None where nobody knows an end. `held`: nothing is placed without a person's word.
    `run` is the comparison that saw it last, `cause` what its vendor said to the last removal.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("at_lock", "open", "adopted")

    id: FindingId
    kind: FindingKind
    property_id: PropertyId
    vendor: VendorCode
    device_id: LockDeviceId
    run: str
    found_at: Moment
    key_kind: KeyCredentialKind
    name: str | None = None
    opens_from: Moment | None = None
    opens_until: Moment | None = None
    grant_id: GrantId | None = None
    credential_id: CredentialId | None = None
    held: bool = False
    given: WordGiven | None = None
    cause: str | None = None
    end: FindingEnd | None = None
    ended_at: Moment | None = None

    def indexed(self) -> dict[str, Json]:
        """Return what indexes read; one that is over is in none."""
        if self.over:
            return {}
        since = milliseconds(self.found_at)
        return {"at_lock": str(self.device_id), ("adopted" if self.adopted else "open"): since}

    @property
    def over(self) -> bool:
        """Say whether it is settled."""
        return self.end is not None

    @property
    def word(self) -> Word | None:
        """What is to become of it, once that is decided."""
        return None if self.given is None else self.given.word

    @property
    def adopted(self) -> bool:
        """Say whether a person let it stand."""
        return self.word is Word.ADOPT

    def may_open(self, now: datetime) -> bool:
        """Say whether somebody may get in by it who should not, now or later."""
        return self.kind.opens and (self.opens_until is None or now < self.opens_until)

    def to_be_removed(self, now: datetime) -> bool:
        """Say whether the key is to go from its lock: by somebody's word, or as the ledger has it."""
        if self.kind is FindingKind.LINGERING or self.word is Word.REMOVE:
            return True
        until = self.given.until if self.given is not None and self.adopted else None
        return until is not None and until <= now

    def ended(self, end: FindingEnd, at: datetime) -> Self:
        """Return it settled."""
        return replace(self, end=end, ended_at=at)

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(FINDINGS, self.id)


def finding_from(found: Document) -> Finding:
    """Read a finding."""
    return read_record(Finding, found)
