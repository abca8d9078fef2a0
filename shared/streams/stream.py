"""The stream of one aggregate's events: numbered, kept with the change, published in order, swept until told.

| step                                                     | died here                        |
|----------------------------------------------------------|----------------------------------|
| 1. the aggregate, its `due` and the rows of what         | nothing changed, or all stand    |
|    happened to it are saved in one commit                |                                  |
| 2. the rows are published, the lowest sequence first     | the sweeper publishes the same   |
|                                                          | bytes under the same ids         |
| 3. `announced` is noted, and `due` goes                  | and so it does here: once more   |

Keys, vendors' circuits and whatever announces later are all told like this; decision 0077.
"""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Final, Self

from shared.domain.instants import Moment
from shared.domain.stored import UNSTORED, Stored
from shared.events.outbox import OutboxRow
from shared.ports.bus import EventBus, Message
from shared.ports.documents import Create, Document, Ref, StaleVersion, TenantDocuments, Update

OUTBOX: Final = "outbox"
DUE_AT, ANNOUNCED, SEQUENCE = "due_at", "announced", "sequence"
"""What every stored aggregate with a stream of its own calls these three."""


class EventMissing(Exception):
    """A change that would be saved without telling everything that happened, or a row that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream(ABC):
    """Mixed into a record that announces; it has an `id` and a `sequence` of its own.

    `announced` is the last sequence known to be published, and `due` when somebody must look again: None
    where nothing is owed, and then the record is not in the sweeper's index. `stored` is the last sequence in
    the outbox; `told` holds rows that this process has just put there, so that it need not read them back.
    """

    announced: int = 0
    due: Annotated[Moment | None, Stored(DUE_AT, omitted=True)] = None
    stored: Annotated[int, UNSTORED] = 0
    told: Annotated[tuple[OutboxRow, ...], UNSTORED] = field(default=(), repr=False)

    @property
    def unannounced(self) -> range:
        """The sequences that nobody is known to have published."""
        return range(self.announced + 1, self._sequence + 1)

    @property
    def unstored(self) -> range:
        """The sequences of what happened and is not in the outbox yet."""
        return range(self.stored + 1, self._sequence + 1)

    def due_in(self, wait: timedelta, now: datetime) -> Self:
        """Return the record with a promise to look at it again."""
        return replace(self, due=now + wait)

    def following(self, rows: Sequence[OutboxRow]) -> Self:
        """Return the record once its rows are in the outbox."""
        return replace(self, stored=self._sequence, told=(*self.told, *rows))

    async def announce(self, documents: TenantDocuments, bus: EventBus) -> Self:
        """Publish what is not known to be published, in order; that it is, the next save keeps."""
        await publish(self._stream, self.unannounced, documents, bus, self.told)
        return replace(self, announced=self._sequence, told=())

    @property
    @abstractmethod
    def _stream(self) -> str:
        """What the rows are kept under."""

    @property
    @abstractmethod
    def _sequence(self) -> int:
        """How much has happened."""


def row_ref(stream: str, sequence: int) -> Ref:
    """Return where a row of a stream is kept."""
    return Ref(OUTBOX, f"{stream}.{sequence:06d}")


def row_write(row: OutboxRow) -> Create:
    """Return what keeps a row; a second of its number is refused."""
    return Create(row_ref(row.aggregate_id, row.sequence), row.to_document())


async def publish(
    stream: str,
    sequences: Iterable[int],
    documents: TenantDocuments,
    bus: EventBus,
    at_hand: Sequence[OutboxRow] = (),
) -> None:
    """Publish rows of a stream byte for byte, one after the other: none overtakes one before it."""
    fresh = {row.sequence: row for row in at_hand}
    for sequence in sequences:
        row = fresh.get(sequence) or await kept_row(stream, sequence, documents)
        await bus.publish(row.subject, [Message(row.body, row.attributes, row.ordering_key)])


async def kept_row(stream: str, sequence: int, documents: TenantDocuments) -> OutboxRow:
    """Return a row as it is kept; without it nothing after it may be told."""
    found = await documents.get(row_ref(stream, sequence))
    if found is None:
        raise EventMissing(f"event {sequence} of {stream} is not in the outbox: restore it from a backup")
    return OutboxRow.from_document(found.data)


async def tell(ref: Ref, stream: str, documents: TenantDocuments, bus: EventBus) -> bool:
    """Tell what an aggregate has not told, where nothing else is owed to it; return whether there was any."""
    found = await documents.get(ref)
    if found is None or found.data[ANNOUNCED] >= found.data[SEQUENCE]:
        return False
    untold = range(found.data[ANNOUNCED] + 1, found.data[SEQUENCE] + 1)
    await publish(stream, untold, documents, bus)
    with contextlib.suppress(StaleVersion):  # changed since: whoever did it tells the rest
        await documents.commit([_noted(found)])
    return True


def _noted(found: Document) -> Update:
    told = {**found.data, ANNOUNCED: found.data[SEQUENCE]}
    return Update(found.ref, {name: told[name] for name in told if name != DUE_AT}, found.version)
