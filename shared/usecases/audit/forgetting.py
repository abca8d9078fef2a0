"""What is let go of: operational records once all of them are anchored, and a guest whose time is over.

A guest is forgotten in this order, so that whoever dies on the way is followed by somebody who can go on:
their streams' records and rows, the stays, the key that makes their alias, and last what leads from the alias
to them. What stays is the log, in which nobody can find them any more.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.instants import milliseconds
from shared.domain.states import Failed, Revoked
from shared.ledger.attempt import ATTEMPTS
from shared.ledger.audit_log import StreamRecord, stream_record_from
from shared.ledger.grant_record import grant_from
from shared.ledger.indexes import ENTRIES_OF_GUEST, EXPIRIES, IDLE_STREAMS, OF_CREDENTIAL, STAYS_OF
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.key_record import ref_of as key_ref
from shared.ports.document_limits import MOST_WRITES
from shared.ports.documents import Delete, Document, Ref, TenantDocuments
from shared.streams.telling import OUTBOX
from shared.usecases.audit.books import Book
from shared.usecases.audit.guests import KEYS, SUBJECTS, GuestKeys

OPERATIONAL: Final = timedelta(days=90)
"""How long what is operational is kept once a stream is idle (B §4)."""
PAGE: Final = 200


async def let_idle_go(book: Book, now: datetime) -> int:
    """Delete the rows and records of streams that are idle, over and anchored; return of how many."""
    documents, gone = book.on.documents.tenant(book.tenant), 0
    until = min((now - OPERATIONAL).date().isoformat(), book.record.anchored.date)
    after: Document | None = None
    while page := await documents.query(IDLE_STREAMS, {}, until=until, after=after, limit=PAGE):
        for found in page:
            gone += await let_go(stream_record_from(found), documents)
        after = page[-1]
    return gone


async def let_go(record: StreamRecord, documents: TenantDocuments) -> bool:
    """Delete what is operational of a stream, unless something is still owed to its key."""
    key = await _key(record.stream, documents)
    grants = [grant_from(each) for each in await _grants(record.stream, documents)]
    if key is not None and not (_settled(key, record) and all(grant.over for grant in grants)):
        return False
    rows = [Ref(OUTBOX, f"{record.stream}.{at:06d}") for at in range(1, record.head.head.sequence + 1)]
    await _delete(rows, documents)
    await _delete([Ref("grants", grant.grant.id) for grant in grants], documents)
    own = (Ref("manual_tasks", record.stream), Ref(ATTEMPTS, record.stream), key_ref(record.stream))
    await _delete([*own], documents)
    await documents.commit([replace(record, guest=None, let_go=True).write()])
    return True


async def forget_announced(book: Book) -> int:
    """Forget the guests whose forgetting stands in the log by now; return how many."""
    documents, forgotten = book.on.documents.tenant(book.tenant), 0
    for each in await documents.query(EXPIRIES, {}, limit=PAGE):
        if each.data.get("announced", "9") <= book.record.anchored.date:
            forgotten += await _forget(each, book, documents)
    return forgotten


async def _forget(expiry: Document, book: Book, documents: TenantDocuments) -> bool:
    alias, on = expiry.ref.id, book.on
    async for record in streams_of(alias, documents):
        if not record.let_go and not await let_go(record, documents):
            return False  # somebody may still get in with it: the sweep of another day comes back
    async for record in streams_of(alias, documents):
        if record.stay is not None:
            await documents.commit([replace(record, guest=None, stay=None).write()])
    subject = await documents.get(Ref(SUBJECTS, alias))
    if subject is not None:
        sealed = on.sealed.tenant(book.tenant)
        guest = await GuestKeys(book.tenant, documents, sealed, on.cipher).guest_of(subject)
        await _delete([each.ref async for each in _past_stays(guest, on.now, documents)], documents)
        await _delete([Ref(KEYS, guest)], sealed)
    await _delete([Ref(SUBJECTS, alias), expiry.ref], documents)
    return True


async def streams_of(alias: str, documents: TenantDocuments) -> AsyncIterator[StreamRecord]:
    """Go through the streams that are about a guest."""
    after: Document | None = None
    while page := await documents.query(ENTRIES_OF_GUEST, {"alias": alias}, after=after, limit=PAGE):
        for found in page:
            yield stream_record_from(found)
        after = page[-1]


async def _past_stays(guest: str, now: datetime, documents: TenantDocuments) -> AsyncIterator[Document]:
    until = milliseconds(now - OPERATIONAL)
    for found in await documents.query(STAYS_OF, {"guest_id": guest}, until=until, limit=1000):
        yield found


async def _key(stream: str, documents: TenantDocuments) -> KeyRecord | None:
    found = await documents.get(key_ref(stream))
    return None if found is None else key_record_from(found)


async def _grants(stream: str, documents: TenantDocuments) -> list[Document]:
    return [*await documents.query(OF_CREDENTIAL, {"credential_id": stream}, limit=1000)]


def _settled(key: KeyRecord, record: StreamRecord) -> bool:
    """Say whether a key is over, owes nothing, and every event of it stands in the log."""
    over = isinstance(key.credential.state, Revoked | Failed) and key.due is None
    return over and key.announced == key.credential.sequence == record.head.head.sequence


async def _delete(refs: list[Ref], documents: TenantDocuments) -> None:
    for at in range(0, len(refs), MOST_WRITES):
        found = [await documents.get(ref) for ref in refs[at : at + MOST_WRITES]]
        await documents.commit([Delete(each.ref, each.version) for each in found if each is not None])
