"""What is kept of an audit log beside its files: its one record, and where each stream of events stands.

The record is changed by compare-and-set alone. A stream's document finds its entries again: by stay, by guest
(under their alias), by property and the time until which its key may open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from shared.audit.anchor import Anchored, KeepHead
from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Malformed
from shared.audit.intake import UNTOLD, Head, KeptHead
from shared.audit.notes import VerifierKey
from shared.audit.subjects import Subject
from shared.audit.succession import LogKey, LogKeys
from shared.audit.text import decode_base64, decode_hash, encode_base64
from shared.domain.documents import strays_of
from shared.domain.instants import instant_from_text, instant_to_text, milliseconds
from shared.domain.stored import VERSION, Json
from shared.ledger.indexes import ENTRIES_OF_STAY
from shared.ledger.reading import reading
from shared.ledger.reservation import ref_of as stay_at
from shared.ledger.reservation import reservation_from
from shared.ports.documents import Create, Document, Ref, TenantDocuments, Update

LOGS: Final = "audit_logs"
STREAMS: Final = "audit_streams"
OF_TENANT, OF_CELL = "tenant", "cell"
EVER: Final = milliseconds(datetime(9999, 12, 31, tzinfo=UTC))
"""When a key ends that may open until somebody goes to the door."""
_NEVER: Final = KeptHead()
_MOST_OF_STAY: Final = 500
MOST_ENTRIES: Final = 5_000
"""Places that a stream remembers: no key has as many; a lock's older ones are found by their days."""
_OF_LOG: Final = frozenset({VERSION, "origin", "date", "size", "root", "keys", "coming", "closed_at"})
_OF_STREAM: Final = frozenset(
    {VERSION, "date", "head", "earlier", "entries", "ends", "guest", "alias", "stay", "property_id", "idle"}
)
"""What we write of each ourselves: whatever else a document has, another release wrote, and it stays."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A log as it was closed last, its keys, and the key that takes over with its next day."""

    name: str
    anchored: Anchored
    keys: LogKeys
    coming: VerifierKey | None = None
    closed_at: str = ""
    version: str | None = None
    strays: Mapping[str, Json] = field(default_factory=dict, repr=False, compare=False)

    @property
    def origin(self) -> str:
        """What the log is called in its checkpoints."""
        return self.anchored.checkpoint.origin

    @property
    def begun(self) -> bool:
        """Whether any day of it was closed."""
        return bool(self.closed_at)

    def closed(self, anchored: Anchored, at: datetime, turned: bool = False) -> "LogRecord":
        """The record of one day more; a key whose coming the day announces takes over behind it."""
        closed = replace(self, anchored=anchored, closed_at=instant_to_text(at))
        if not turned or self.coming is None:
            return closed
        return replace(closed, keys=self.keys.replaced(anchored.checkpoint.size, self.coming), coming=None)

    def write(self) -> Create | Update:
        """What keeps the record, if nobody else has changed it."""
        ref, at = Ref(LOGS, self.name), self.anchored.checkpoint
        data = {
            "schema_version": 1,
            "origin": at.origin,
            "date": self.anchored.date,
            "size": at.size,
            "root": encode_base64(at.root),
            "keys": [{"key": str(each.key), "until": each.until} for each in self.keys.keys],
            "coming": None if self.coming is None else str(self.coming),
            "closed_at": self.closed_at,
        }
        whole = {**self.strays, **data}
        return Create(ref, whole) if self.version is None else Update(ref, whole, self.version)


