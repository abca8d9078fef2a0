"""A master key as the ledger keeps it: with the stream of its events, and when somebody must look again."""

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from shared.domain.ids import EventId, MasterKeyId
from shared.domain.instants import milliseconds
from shared.domain.kinds import SAGA, Actor
from shared.domain.master_key import MasterKey
from shared.domain.stored import Json
from shared.events.from_facts import Context
from shared.events.from_master_key import MasterKeyFact, outbox_row
from shared.ledger.key_record import Cause
from shared.ledger.reading import read_record
from shared.ports.ambient import Ids
from shared.ports.documents import Create, Document, Ref, TenantDocuments
from shared.streams.stream import Stream
from shared.streams.telling import row_write

MASTER_KEYS: Final = "master_keys"


@dataclass(frozen=True, slots=True)
class MasterKeyRecord(Stream):
    """A master key, what set it going, and who issued it."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("of_staff", "of_property", "live", "ends")

    master_key: MasterKey
    cause: Cause
    by: Actor = SAGA

    @property
    def id(self) -> MasterKeyId:
        """Whose record this is."""
        return self.master_key.id

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return ref_of(self.id)

    def indexed(self) -> dict[str, Json]:
        """Return what indexes read; one that is over is in none of those of living keys."""
        key = self.master_key
        found: dict[str, Json] = {
            "of_staff": str(key.staff),
            "of_property": str(key.property_id),
            "ends": -milliseconds(key.window.end),
        }
        return found if key.over else {**found, "live": milliseconds(key.window.end)}

    @property
    def _sequence(self) -> int:
        return self.master_key.version - 1


def telling(
    record: MasterKeyRecord, fact: MasterKeyFact, by: Actor, ids: Ids
) -> tuple[MasterKeyRecord, Create]:
    """Return the record after what happened to its key, and the row that tells it."""
    context = Context(
        event_id=EventId.mint(ids.ulid()), trace_id=record.cause.trace_id, causation_id=record.cause.event_id
    )
    row = outbox_row(fact, context, str(by))
    return replace(record, master_key=fact.master_key).following((row,)), row_write(row)


async def find_master_key(documents: TenantDocuments, name: str) -> MasterKeyRecord | None:
    """Return a master key, or None."""
    found = await documents.get(ref_of(name))
    return None if found is None else master_key_from(found)


def ref_of(name: str) -> Ref:
    """Return where a master key is kept."""
    return Ref(MASTER_KEYS, name)


def master_key_from(found: Document) -> MasterKeyRecord:
    """Read a master key."""
    return read_record(MasterKeyRecord, found)
