"""Documents: the ledger's store. Every handle is bound to one tenant; every write states what it expects to find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from shared.domain.ids import TenantId

Json = Any
"""A value JSON can carry: None, bool, int, float, str, list or dict of those."""


@dataclass(frozen=True, slots=True)
class Ref:
    """Where a document lives inside its tenant."""

    collection: str
    id: str

    def __str__(self) -> str:
        return f"{self.collection}/{self.id}"


@dataclass(frozen=True, slots=True)
class Document:
    """What was read, and the version a later write must name."""

    ref: Ref
    data: Mapping[str, Json]
    version: str


@dataclass(frozen=True, slots=True)
class Create:
    """Write a document that must not exist yet (one past its expiry counts as absent)."""

    ref: Ref
    data: Mapping[str, Json]
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Replace a document that must still be at `version`."""

    ref: Ref
    data: Mapping[str, Json]
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
    """A query the store is prepared for: equality on `equals`, then order and range on `order_by`."""

    collection: str
    equals: tuple[str, ...]
    order_by: str

    @property
    def name(self) -> str:
        """A name unique to what is indexed."""
        return "_".join((self.collection, *self.equals, self.order_by)).replace(".", "_")


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
    """A query over an index nobody declared."""


class StorageFull(Exception):
    """The disk or quota is full: nothing was written, try again when there is room."""


class TenantDocuments(Protocol):
    """The documents of one tenant."""

    @property
    def tenant(self) -> TenantId:
        """Whose documents these are."""

    async def get(self, ref: Ref) -> Document | None:
        """Return the living document, or None."""

    async def commit(self, writes: Sequence[Write]) -> tuple[str, ...]:
        """Apply all writes or none; return the new version of each (empty for a delete)."""

    async def query(
        self,
        index: Index,
        equals: Mapping[str, Json],
        *,
        until: Json = None,
        limit: int = 100,
    ) -> Sequence[Document]:
        """Return living documents equal on the index's fields, ordered, up to and including `until`."""


class DocumentStore(Protocol):
    """All tenants' documents, reachable only one tenant at a time."""

    def tenant(self, tenant: TenantId) -> TenantDocuments:
        """Return the handle that all reads and writes of one tenant go through."""

    async def sweep(
        self, index: Index, equals: Mapping[str, Json], *, until: Json, limit: int = 100
    ) -> Sequence[tuple[TenantId, str]]:
        """Return (tenant, id) pairs across tenants, and nothing else of the documents."""
