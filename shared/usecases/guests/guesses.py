"""How often unknown links were tried: so that we hear of whoever guesses, at a price that has an end.

| a link | costs its visitor | costs us |
|---|---|---|
| known | what its own tries allow, whoever else is in the same network | nothing here |
| unknown | a refusal | one more in one of 64 counts, chosen by the address; nothing where that is full |

A link has 128 drawn bits, so nobody is kept from guessing: a hotel's guests come from one address, and one of
them must not shut out the others. A span of time has so many writes and no more, from however many addresses.
Decision 0127.
"""

import contextlib
import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.documents import to_document
from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.domain.stored import UNSTORED
from shared.keywork.services import retry_on_conflict
from shared.ledger.admission import NOBODY
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Ref, StaleVersion, Update
from shared.usecases.guests.services import GuestServices

GUESSES: Final = "guest_guesses"
SPAN: Final = timedelta(minutes=10)
COUNTS: Final = 64
MOST_OF_ONE: Final = 20
"""So many guesses fill a count: of one address, and of those that share it."""
MOST_OF_ALL: Final = 32
"""So many full counts, in one span, are worth waking somebody: no fewer addresses guess."""
EVERYBODY: Final = "everybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often something was tried in one span of time."""

    schema_version: ClassVar[int] = 1

    times: int = 0
    version: Annotated[str | None, UNSTORED] = None


class Guesses:
    """The tries of unknown links."""

    def __init__(self, on: GuestServices) -> None:
        self._on, self._documents = on, on.documents.tenant(TenantId(NOBODY))

    async def count(self, address: str) -> None:
        """Count a guess; the one that fills a count is counted for everybody too."""
        with contextlib.suppress(AlreadyExists, StaleVersion):  # two at once count as one, and open no door
            if await self._one_more(_count_of(address), MOST_OF_ONE):
                await retry_on_conflict(self._filled)

    async def _filled(self) -> None:
        self._on.log.seldom("an address guesses at guests' links", "counted no further for minutes")
        if await self._one_more(EVERYBODY, MOST_OF_ALL):
            self._on.log.alert(
                "guests' links are being guessed from many addresses", runbook="guests/guessed-links"
            )

    async def _one_more(self, name: str, most: int) -> bool:
        """Return whether just this one filled a count; a full one is left as it is."""
        ref = Ref(GUESSES, f"{name}.{_span(self._on.now)}")
        kept = await self._counted(ref)
        if kept.times >= most:
            return False
        after = replace(kept, times=kept.times + 1)
        data, until = to_document(after), self._on.now + 2 * SPAN
        write = Create(ref, data, until) if kept.version is None else Update(ref, data, kept.version, until)
        await self._documents.commit([write])
        return after.times == most

    async def _counted(self, ref: Ref) -> Counted:
        found = await self._documents.get(ref)
        return Counted() if found is None else replace(read_stored(Counted, found), version=found.version)


def _count_of(address: str) -> str:
    return str(hashlib.sha256(address.encode()).digest()[0] % COUNTS)


def _span(now: datetime) -> int:
    return milliseconds(now) // int(SPAN.total_seconds() * 1000)