def log_record_from(found: Document) -> LogRecord:
    """The record of a document."""
    data = found.data
    with reading(found):
        at = Checkpoint(data["origin"], data["size"], decode_hash(data["root"]))
        keys = (LogKey(VerifierKey.parse(each["key"]), each["until"]) for each in data["keys"])
        coming = None if data["coming"] is None else VerifierKey.parse(data["coming"])
        return LogRecord(
            found.ref.id,
            Anchored(data["date"], at),
            LogKeys(tuple(keys)),
            coming,
            data["closed_at"],
            found.version,
            strays_of(data, _OF_LOG),
        )


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """Where a stream stands in its tenant's log, where its entries are, and what they are about."""

    stream: str
    head: KeptHead = _NEVER
    entries: tuple[int, ...] = ()
    guest: str | None = field(default=None, repr=False)
    """In the clear while the stream may go on; it is dropped with the rest of what is operational."""
    alias: str | None = None
    stay: str | None = field(default=None, repr=False)
    property_id: str | None = None
    ends: int = 0
    let_go: bool = False
    version: str | None = None
    strays: Mapping[str, Json] = field(default_factory=dict, repr=False, compare=False)

    def after(self, date: str, step: KeepHead, subject: Subject) -> "StreamRecord":
        """The record after a day has come so far; the same however often the day is made."""
        told = [kept.entry.data for _, kept in step.entries]
        last = max((kept.head.at for _, kept in step.entries if kept.head.sequence), default=UNTOLD.at)
        return StreamRecord(
            self.stream,
            head=self.head.after(date, step.head),
            entries=tuple(sorted({*self.entries, *(index for index, _ in step.entries)})[-MOST_ENTRIES:]),
            guest=self.guest or subject.guest_id,
            alias=self.alias or subject.alias,
            stay=self.stay or _first(told, "reservationId"),
            property_id=self.property_id or _first(told, "propertyId"),
            ends=max(self.ends, milliseconds(last), *ends_of(told)),
            version=self.version,
            strays=self.strays,
        )

    def write(self) -> Create | Update:
        """What keeps the record; `idle` is there until what is operational of the stream is let go."""
        head = {"date": self.head.date, "head": _said(self.head.head), "earlier": _said(self.head.earlier)}
        found_by = {"alias": self.alias, "stay": self.stay, "property_id": self.property_id}
        idle = {} if self.let_go else {"idle": self.head.date}
        data = {
            "schema_version": 1,
            **head,
            "entries": [*self.entries],
            "ends": self.ends,
            "guest": self.guest,
        }
        ref, whole = Ref(STREAMS, self.stream), {**self.strays, **data, **found_by, **idle}
        return Create(ref, whole) if self.version is None else Update(ref, whole, self.version)


def stream_record_from(found: Document) -> StreamRecord:
    """The record of a document."""
    data = found.data
    with reading(found):
        return StreamRecord(
            found.ref.id,
            KeptHead(data["date"], _head(data["head"]), _head(data["earlier"])),
            tuple(data["entries"]),
            data["guest"],
            data["alias"],
            data["stay"],
            data["property_id"],
            data["ends"],
            "idle" not in data,
            found.version,
            strays_of(data, _OF_STREAM),
        )


async def streams_of_stay(stay: str, documents: TenantDocuments) -> list[StreamRecord]:
    """Return the streams that are about a stay, and those of keys that it shares with the one before it."""
    kept = await documents.query(ENTRIES_OF_STAY, {"stay": stay}, limit=_MOST_OF_STAY)
    records = [stream_record_from(each) for each in kept]
    found = await documents.get(stay_at(stay))
    named = () if found is None else reservation_from(found).credentials
    shared = {str(each) for each in named} - {each.stream for each in records}
    others = [await documents.get(Ref(STREAMS, each)) for each in sorted(shared)]
    return records + [stream_record_from(each) for each in others if each is not None]


def ends_of(told: Iterable[Mapping[str, Any]]) -> Iterable[int]:
    """Until when a key may open, by all that some events say of it; most say the same."""
    for name, text in {each for data in told for each in _ends_in(data)}:
        yield EVER if text is None else milliseconds(instant_from_text(text, name))


def _ends_in(data: Mapping[str, Any]) -> Iterable[tuple[str, str | None]]:
    until = data.get("validUntil")
    said: list[tuple[str, str | None]] = [("validUntil", until)] if isinstance(until, str) else []
    if "changes" in data or "effective" in data:
        changed = (data.get("changes") or {}).get("validUntil") or {}
        ends = ((data.get("effective") or {}).get("validUntil"), changed.get("to"))
        said += [("validUntil", text) for text in ends if isinstance(text, str)]
    locks = data.get("locks") or ()
    return said + [
        ("exposureUntil", each.get("exposureUntil") or None) for each in locks if not each.get("ok")
    ]


def _first(told: Sequence[Mapping[str, Any]], name: str) -> str | None:
    return next((data[name] for data in told if isinstance(data.get(name), str)), None)


def _said(head: Head) -> dict[str, Any] | None:
    if head == UNTOLD:
        return None
    return {"sequence": head.sequence, "at": instant_to_text(head.at), "digest": encode_base64(head.digest)}


def _head(said: Mapping[str, Any] | None) -> Head:
    if said is None:
        return UNTOLD
    at = instant_from_text(said["at"], "at")
    if not isinstance(said["sequence"], int):
        raise Malformed("sequence", "it is no number", "Restore the document from a backup")
    return Head(said["sequence"], at, decode_base64(said["digest"]))
