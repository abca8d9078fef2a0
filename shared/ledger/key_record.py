"""A ledger entry: one key credential, the saga that works on it, and when somebody must look at it again."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document, to_document
from shared.domain.ids import CredentialId
from shared.domain.kinds import ClaimKey
from shared.events.outbox import OutboxRow
from shared.ledger.reading import reading
from shared.ports.documents import Create, Document, Ref, Update

CREDENTIALS: Final = "credentials"
SCHEMA_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Work(StrEnum):
    """What a saga is to bring about at the locks."""

    ISSUE = "issue"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saga:
    """The work on a key: of one generation at a time, by the one execution that was first to write.

    `lost` counts how often it was begun since anybody wrote, `broken` how often one that wrote broke off
    since anything came of it; `began` is when a try began that is not over.
    """

    kind: Work
    claim: ClaimKey
    generation: int = 1
    execution: str | None = None
    tries: int = 0
    lost: int = 0
    broken: int = 0
    began: datetime | None = None

    def follows(self, generation: int, execution: str) -> bool:
        """Say whether this execution is the one to go on, or may still become it."""
        return self.generation == generation and self.execution in (None, execution)

    def claimed(self, execution: str) -> Self:
        """Return the work as this execution's own."""
        return self if self.execution else replace(self, execution=execution, lost=0)

    def again(self) -> Self:
        """Return the same work for an execution yet to come; the present one is refused from now on.

        One that has written nothing yet may still be in a queue: it is as good as the next, which it races.
        """
        if self.execution is None:
            return replace(self, lost=self.lost + 1)
        return replace(
            self, generation=self.generation + 1, execution=None, began=None, broken=self.broken + 1
        )

    def turned(self, kind: Work, claim: ClaimKey | None = None) -> "Saga":
        """Return other work for an execution yet to come."""
        claim, generation = claim or self.claim, self.generation + 1
        return Saga(kind=kind, claim=claim, generation=generation)


@dataclass(frozen=True, slots=True)
class Cause:
    """What set the work going: events tell it as their trace and their causation."""

    trace_id: str
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """`announced` is the last sequence known to be published; `due` is None when nothing is owed.

    `stored` is the last sequence in the outbox, and `told` holds the rows that this process has just put
    there, so that it need not read them back. `going_on`: the attempt that was counted last is not over yet.
    """

    credential: KeyCredential
    saga: Saga
    cause: Cause
    announced: int = 0
    due: datetime | None = None
    secret_try: int = 0
    artifact: str | None = None
    going_on: bool = False
    version: str | None = None
    stored: int = 0
    told: tuple[OutboxRow, ...] = field(default=(), repr=False)

    @property
    def id(self) -> CredentialId:
        """Whose entry this is; the saga goes by the same name."""
        return self.credential.id

    @property
    def ref(self) -> Ref:
        """Where the entry is kept."""
        return ref_of(self.id)

    @property
    def unannounced(self) -> range:
        """The sequences that nobody is known to have published."""
        return range(self.announced + 1, self.credential.sequence + 1)

    def due_in(self, wait: timedelta, now: datetime) -> Self:
        """Return the entry with a promise to look at it again."""
        return replace(self, due=now + wait)

    def write(self) -> Create | Update:
        """Return what keeps this entry, on the condition that nobody else has changed it."""
        data = _document(self)
        return Create(self.ref, data) if self.version is None else Update(self.ref, data, self.version)


def ref_of(credential: str) -> Ref:
    """Return where a key's entry is kept."""
    return Ref(CREDENTIALS, credential)


def key_record_from(found: Document) -> KeyRecord:
    """Read an entry."""
    with reading(found, SCHEMA_VERSION):
        return _read(found, found.data)


def _read(found: Document, data: Mapping[str, Any]) -> KeyRecord:
    credential = from_document(KeyCredential, data["credential"])
    return KeyRecord(
        credential=credential,
        saga=_saga(data["saga"]),
        cause=Cause(**data["cause"]),
        announced=data["announced"],
        due=None if data.get("due_at") is None else instant(data["due_at"]),
        secret_try=data["secret_try"],
        artifact=data["artifact"],
        going_on=data.get("going_on", False),
        version=found.version,
        stored=credential.sequence,
    )


def milliseconds(at: datetime) -> int:
    """Return an instant as indexes order it."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def instant(stored: int) -> datetime:
    """Return the instant of an index's number."""
    return _EPOCH + timedelta(milliseconds=stored)


def _document(entry: KeyRecord) -> dict[str, Any]:
    saga, cause = entry.saga, entry.cause
    data = {
        "schema_version": SCHEMA_VERSION,
        "credential": to_document(entry.credential),
        "saga": {
            "kind": saga.kind.value,
            "claim": str(saga.claim),
            "generation": saga.generation,
            "execution": saga.execution,
            "tries": saga.tries,
            "lost": saga.lost,
            "broken": saga.broken,
            "began": None if saga.began is None else milliseconds(saga.began),
        },
        "cause": {"trace_id": cause.trace_id, "event_id": cause.event_id},
        "announced": entry.announced,
        "secret_try": entry.secret_try,
        "artifact": entry.artifact,
        "going_on": entry.going_on,
    }
    # Without a value the entry is not in the sweeper's index.
    return data if entry.due is None else {**data, "due_at": milliseconds(entry.due)}


def _saga(data: Mapping[str, Any]) -> Saga:
    kind, claim, began = Work(data["kind"]), ClaimKey(data["claim"]), data.get("began")
    return Saga(
        kind=kind,
        claim=claim,
        generation=data["generation"],
        execution=data["execution"],
        tries=data["tries"],
        lost=data["lost"],
        broken=data.get("broken", 0),
        began=None if began is None else instant(began),
    )
