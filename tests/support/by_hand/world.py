"""A small world in memory, the same each time: documents, a cipher, chance, ids and a clock that stands."""

import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from types import SimpleNamespace
from typing import Any

from infra.local.ambient import SeededEntropy
from shared.domain.ids import TenantId
from shared.kernel.log import Log
from shared.ledger.admission import RECORD
from shared.ports.documents import AlreadyExists, Create, Delete, Document, Ref, StaleVersion
from tests.chaos.small_world.vault import MemoryCipher

NOW = datetime(2026, 11, 20, 6, tzinfo=UTC)
SILK = TenantId("tnt_silk")
HOTEL, LOCK = "ppt_kabul", "lck_01KSAMP1E00000000000000204"
CELL, PUT = "local", "0"
"""Where we are; and the version of what was there before the code wrote anything."""


class Documents:
    """One database of documents in memory, as good as a tenant's."""

    def __init__(self):
        self.kept, self._versions = {}, count(1)

    def tenant(self, tenant):
        """Return a tenant's view of it."""
        return _View(self, tenant)


class _View:
    def __init__(self, whole, tenant):
        self._whole, self.tenant = whole, tenant

    async def get(self, ref):
        return self._whole.kept.get((self.tenant, ref))

    async def get_all(self, refs):
        return [await self.get(each) for each in refs]

    async def query(self, index, equals, *, after=None, limit=None, **_):
        kept = [each for (of, _), each in self._whole.kept.items() if of == self.tenant]
        here = [each for each in kept if each.ref.collection == index.collection]
        found = [each for each in here if all(each.data.get(name) == equals[name] for name in equals)]
        return [] if after else sorted(found, key=lambda each: each.ref.id)

    async def commit(self, writes):
        kept = self._whole.kept
        for write in writes:
            found = kept.get((self.tenant, write.ref))
            if isinstance(write, Create) and found is not None:
                raise AlreadyExists(write.ref)
            if not isinstance(write, Create) and (found is None or found.version != write.version):
                raise StaleVersion(write.ref)
        return [self._written(write) for write in writes]

    note = commit

    def _written(self, write):
        version, place = str(next(self._whole._versions)), (self.tenant, write.ref)
        if isinstance(write, Delete):
            del self._whole.kept[place]
        else:
            self._whole.kept[place] = Document(write.ref, dict(write.data), version)
        return version


class Bus:
    """What was told; away when it is told to be."""

    def __init__(self):
        self.told, self.away = [], False

    async def publish(self, topic, messages):
        if self.away:
            raise ConnectionError(topic)
        self.told += [topic for _ in messages]


class World:
    """The ports of a cell with one tenant."""

    def __init__(self):
        self.documents, self.sealed = Documents(), Documents()
        self.cipher, self.bus, self.entropy = MemoryCipher(), Bus(), SeededEntropy(7)
        self.now, self.written, self.cell, self.objects = NOW, io.StringIO(), CELL, None
        self.log, self.clock = Log("keyfleet", self.written), SimpleNamespace(now=lambda: self.now)
        numbers = count(1)
        self.ids = SimpleNamespace(ulid=lambda: f"01KSAMP1E{next(numbers):017d}")
        self.put(SILK, RECORD, {"schema_version": 1, "data_residency": CELL})

    @property
    def silk(self):
        """The tenant's documents."""
        return self.documents.tenant(SILK)

    @property
    def sealed_silk(self):
        """The tenant's sealed documents."""
        return self.sealed.tenant(SILK)

    def put(self, tenant, ref, data, *, sealed=False):
        """Have a document there, whoever wrote it."""
        database = self.sealed if sealed else self.documents
        database.kept[tenant, ref] = Document(ref, data, PUT)

    def later(self, **by):
        """Let time pass."""
        self.now += timedelta(**by)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of document that its module writes field by field: how it is written, read and written again.

    `again` is None where no document of the kind is ever written again; `whole` says why one may be replaced
    by another, and lose what a newer release wrote into it.
    """

    ref: Ref
    write: Callable[[World], Awaitable[Any]]
    read: Callable[[World], Awaitable[Any]]
    means: Any
    again: Callable[[World], Awaitable[Any]] | None = None
    whole: str = ""
    tenant: TenantId = SILK
    sealed: bool = False
    beside: Callable[[World], Awaitable[Any]] | None = None
    """What else must be there before it is read: other documents, that other golden files hold."""

    def found(self, world):
        """Return the document as it is kept."""
        return (world.sealed if self.sealed else world.documents).kept[self.tenant, self.ref]
