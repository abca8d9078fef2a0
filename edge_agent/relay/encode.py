"""A job becomes a card, once, whatever breaks in between.

1. The card that lies there is looked at, and its UID is written down: this job is written on it or on none.
2. The cloud hears that it is being written. Only its yes lets us go on, for it may have called the job off;
   from then on it waits for us before it takes the key back.
3. The record is put on the card. A card that bears it already was written before a crash, and is adopted.
4. That it is written is kept, then told until it is heard.

| died after | what lies on the encoder | what becomes of it |
|---|---|---|
| 1, 2 | a card without the record, or with half of it | the same card is written on |
| 3 | the card, whole | the same card is adopted |
| 1 to 3 | another card | refused; the clerk lays the first one back, or gives it up |

A card that was given up opens no door once the next one was used there: the cloud orders another job, and
its number is higher.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from edge_agent.hardware.cards.keycard import Desk, KeyCardPress
from edge_agent.hardware.cards.layout import CardFlag, CardRecord, door_digest, property_digest
from edge_agent.hardware.cards.reader import Card, CardReader, card_on
from edge_agent.hardware.encoders.encoder import EncoderDoor
from edge_agent.hardware.errors import (
    CardFaulty,
    CardForeign,
    CardMissing,
    NotSupported,
)
from edge_agent.issuing.makers import CHANCE_BITS
from edge_agent.ledger.desk_tables import WAITING, WRITING, WRITTEN, DeskJobRow
from edge_agent.relay.steps import CARD_FAULTY, JobSteps
from shared.domain.instants import instant_from_text


class WrongCard(CardMissing):
    """Another card lies there than the one that this job was begun on."""


@dataclass(frozen=True, slots=True)
class JobWriter(JobSteps):
    """Writes the cards of jobs on one encoder."""

    encoder: EncoderDoor
    cards: Desk
    property_id: str

    async def write(self, job: str) -> DeskJobRow:
        """Write a job's card on what lies on the encoder, or finish what a crash left.

        Raise HardwareError, CloudSilent or JobGone; the job then waits, or is off.
        """
        row = await self.ledger.run(lambda it: it.jobs.get(job))
        if row.step not in (WAITING, WRITING):
            return row
        if row.step == WAITING:
            card = await self.encoder.run(partial(self._fresh, row=row))
            row = await self.ledger.run(lambda it: it.jobs.step(job, WRITING, card.uid.hex()))
        await self.allowed(row)
        return await self._written(row)

    async def _fresh(self, reader: CardReader, row: DeskJobRow) -> Card:
        """Return the card to write on; one that a room-mate of the same number carries is none."""
        press, card = KeyCardPress(reader, self.cards), await _card_on(reader)
        if row.document["overrides"]:
            return card
        try:
            _, found = await press.read()
        except CardForeign:
            return await card_on(reader, card)
        if found == card_record(row.document, self.property_id):
            raise WrongCard("that card was written for somebody else of this room: take a new one")
        return card

    async def _written(self, row: DeskJobRow) -> DeskJobRow:
        try:
            await self.encoder.run(partial(self._put, row=row))
        except CardFaulty:
            return await self.failed(row, CARD_FAULTY)
        except (CardForeign, NotSupported):
            # What this card holds is no key of ours, whole or half: the next card is as good as the first.
            await self.ledger.run(lambda it: it.jobs.unbegun(row.id))
            raise
        written = await self.ledger.run(lambda it: it.jobs.step(row.id, WRITTEN))
        return await self.told(written)

    async def _put(self, reader: CardReader, row: DeskJobRow) -> None:
        card = await _card_on(reader)
        if card.uid.hex() != row.uid:
            raise WrongCard("another card lies there: lay back the one that was begun, or give it up")
        press, record = KeyCardPress(reader, self.cards), card_record(row.document, self.property_id)
        try:
            _, found = await press.read()
        except CardForeign:
            found = None
        if found != record:
            await press.make(record)


def card_record(document: dict[str, Any], property_id: str) -> CardRecord:
    """Return what is to stand on the card of a job: the same, however often it is asked."""
    starts, ends = (instant_from_text(document[name], name) for name in ("starts", "ends"))
    return CardRecord(
        property_digest(property_id),
        document["number"] << CHANCE_BITS,
        _minute(starts),
        _minute(ends),
        tuple(map(door_digest, document["doors"])),
        CardFlag.NONE,
    )


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


async def _card_on(reader: CardReader) -> Card:
    card = await reader.find()
    if card is None:
        raise CardMissing("no card lies on the encoder")
    return card
