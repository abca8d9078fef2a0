"""What waits for somebody of a hotel: suggestions of models and alerts, decided or taken on by one person.

| what comes               | when               | then                                                |
|--------------------------|--------------------|-----------------------------------------------------|
| raised, or created       | never heard of     | an entry waits                                      |
| raised, or created       | it is gone already | nothing: two subjects come in any order             |
| resolved, or invalidated | it waits           | the entry is gone, and stands as gone for a day     |
| resolved, or invalidated | never heard of     | it stands as gone for a day                         |
| a decision               | another was faster | the second sees who was                             |
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import PropertyId, UserId, ulid
from shared.domain.instants import Moment, milliseconds
from shared.domain.stored import UNSTORED, Stored
from shared.ledger.indexes import ALERTS_AT, SUGGESTIONS_AT
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record

ALERTS, SUGGESTIONS = "backoffice_alerts", "backoffice_suggestions"
GONE_FOR: Final = timedelta(hours=24)
WAITS_FOR: Final = timedelta(days=30)
_PREFIXES: Final = {ALERTS: "ali_", SUGGESTIONS: "aim_"}
_BITS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What model made a suggestion."""

    model: str
    model_version: str
    prompt_version: str
    model_class: str
    signature_fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Record):
    """One entry of an inbox; what is said of it in words is not kept."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("waits_at",)

    id: str
    about: str
    property_id: PropertyId | None = None
    category: str = "other"
    severity: str = "info"
    since: Moment
    source: Annotated[Source | None, Stored(omitted=True)] = None
    gone_at: Annotated[Moment | None, Stored(omitted=True)] = None
    by: Annotated[UserId | None, Stored(omitted=True)] = None
    done_at: Annotated[Moment | None, Stored(omitted=True)] = None
    outcome: Annotated[str | None, Stored(omitted=True)] = None
    kind: Annotated[str, UNSTORED] = ALERTS

    @property
    def ref(self) -> Ref:
        """Where it is kept: by what it is about, so that it waits once."""
        return Ref(self.kind, self.about)

    def indexed(self) -> Mapping[str, object]:
        """Return what only indexes read: where it waits, or waited until it was decided."""
        return {} if self.gone_at is not None or self.property_id is None else {"waits_at": self.property_id}

    @property
    def kept_until(self) -> datetime:
        """When it is forgotten."""
        return self.since + WAITS_FOR if self.gone_at is None else self.gone_at + GONE_FOR

    @property
    def waits(self) -> bool:
        """Say whether it is shown: a suggestion until it is decided, an alert until it is gone."""
        return self.gone_at is None and (self.kind == ALERTS or self.done_at is None)

    def gone(self, now: datetime) -> Self:
        """Return it, gone."""
        return replace(self, gone_at=now)

    def taken(self, by: UserId, outcome: str, now: datetime) -> Self:
        """Return it, decided or taken on."""
        return replace(self, by=by, outcome=outcome, done_at=max(now, self.since))


def entry_id(kind: str, about: str, since: datetime) -> str:
    """Return the id of an entry: the same whenever it is heard of, for it waits once."""
    drawn = int.from_bytes(hashlib.sha256(about.encode()).digest()[: _BITS // 8])
    return _PREFIXES[kind] + ulid(max(milliseconds(since), 0), drawn)


def waiting_from(found: Document) -> Waiting:
    """Read an entry."""
    return replace(read_record(Waiting, found), kind=found.ref.collection)


async def waiting_of(kind: str, about: str, store: TenantDocuments) -> Waiting | None:
    """Return what waits, or waited, about a suggestion or an alert."""
    found = await store.get(Ref(kind, about))
    return None if found is None else waiting_from(found)


async def waiting_at(house: PropertyId, kind: str, store: TenantDocuments, limit: int = 100) -> list[Waiting]:
    """Return what waits at a hotel, the oldest first."""
    index = ALERTS_AT if kind == ALERTS else SUGGESTIONS_AT
    return [waiting_from(each) for each in await store.query(index, {"waits_at": house}, limit=limit)]
