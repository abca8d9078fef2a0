"""Telling a stream: its rows as they are kept, published byte for byte and in order."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from shared.ports.bus import EventBus, Message
from shared.ports.documents import Create, Document, Ref, StaleVersion, TenantDocuments, Update

if TYPE_CHECKING:  # what events are made of takes long to load, and many who tell have them at hand
    from shared.events.outbox import OutboxRow

OUTBOX: Final = "outbox"
DUE_AT, ANNOUNCED, SEQUENCE = "due_at", "announced", "sequence"
"""What every stored aggregate with a stream of its own calls these three."""


class EventMissing(Exception):
    """A change that would be saved without telling everything that happened, or a row that is gone."""


def row_ref(stream: str, sequence: int) -> Ref:
    """Return where a row of a stream is kept."""
    return Ref(OUTBOX, f"{stream}.{sequence:06d}")


def row_write(row: "OutboxRow") -> Create:
    """Return what keeps a row; a second of its number is refused."""
    return Create(row_ref(row.aggregate_id, row.sequence), row.to_document())


async def publish(
    stream: str,
    sequences: Iterable[int],
    documents: TenantDocuments,
    bus: EventBus,
    at_hand: Sequence["OutboxRow"] = (),
) -> None:
    """Publish rows of a stream byte for byte, one after the other: none overtakes one before it."""
    fresh = {row.sequence: row for row in at_hand}
    for sequence in sequences:
        row = fresh.get(sequence) or await kept_row(stream, sequence, documents)
        await bus.publish(row.subject, [Message(row.body, row.attributes, row.ordering_key)])


async def kept_row(stream: str, sequence: int, documents: TenantDocuments) -> "OutboxRow":
    """Return a row as it is kept; without it nothing after it may be told."""
    from shared.events.outbox import OutboxRow

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
