"""How many unknown links one address, and all together, may try: counted in the store, remembered here.

A link has 128 drawn bits, so guessing is hopeless; the count is for whoever tries nevertheless, and for us to
hear of it. A known link costs no count. An address that has used up its guesses is refused unread.
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
from shared.ledger.admission import NOBODY
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Ref, StaleVersion, Update
from shared.usecases.guests.services import GuestServices, NothingGiven

GUESSES: Final = "guest_guesses"
SPAN: Final = timedelta(minutes=10)
MOST_OF_ONE: Final = 20
MOST_OF_ALL: Final = 50
"""So many addresses with used-up guesses, in one span, are worth waking somebody."""
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

    async def check(self, address: str) -> None:
        """Refuse an address that has guessed too often."""
        if (await self._counted(self._ref(address))).times >= MOST_OF_ONE:
            raise NothingGiven

    async def count(self, address: str) -> None:
        """Count a guess; the one that is an address's last is counted for everybody too."""
        if await self._add(self._ref(address)) != MOST_OF_ONE:
            return
        everybody = await self._add(self._ref(EVERYBODY))
        self._on.log.seldom("an address guesses at guests' links", "refused for minutes")
        if everybody == MOST_OF_ALL:
            self._on.log.alert(
                "guests' links are being guessed from many addresses", runbook="guests/guessed-links"
            )

    async def _add(self, ref: Ref) -> int:
        kept = await self._counted(ref)
        after = replace(kept, times=kept.times + 1)
        data, until = to_document(after), self._on.now + 2 * SPAN
        write = Create(ref, data, until) if kept.version is None else Update(ref, data, kept.version, until)
        with contextlib.suppress(AlreadyExists, StaleVersion):  # a race lets one guess more, not a key
            await self._documents.commit([write])
        return after.times

    async def _counted(self, ref: Ref) -> Counted:
        found = await self._documents.get(ref)
        return Counted() if found is None else replace(read_stored(Counted, found), version=found.version)

    def _ref(self, address: str) -> Ref:
        named = hashlib.sha256(address.encode()).hexdigest()[:32]
        return Ref(GUESSES, f"{named}.{_span(self._on.now)}")


def _span(now: datetime) -> int:
    return milliseconds(now) // int(SPAN.total_seconds() * 1000)
