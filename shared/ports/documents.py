"""Documents: the ledger's store. A handle is bound to one tenant; a write states what it expects to find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from zlib import crc32

from shared.domain.ids import TenantId
from shared.domain.replacing import born_open

Json = Any
"""A value JSON can carry: None, bool, int, float, str, list or dict of those."""


@born_open
@dataclass(frozen=True, slots=True)
class Ref:
    """Where a document lives inside its tenant."""

    collection: str
    id: str

    def __str__(self) -> str:
        return f"{self.collection}/{self.id}"


@born_open
@dataclass(frozen=True, slots=True)
class Document:
    """What was read, and the version a later write must name."""

    ref: Ref
    data: Mapping[str, Json] = field(repr=False)
    version: str


@born_open
@dataclass(frozen=True, slots=True)
class Create:
    """Write a document that must not exist yet (one past its expiry counts as absent)."""

    ref: Ref
    data: Mapping[str, Json] = field(repr=False)
    expires_at: datetime | None = None


@born_open
@dataclass(frozen=True, slots=True)
class Update:
    """Replace a document that must still be at `version`."""

    ref: Ref
    data: Mapping[str, Json] = field(repr=False)
    version: str
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a document that must still be at `version`."""

    ref: Ref
    version: str


Write = Create | Update | Delete


@dataclass(frozen=True, slots=True)
class Index:
    """A query the store is prepared for: equality on `equals`, then order and range on `order_by`.

    Fields may be dotted paths. A document without a value at `order_by` is not in the index. Only a `swept`
    index can be read across tenants; one in `shards` in no other way. A store that keeps neighbours together
    spreads those by their ids: what everybody writes with the present instant must not be one hot place.
    """

    collection: str
    equals: tuple[str, ...]
    order_by: str
    swept: bool = False
    shards: int = 1

    @property
    def name(self) -> str:
        """A name unique to what is indexed."""
        return f"{self.collection}({', '.join(self.equals)}) by {self.order_by}"


def shard_of(id_: str, shards: int) -> int:
    """Return the shard that a document's id falls into: the same everywhere, and for ever."""
    return crc32(id_.encode()) % shards


class DocumentError(Exception):
    """A write or query the store refused; nothing was changed."""


class AlreadyExists(DocumentError):
    """A create met a living document."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref} already exists: read it, or write an Update that names its version")
        self.ref = ref


class StaleVersion(DocumentError):
    """An update or delete named a version that is no longer the document's."""

    def __init__(self, ref: Ref) -> None:
        super().__init__(f"{ref} has changed or is gone since it was read: read it again and decide anew")
        self.ref = ref


class UndeclaredIndex(DocumentError):
    """A query over an index nobody declared, or a sweep over one that is not declared as swept."""

    def __init__(self, index: Index) -> None:
        super().__init__(f"no index {index}: add it to the indexes the store is opened with")
        self.index = index


class StorageFull(Exception):
    """The store is full, or held by another program: nothing was written, try again."""


class StoredUnreadable(Exception):
    """A document of ours that this release cannot read: the work waits for one that can."""


class TenantDocuments(Protocol):
    """The documents of one tenant."""

    @property
    def tenant(self) -> TenantId:
        """Whose documents these are."""

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None."""

    async def get_all(self, refs: Sequence[Ref]) -> Sequence[Document | None]:
        """Return each of some documents as it lives, or None, in the order asked, in one round trip."""

    async def commit(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Apply all writes or none; return the new version of each (empty for a delete)."""

    async def note(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Commit what nobody is in a hurry for: for a moment it may wait for another commit to ride on."""

    async def query(
        self,
        index: Index,
        equals: Mapping[str, Json],
        *,
        until: Json = None,
        after: Document | None = None,
        limit: int = 100,
    ) -> Sequence[Document]:
        """Return living documents equal on the index's fields, ordered, up to and including `until`.

        Ties are in the order of their ids. `after` is the last document of the page before.
        """


class DocumentStore(Protocol):
    """All tenants' documents, reachable only one tenant at a time."""

    def tenant(self, tenant: TenantId) -> TenantDocuments:
        """Return the handle that all reads and writes of one tenant go through."""

    async def sweep(
        self, index: Index, equals: Mapping[str, Json], *, until: Json, since: Json = None, limit: int = 100
    ) -> Sequence[tuple[TenantId, str]]:
        """Return (tenant, id) pairs across tenants, and nothing else of the documents.

        From `since` up to `until`, both included: where each value is one document's, page follows page.
        """
