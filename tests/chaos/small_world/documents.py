"""The document store in memory: as strict as the real ones, and as unreliable as the weather."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson

from shared.domain.ids import TenantId
from shared.domain.instants import utc
from shared.ports.document_limits import (
    check_commit_bytes,
    check_query,
    check_ref,
    check_refs,
    check_writes,
    encode,
    place_of,
)
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Delete,
    Document,
    Ref,
    StaleVersion,
    StorageFull,
    UndeclaredIndex,
    Update,
)
from tests.chaos.small_world.fate import Air

ABSENT = object()


class Unheard(Exception):
    """What was asked was done, and the answer was lost on its way."""


class Unavailable(Exception):
    """Nothing could be asked."""


@dataclass(slots=True)
class Row:
    """A document as it is kept: its bytes are handed out, its values are only looked at."""

    body: bytes
    values: dict
    version: int
    expires_at: object = None

    def alive(self, now):
        return self.expires_at is None or self.expires_at > now


@dataclass(slots=True)
class Table:
    """What is durable of one database: rows by tenant, collection and id."""

    rows: dict = field(default_factory=dict)
    version: int = 0

    def collection(self, tenant, name):
        """Return a collection's rows by id."""
        return self.rows.setdefault((tenant, name), {})

    def collections(self, name):
        """Return every tenant's collection of this name."""
        return [(tenant, rows) for (tenant, called), rows in self.rows.items() if called == name]


class MemoryDocuments:
    """One database; every handle of every life looks at the same shelf."""

    def __init__(self, shelf, clock, indexes, air: Air, name="main"):
        self.shelf, self.clock, self.air, self.name = shelf, clock, air, name
        self._indexes = {index: index for index in indexes}
        self.witness = None
        self.of_old_release = False

    def tenant(self, tenant):
        """Return a tenant's handle."""
        return MemoryTenantDocuments(self, TenantId(tenant))

    async def sweep(self, index, equals, *, until, since=None, limit=100):
        """Return (tenant, id) pairs across tenants."""
        self.check(index, equals, until, limit, since)
        if not index.swept:
            raise UndeclaredIndex(index)
        await self.reads(f"sweep {index.collection}")
        shelves, now = self.shelf.collections(index.collection), self.clock.now()
        found = sorted(
            (place, tenant, id_)
            for tenant, rows in shelves
            for place, id_ in _matching(rows, index, equals, until, now)
            if since is None or place >= _place(since)
        )
        return [(TenantId(tenant), id_) for _, tenant, id_ in found[:limit]]

    async def reads(self, what):
        """Let a read through, or not."""
        await self.air.passes(f"{self.name}.{what}")
        if self.air.weather.strikes("unread"):
            raise Unavailable("the store cannot be read just now")

    def check(self, index, equals, until, limit, since=None):
        if index not in self._indexes:
            raise UndeclaredIndex(index)
        check_query(index, equals, until, limit, since)

    def owes_by(self, until):
        """Say whether any sweep could still find something due."""
        now = self.clock.now()
        return any(
            True
            for index in self._indexes
            if index.swept and not index.equals
            for _, rows in self.shelf.collections(index.collection)
            for _ in _matching(rows, index, {}, until, now)
        )


def _as_it_is(data):
    return data


def as_before(data):
    """Return a document as the release before wrote it, where it could say that."""
    kind = "grant" if "grant" in data else "saga" if "saga" in data else None
    if kind is None or data.get("schema_version") != 2:
        return dict(data)
    return _BEFORE[kind](data)


def _grant_as_before(data):
    leaving = data["grant"]["state"]["type"] in ("removing", "residual", "removed")
    changed = not leaving and data["wished_at"] is not None  # it knew of no stay that changes
    said = data["wish"] == ("gone" if leaving else "open") and data["grant"]["state"]["type"] != "resting"
    if changed or not said:
        return dict(data)
    known = {name: value for name, value in data.items() if name not in ("wish", "wished_at")}
    return {**known, "schema_version": 1}


def _key_as_before(data):
    if data["holds"] or data["amends"]:
        return dict(data)
    known = {name: value for name, value in data.items() if name not in ("holds", "amends")}
    kind = {"issue": "issue", "settle": "withdraw"}[data["saga"]["kind"]]
    return {**known, "schema_version": 1, "saga": {**data["saga"], "kind": kind}}


_BEFORE = {"grant": _grant_as_before, "saga": _key_as_before}


