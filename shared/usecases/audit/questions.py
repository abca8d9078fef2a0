"""What may be asked of a log, and which entries answer it.

| asked about | entries of the pack | open bodies | complete for |
|---|---|---|---|
| a stay | its streams, and of a key that it shares, with the ends of their days | all | those, row by row |
| a guest | the streams of all their stays | all | those streams, row by row |
| a door and a time | all from the oldest key that could open it to the last day | those keys' | the span |
| a person of staff and a time | every entry of those days | those of what they did or held | the span |

A span holds the entries of others too, without their bodies: so nobody can leave one out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Self

from shared.audit.anchor import moved
from shared.audit.entries import ACTION, Entry
from shared.audit.evidence import FOREVER, Question, Told, accesses, read
from shared.audit.pack import Span, Streams
from shared.domain.errors import InvalidInput
from shared.domain.ids import GuestId, PropertyId, ReservationId, RoomId, TenantId, UserId
from shared.domain.instants import instant_from_text, milliseconds
from shared.ledger.audit_log import STREAMS, StreamRecord, stream_record_from, streams_of_stay
from shared.ledger.indexes import DEVICES, ENTRIES_AT, PROPERTIES
from shared.ports.documents import Document, Index, Ref, TenantDocuments
from shared.usecases.audit.forgetting import streams_of
from shared.usecases.audit.reader import LogReader

STAY, GUEST, DOOR, STAFF = "stay", "guest", "door", "staff"
_PAGE: Final = 500
_ABOUT: Final[Mapping[str, tuple[str, Callable[..., Any]]]] = {
    STAY: ("reservation", ReservationId.parse),
    GUEST: ("guest", GuestId.parse),
    DOOR: ("property", PropertyId.parse),
    STAFF: ("staff", UserId.parse),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it came: of what kind, about what, and for which time."""

    tenant: TenantId
    kind: str
    about: str
    rooms: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the question."""
        kind = str(body.get("kind"))
        if kind not in _ABOUT:
            raise InvalidInput("kind", "nothing that can be asked about", f"say one of {', '.join(_ABOUT)}")
        name, parse = _ABOUT[kind]
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        rooms = frozenset(RoomId.parse(each, "rooms") for each in body.get("rooms") or ())
        times = (_instant(body, "since"), _instant(body, "until"))
        asked = cls(tenant, kind, parse(body.get(name), name), rooms, *times)
        return asked.checked()

    def checked(self) -> Self:
        """Refuse a question about doors or people without a time, or about doors without any."""
        if self.kind in (STAY, GUEST):
            return self
        if self.since is None or self.until is None or self.since > self.until:
            raise InvalidInput("since", "no time from which until when", "give since and until")
        if self.kind == DOOR and not self.rooms:
            raise InvalidInput("rooms", "none", "name the rooms whose doors are meant")
        return self


@dataclass(frozen=True, slots=True)
class Found:
    """The entries that answer a question: all with their bodies, and which of those go into the pack."""

    question: Question
    scope: Span | Streams
    entries: Mapping[int, Entry]
    shown: frozenset[int]
    zone: str = "UTC"
    told: tuple[Told, ...] = field(default=(), repr=False)

    @property
    def packed(self) -> dict[int, Entry]:
        """The entries of the pack: those of others without their bodies."""
        return {
            index: entry if index in self.shown else Entry(entry.header)
            for index, entry in self.entries.items()
        }


async def find(asked: Asked, log: LogReader, documents: TenantDocuments) -> Found:
    """Find the entries that answer a question."""
    return await _FINDERS[asked.kind](asked, log, documents)


async def _of_stay(asked: Asked, log: LogReader, documents: TenantDocuments) -> Found:
    records = await streams_of_stay(asked.about, documents)
    found = await _streams(records, log)
    found = replace(found, question=replace(found.question, stay=asked.about))
    places = [each.property_id for each in records if each.property_id]
    return replace(found, zone=await _zone(places[0], documents)) if places else found


async def _of_guest(asked: Asked, log: LogReader, documents: TenantDocuments) -> Found:
    subject = await log.guests.of(asked.about)
    alias = None if subject is None else subject.alias
    return await _streams([each async for each in streams_of(alias, documents)] if alias else [], log)


async def _streams(records: list[StreamRecord], log: LogReader) -> Found:
    own = [index for record in records for index in record.entries if index < log.at.size]
    if not own:
        raise InvalidInput(
            "about", "not in the log up to its last closed day", "look at the id, or wait a day"
        )
    entries = await log.entries(own)
    told = read(entries)
    ends = await log.ends_of(each.header["at"][:10] for each in told if each.header["kind"] == ACTION)
    last = _last_rows(told)
    times = [each.at for each in told if each.header["kind"] == ACTION] or [FOREVER]
    question = Question(min(times), max(times), keys=frozenset(last))
    whole = {**entries, **await log.headers(ends)}
    return Found(question, Streams(last), whole, frozenset(whole), told=tuple(told))


async def _of_door(asked: Asked, log: LogReader, documents: TenantDocuments) -> Found:
    since, until = _time(asked)
    devices = [each async for each in documents_of(DEVICES, {"property_id": asked.about}, documents)]
    locks = frozenset(each.ref.id for each in devices if asked.rooms & {*each.data["rooms"]})
    question = Question(since, until, rooms=asked.rooms, devices=locks)
    near = await _near(asked.about, since, log, documents)
    known = accesses(each for each in near if each.header["kind"] == ACTION)
    keys = {each.key for each in known if question.opens(each) and each.until >= since}
    found = await _span(question, [each.index for each in near if each.header["stream"] in keys], log)
    shown = (each for each in found.told if _concerns(each, keys, locks))
    zone = await _zone(asked.about, documents)
    return replace(found, shown=frozenset(each.index for each in shown), zone=zone)


async def properties_of_stay(stay: str, documents: TenantDocuments) -> frozenset[str]:
    """Return at which properties a stay's streams are, by the log."""
    records = await streams_of_stay(stay, documents)
    return frozenset(each.property_id for each in records if each.property_id)


