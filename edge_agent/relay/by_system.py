"""A job becomes a card of the hotel's own lock system, once, whatever breaks in between.

1. The job is begun, and the cloud says its yes, as for a card of our own.
2. It is written down that the lock system is asked; then it is. Somebody lays a card on its encoder.
3. That the card is made is kept, then told until it is heard.

| died, or no answer, | what is known | what becomes of it, with the next press |
|---|---|---|
| before 2 | nothing was asked | it is asked |
| after 2 | it may be made | what lies on the encoder is looked at: this card is adopted |
| | and nothing is seen | a card that ends those before it is asked for anew, which ends what was made |
| | | a copy is not: the clerk lays it back, or gives it up |

A refusal says that nothing was made: the job waits on, or ends where it can never be.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from edge_agent.hardware.errors import CardMissing, DeviceRefused, HardwareError, OutcomeUnknown
from edge_agent.hardware.property_systems.card_system import CardOrder, CardSystem
from edge_agent.ledger.desk_tables import ASKED, WAITING, WRITING, WRITTEN, DeskJobRow
from edge_agent.relay.steps import JobSteps
from shared.domain.instants import instant_from_text

REFUSED: Final = "refused"
FOR_GOOD: Final[Mapping[str, str]] = {
    "TD": "room_unknown",
    "UR": "room_unknown",
    "ES": REFUSED,
    "EA": REFUSED,
    "DN": REFUSED,
    "NG": REFUSED,
}
"""Refusals that no second asking mends, as the cloud is told of them; by any other the job waits on."""


@dataclass(frozen=True, slots=True)
class SystemWriter(JobSteps):
    """Has the cards of jobs written by one lock system."""

    system: CardSystem
    zone: ZoneInfo

    async def write(self, job: str) -> DeskJobRow:
        """Have a job's card made, or find it made.

        Raise HardwareError, CloudSilent, CloudRefused or JobGone; the job then waits, or is off.
        """
        row = await self.ledger.run(lambda it: it.jobs.get(job))
        if row.step not in (WAITING, WRITING):
            return row
        if row.step == WAITING:
            row = await self.ledger.run(lambda it: it.jobs.step(job, WRITING))
        await self.allowed(row)
        order = card_order(row, self.zone)
        if row.uid == ASKED and await self._found(order):
            return await self._made(row)
        return await self._asked(row, order)

    async def _found(self, order: CardOrder) -> bool:
        """Look for the card that was asked for before; raise where a second would be one too many."""
        if await self.system.made(order):
            return True
        if order.joins:
            raise CardMissing("lay back the card that was begun, or give it up")
        return False

    async def _asked(self, row: DeskJobRow, order: CardOrder) -> DeskJobRow:
        await self.ledger.run(lambda it: it.jobs.asked(row.id))
        try:
            await self.system.make(order)
        except OutcomeUnknown:
            raise
        except HardwareError as refusal:
            return await self._refused(row, refusal)
        return await self._made(row)

    async def _refused(self, row: DeskJobRow, refusal: HardwareError) -> DeskJobRow:
        if refusal.permanent or (isinstance(refusal, DeviceRefused) and refusal.code in FOR_GOOD):
            return await self.failed(row, FOR_GOOD.get(refusal.code or "", REFUSED))
        await self.ledger.run(lambda it: it.jobs.unbegun(row.id))
        raise refusal

    async def _made(self, row: DeskJobRow) -> DeskJobRow:
        return await self.told(await self.ledger.run(lambda it: it.jobs.step(row.id, WRITTEN)))


def card_order(row: DeskJobRow, zone: ZoneInfo) -> CardOrder:
    """Return what a lock system is asked for: the guest's own rooms, by the clock on the hotel's wall."""
    told = row.document
    starts, ends = (
        instant_from_text(told[name], name).astimezone(zone).replace(tzinfo=None)
        for name in ("starts", "ends")
    )
    rooms = tuple(told["ownDoors"])
    return CardOrder(rooms, starts, ends, str(told["reservationId"]), joins=not told["overrides"])
