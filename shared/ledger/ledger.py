"""One tenant's keys: read with their versions, and written together with their events or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from shared.domain.facts import Fact
from shared.domain.ids import EventId, GrantId
from shared.domain.replacing import born_open, replace
from shared.events.credential import UNDELIVERED, Delivery
from shared.events.errors import CrossTenant
from shared.events.from_facts import Context, outbox_row
from shared.events.outbox import OutboxRow
from shared.ledger.grant_record import GRANTS, MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import OF_CREDENTIAL
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ports.ambient import Ids
from shared.ports.bus import EventBus
from shared.ports.document_limits import MOST_WRITES
from shared.ports.documents import Ref, TenantDocuments, Write
from shared.streams.telling import EventMissing, row_write


class TooManyGrants(Exception):
    """A key at more locks than one question brings back; what is not seen would never be taken away."""


@born_open
@dataclass(frozen=True, slots=True)
class Change:
    """An entry as it is to be, with what happened to its key and what becomes of its grants."""

    entry: KeyRecord
    facts: tuple[Fact, ...] = ()
    grants: tuple[GrantRecord, ...] = ()
    delivery: Delivery = UNDELIVERED
    capabilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """A change as the store has it now."""

    entry: KeyRecord
    grants: tuple[GrantRecord, ...]


class Ledger:
    """The keys of one tenant."""

    def __init__(self, documents: TenantDocuments, ids: Ids) -> None:
        self.documents, self._ids = documents, ids

    async def entry(self, credential: str) -> KeyRecord | None:
        """Return a key's entry, or None."""
        found = await self.documents.get(ref_of(credential))
        return None if found is None else key_record_from(found)

    async def grant(self, grant: GrantId) -> GrantRecord | None:
        """Return one lock's share of a key, or None."""
        found = await self.documents.get(Ref(GRANTS, grant))
        return None if found is None else grant_from(found)

    async def grants(self, entry: KeyRecord) -> tuple[GrantRecord, ...]:
        """Return all grants a key ever had."""
        of_key = {"credential_id": str(entry.id)}
        found = await self.documents.query(OF_CREDENTIAL, of_key, limit=MOST_GRANTS)
        if len(found) == MOST_GRANTS:
            raise TooManyGrants(
                f"{entry.id} has {MOST_GRANTS} grants or more: nobody can tell which are left"
            )
        return tuple(map(grant_from, found))

    async def save(self, change: Change, *beside: Write) -> Saved:
        """Save one key's change; StaleVersion or AlreadyExists if somebody else was first."""
        return (await self._save([change], *beside))[0]

    async def save_all(self, changes: Sequence[Change], *beside: Write) -> tuple[Saved, ...]:
        """Save the changes of several keys, and what belongs with them, all or none.

        Where one commit does not hold them, the first are saved first: whoever comes again finds them done,
        as long as what tells that all is done is beside the last.
        """
        *earlier, last = _parts(changes, MOST_WRITES - len(beside))
        done = [saved for part in earlier for saved in await self._save(part)]
        return (*done, *await self._save(last, *beside))

    async def _save(self, changes: Sequence[Change], *beside: Write) -> tuple[Saved, ...]:
        for change in changes:
            self._check_tenant(change)
        rows = [self._rows(change) for change in changes]
        groups = [_writes(change, told) for change, told in zip(changes, rows, strict=True)]
        writes = [*beside, *(write for group in groups for write in group)]
        versions = iter((await self.documents.commit(writes))[len(beside) :])
        return tuple(
            _saved(change, told, tuple(islice(versions, len(group))))
            for change, told, group in zip(changes, rows, groups, strict=True)
        )

    def _check_tenant(self, change: Change) -> None:
        """Refuse another tenant's key or grant (B §6)."""
        tenants = {change.entry.credential.tenant, *(kept.grant.tenant for kept in change.grants)}
        if tenants != {self.documents.tenant}:
            raise CrossTenant(f"{change.entry.id} is not of the tenant whose ledger this is")

    async def note(self, entry: KeyRecord) -> KeyRecord:
        """Save what only spares somebody work: nothing happened to the key, and nobody waits for it."""
        (version,) = await self.documents.note([entry.write()])
        return replace(entry, version=version)

    async def announce(self, entry: KeyRecord, bus: EventBus) -> KeyRecord:
        """Publish what is stored and not known to be published, in order; that it is, the next save keeps."""
        return await entry.announce(self.documents, bus)

    def _rows(self, change: Change) -> tuple[OutboxRow, ...]:
        entry = change.entry
        if [fact.header.sequence for fact in change.facts] != list(entry.unstored):
            raise EventMissing(f"{entry.id}: give every fact since it was read, and no other")
        return tuple(outbox_row(fact, self._context(change)) for fact in change.facts)

    def _context(self, change: Change) -> Context:
        cause = change.entry.cause
        return Context(
            event_id=EventId.mint(self._ids.ulid()),
            trace_id=cause.trace_id,
            causation_id=cause.event_id,
            delivery=change.delivery,
            capabilities=change.capabilities,
        )


def _parts(changes: Sequence[Change], room: int) -> list[Sequence[Change]]:
    """Return the changes in as few parts as hold them, the last as full as can be: it has this much room."""
    parts: list[list[Change]] = [[]]
    for change in reversed(changes):
        size = 1 + len(change.facts) + len(change.grants)
        if size > room and parts[0]:
            parts.insert(0, [])
            room = MOST_WRITES
        parts[0].insert(0, change)
        room -= size
    return list(parts)


def _saved(change: Change, rows: Sequence[OutboxRow], versions: Sequence[str]) -> Saved:
    entry = replace(change.entry.following(rows), version=versions[0])
    of_grants = versions[1 + len(rows) :]
    grants = (replace(kept, version=version) for kept, version in zip(change.grants, of_grants, strict=True))
    return Saved(entry, tuple(grants))


def _writes(change: Change, rows: Sequence[OutboxRow]) -> list[Write]:
    return [change.entry.write(), *map(row_write, rows), *(grant.write() for grant in change.grants)]