async def _zone(place: str, documents: TenantDocuments) -> str:
    found = await documents.get(Ref("properties", place))
    return "UTC" if found is None else str(found.data["zone"])


async def _of_staff(asked: Asked, log: LogReader, documents: TenantDocuments) -> Found:
    since, until = _time(asked)
    question = Question(since, until, people=frozenset({asked.about}))
    near = [
        each
        async for place in documents_of(PROPERTIES, {}, documents)
        for each in await _near(place.ref.id, since, log, documents)
    ]
    held = [each.index for each in near if each.header.get("staff") == asked.about]
    found = await _span(question, held, log)
    theirs = (each for each in found.told if asked.about in {each.header.get(who) for who in _WHO})
    return replace(found, shown=frozenset(each.index for each in theirs))


_WHO: Final = ("operator", "staff")
_FINDERS: Final = {STAY: _of_stay, GUEST: _of_guest, DOOR: _of_door, STAFF: _of_staff}


async def _span(question: Question, older: Iterable[int], log: LogReader) -> Found:
    """Return every entry from the oldest of some, or the first day's beginning, to the last day's end."""
    first_day, last_day = (at.date().isoformat() for at in (question.since, question.until))
    end = await log.size_on(min(last_day, log.date))
    begin = min([*older, await log.size_on(moved(first_day, -1)), end])
    if begin >= end:
        raise InvalidInput("since", "no closed day lies in that time", f"the last one is {log.date}")
    entries = await log.entries(range(begin, end))
    told = tuple(read(entries))
    return Found(question, Span(begin, end), entries, frozenset(), told=told)


async def _near(place: str, since: datetime, log: LogReader, documents: TenantDocuments) -> list[Told]:
    """Return the entries of a property's keys that could open anything since some time."""
    start = Document(Ref(STREAMS, "0"), {"ends": milliseconds(since) - 1}, "")
    found = documents_of(ENTRIES_AT, {"property_id": place}, documents, start)
    records = [stream_record_from(each) async for each in found]
    return read(await log.entries(index for record in records for index in record.entries))


async def documents_of(
    index: Index, equals: Mapping[str, Any], documents: TenantDocuments, after: Document | None = None
) -> Any:
    """Go through all that an index holds, from beyond a place."""
    while page := await documents.query(index, equals, after=after, limit=_PAGE):
        for found in page:
            yield found
        after = page[-1]


def _concerns(told: Told, keys: set[str], locks: frozenset[str]) -> bool:
    header = told.header
    return header.get("stream") in keys or header.get("key") in keys or header.get("device") in locks


def _last_rows(told: Iterable[Told]) -> dict[str, int]:
    last = dict[str, int]()
    for each in told:
        stream = each.header["stream"]
        last[stream] = max(last.get(stream, 0), each.header["seq"])
    return last


def _time(asked: Asked) -> tuple[datetime, datetime]:
    if asked.since is None or asked.until is None:
        raise InvalidInput("since", "no time from which until when", "give since and until")
    return asked.since, asked.until


def _instant(body: Mapping[str, Any], name: str) -> datetime | None:
    return None if body.get(name) is None else instant_from_text(body[name], name)