class MemoryTenantDocuments:
    """One tenant's documents."""

    def __init__(self, store, tenant):
        self._store, self.tenant = store, tenant

    async def get(self, ref):
        """Return the living document, or None."""
        check_ref(ref)
        store = self._store
        await store.reads(f"get {ref}")
        row = store.shelf.collection(self.tenant, ref.collection).get(ref.id)
        return None if row is None or not row.alive(store.clock.now()) else _document(ref, row)

    async def get_all(self, refs):
        """Return each living document, or None."""
        check_refs(refs)
        return [await self.get(ref) for ref in refs]

    async def commit(self, writes):
        """Apply all writes or none."""
        if not writes:
            return ()
        check_writes(writes)
        older = as_before if self._store.of_old_release else _as_it_is
        prepared = [
            (write, b"" if isinstance(write, Delete) else encode(older(write.data))) for write in writes
        ]
        check_commit_bytes(sum(len(body) for _, body in prepared))
        expiries = [_expiry(write) for write in writes]
        await self._before(writes)
        versions = self._apply(prepared, expiries)
        await self._after()
        return versions

    async def note(self, writes):
        """Commit; nobody here is ever in a hurry, or not."""
        return await self.commit(writes)

    async def query(self, index, equals, *, until=None, after=None, limit=100):
        """Return living documents in order."""
        store = self._store
        store.check(index, equals, until, limit)
        if index.shards > 1:
            raise UndeclaredIndex(index)
        await store.reads(f"query {index.collection}")
        rows = store.shelf.collection(self.tenant, index.collection)
        found = sorted(_matching(rows, index, equals, until, store.clock.now()))
        if after is not None:
            value, id_ = place_of(index, after)
            found = [each for each in found if each > (_place(value), id_)]
        return [_document(Ref(index.collection, id_), rows[id_]) for _, id_ in found[:limit]]

    async def _before(self, writes):
        air = self._store.air
        what = ", ".join(f"{type(write).__name__} {write.ref}" for write in writes)
        await air.passes(f"{self._store.name}.commit {what}")
        if air.weather.strikes("full"):
            raise StorageFull("no room")
        if air.weather.strikes("raced"):
            self._race(writes)

    def _race(self, writes):
        """Be the other writer, who came first and changed nothing that matters."""
        shelf = self._store.shelf
        for write in writes:
            row = shelf.collection(self.tenant, write.ref.collection).get(write.ref.id)
            if row is not None and isinstance(write, Update):
                shelf.version += 1
                row.version = shelf.version

    async def _after(self):
        air = self._store.air
        await air.passes(f"{self._store.name}.committed")
        if air.weather.strikes("unheard"):
            raise Unheard("the answer to a commit was lost")

    def _apply(self, prepared, expiries):
        shelf, now = self._store.shelf, self._store.clock.now()
        for write, _ in prepared:
            row = shelf.collection(self.tenant, write.ref.collection).get(write.ref.id)
            _expect(write, row if row is not None and row.alive(now) else None)
        shelf.version += 1
        for (write, body), expiry in zip(prepared, expiries, strict=True):
            rows = shelf.collection(self.tenant, write.ref.collection)
            if isinstance(write, Delete):
                del rows[write.ref.id]
            else:
                row = rows[write.ref.id] = Row(body, orjson.loads(body), shelf.version, expiry)
                if self._store.witness is not None:
                    self._store.witness.read(write.ref, row.values)
        return tuple("" if isinstance(write, Delete) else str(shelf.version) for write, _ in prepared)


def _expect(write, row):
    if isinstance(write, Create):
        if row is not None:
            raise AlreadyExists(write.ref)
    elif row is None or str(row.version) != write.version:
        raise StaleVersion(write.ref)


def _expiry(write):
    at = None if isinstance(write, Delete) else write.expires_at
    return None if at is None else utc(at, "expires_at")


def _document(ref, row):
    return Document(ref, orjson.loads(row.body), str(row.version))


def _matching(rows, index, equals, until, now) -> Iterator[tuple[tuple[bool, object], str]]:
    wanted = [(path, orjson.dumps(equals[path])) for path in index.equals]
    for id_, row in rows.items():
        place = _place(_at(row.values, index.order_by))
        if place is None or not row.alive(now) or not _within(place, until):
            continue
        if all(
            (value := _at(row.values, path)) is not ABSENT and orjson.dumps(value) == text
            for path, text in wanted
        ):
            yield place, id_


def _at(values, path):
    for name in path.split("."):
        values = values.get(name, ABSENT) if isinstance(values, dict) else ABSENT
    return values


def _place(value):
    """Return where a value stands in an index, numbers before texts; None where it is in none."""
    if isinstance(value, str):
        return (True, value)
    return (False, value) if isinstance(value, int | float) else None


def _within(place, until):
    if until is None:
        return True
    return place[0] == isinstance(until, str) and place[1] <= until
