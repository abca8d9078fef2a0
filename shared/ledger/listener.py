"""An address that a tenant has events sent to: which events, and how it fares.

| state | it hears | becomes |
|---|---|---|
| unproven | a challenge alone | live, when somebody says what it was sent |
| live | events | disabled, when for days nothing came through, or it says that it is gone |
| disabled | nothing | what it was, by a person's word: who never proved itself is still to do so |

`failures` in a row make it rest: until `rests_until` nothing is tried there, and nothing counts.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import ListenerId, PropertyId
from shared.domain.instants import Moment
from shared.domain.kinds import Actor
from shared.domain.stored import Stored
from shared.ledger.indexes import LISTENERS_OF
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record

LISTENERS: Final = "listeners"
MOST_LISTENERS: Final = 20
"""Of one tenant: an event is written down once for each."""
DISABLED_AFTER: Final = timedelta(days=5)
SHORTEST_REST, LONGEST_REST = timedelta(seconds=5), timedelta(minutes=30)


class ListenerState(StrEnum):
    """Whether events go there."""

    UNPROVEN = "unproven"
    LIVE = "live"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener(Record):
    """An address, what it hears, and since when nothing came through."""

    schema_version: ClassVar[int] = 1

    id: ListenerId
    url: str = field(repr=False)
    events: tuple[str, ...]
    """Subjects, or what they begin with and a star."""
    properties: tuple[PropertyId, ...] = ()
    """None named is every one."""
    by: Actor
    made_at: Moment
    state: ListenerState = ListenerState.UNPROVEN
    challenge: str = field(default="", repr=False)
    """The digest of what it was sent to prove itself; none once it has."""
    failures: int = 0
    failing_since: Annotated[Moment | None, Stored(omitted=True)] = None
    rests_until: Annotated[Moment | None, Stored(omitted=True)] = None
    because: Annotated[str | None, Stored(omitted=True)] = None
    """Why it is disabled."""

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return listener_at(self.id)

    def hears(self, subject: str, property_id: str | None) -> bool:
        """Say whether an event of a property, or of none, goes there."""
        here = not self.properties or property_id in self.properties
        return (
            self.state is ListenerState.LIVE and here and any(fnmatchcase(subject, at) for at in self.events)
        )

    def not_reached(self, at: datetime) -> Self:
        """Return it after one more that did not come through."""
        rest = min(SHORTEST_REST * 2 ** min(self.failures, 16), LONGEST_REST)
        since = self.failing_since or at
        return replace(self, failures=self.failures + 1, failing_since=since, rests_until=at + rest)

    def reached(self) -> Self:
        """Return it after something came through."""
        return replace(self, failures=0, failing_since=None, rests_until=None)

    def disabled(self, why: str) -> Self:
        """Return it when nothing goes there any more."""
        return replace(self, state=ListenerState.DISABLED, because=why, rests_until=None)

    def live(self) -> Self:
        """Return it when events go there, from now on; while it is to prove itself, its challenge alone."""
        state = ListenerState.UNPROVEN if self.challenge else ListenerState.LIVE
        return replace(self.reached(), state=state, because=None)

    @property
    def spent(self) -> bool:
        """Say whether for days nothing came through."""
        since, until = self.failing_since, self.rests_until
        return since is not None and until is not None and until - since >= DISABLED_AFTER


def listener_at(name: str) -> Ref:
    """Return where a listener is kept."""
    return Ref(LISTENERS, name)


async def find_listener(name: str, store: TenantDocuments) -> Listener | None:
    """Return a listener, or None."""
    found = await store.get(listener_at(name))
    return None if found is None else listener_from(found)


async def listeners_of(store: TenantDocuments) -> list[Listener]:
    """Return a tenant's listeners."""
    return [listener_from(each) for each in await store.query(LISTENERS_OF, {}, limit=MOST_LISTENERS)]


def listener_from(found: Document) -> Listener:
    """Read a listener."""
    return read_record(Listener, found)
