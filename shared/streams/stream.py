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

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Self

from shared.domain.instants import Moment
from shared.domain.replacing import replace
from shared.domain.stored import UNSTORED, Stored
from shared.events.outbox import OutboxRow
from shared.ports.bus import EventBus
from shared.ports.documents import TenantDocuments
from shared.streams.record import Record
from shared.streams.telling import DUE_AT, publish


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream(Record):
    """A record that announces; its rows are kept under its id.

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

    def is_due(self, now: datetime) -> bool:
        """Say whether somebody must look at it by now."""
        return self.due is not None and self.due <= now

    def following(self, rows: Sequence[OutboxRow]) -> Self:
        """Return the record once its rows are in the outbox."""
        return replace(self, stored=self._sequence, told=(*self.told, *rows))

    async def announce(self, documents: TenantDocuments, bus: EventBus) -> Self:
        """Publish what is not known to be published, in order; that it is, the next save keeps."""
        await publish(self.ref.id, self.unannounced, documents, bus, self.told)
        return replace(self, announced=self._sequence, told=())

    def as_found(self, version: str) -> Self:
        """Return it as the store has it: what had happened by then is in the outbox."""
        return replace(self, version=version, stored=self._sequence)

    @property
    @abstractmethod
    def _sequence(self) -> int:
        """How much has happened."""
