"""The card that lies on the encoder: what stands on it, and whether it is a stay's own already."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from edge_agent.agent.shown import labels_on
from edge_agent.agent.wiring import DeskAgent
from edge_agent.console.desk_port import ClerkProblem, Done
from edge_agent.hardware.cards.keycard import KeyCardPress
from edge_agent.hardware.cards.layout import CardRecord
from edge_agent.hardware.cards.reader import Card, CardReader
from edge_agent.hardware.encoders.encoder import EncoderDoor
from edge_agent.hardware.errors import HardwareError
from edge_agent.issuing.makers import CHANCE_BITS
from edge_agent.ledger.desk_tables import DeskJobRow
from edge_agent.ledger.ledger import DeskLedger
from edge_agent.relay.encode import card_record
from shared.domain.credential import KeyCredential


@dataclass(frozen=True, slots=True)
class LyingThere:
    """Looks at the card on the first encoder."""

    agent: DeskAgent

    async def read(self) -> dict[str, Any]:
        """Return what stands on the card: when it opens, and which of our rooms."""
        if self._encoder is None:
            raise ClerkProblem("no_device")
        try:
            card, record = await self._encoder.run(self._read)
        except HardwareError as error:
            raise ClerkProblem(error.kind) from None
        pack = (await self.agent.papers.standing()).pack
        return {
            "from": record.valid_from,
            "until": record.valid_until,
            "rooms": labels_on(record, pack),
            "kind": card.kind.name,
        }

    async def issued_before(
        self, reservation: str, job: DeskJobRow | None, keys: list[KeyCredential]
    ) -> Done | None:
        """Say what is so where the card of this stay lies there already, whole; a job may end that card."""
        rows = await self.agent.parts.ledger.run(lambda it: it.jobs.written())
        rows = [row for row in rows if row.uid and row.document["reservationId"] == reservation]
        rows = [row for row in rows if not _ends(job, row.document["keyCredentialId"])]
        keys = [key for key in keys if not _ends(job, str(key.id))]
        if not (rows or keys) or self._encoder is None:
            return None
        try:
            card, record = await self._encoder.run(self._read)
        except HardwareError:
            return None  # no card, or one that is not ours: the press goes its way
        return self._by_job(reservation, rows, card, record) or await self._by_key(reservation, keys, record)

    def _by_job(
        self, reservation: str, rows: list[DeskJobRow], card: Card, record: CardRecord
    ) -> Done | None:
        for row in rows:
            if row.uid == card.uid.hex() and record == card_record(
                row.document, self.agent.identity.property_id
            ):
                return Done("issued", reservation, datetime.fromisoformat(row.document["ends"]))
        return None

    async def _by_key(self, reservation: str, keys: list[KeyCredential], record: CardRecord) -> Done | None:
        for key in keys:
            number = await self.agent.parts.ledger.run(partial(DeskLedger.card_of, key_id=str(key.id)))
            if number == record.number >> CHANCE_BITS:
                return Done("issued", reservation, key.core.window.end, alone=True)
        return None

    @property
    def _encoder(self) -> EncoderDoor | None:
        return next(iter(self.agent.parts.encoders.values()), None)

    async def _read(self, reader: CardReader) -> tuple[Card, CardRecord]:
        return await KeyCardPress(reader, self.agent.cards).read()


def _ends(job: DeskJobRow | None, key: str) -> bool:
    """Say whether a job's card takes the place of a key's card: it ends all before it, or is of that key."""
    if job is None:
        return False
    told = job.document
    return bool(told["overrides"] or key == told["keyCredentialId"] or key in told["localIds"])
