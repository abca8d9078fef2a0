"""A document of ours that is changed: what keeps it, if nobody else has changed it since."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, ClassVar, Self

from shared.domain.documents import to_document
from shared.domain.stored import UNSTORED, Json
from shared.ports.documents import Create, Ref, TenantDocuments, Update


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(ABC):
    """Mixed into what is kept whole; `version` is that which was read, `strays` what a newer release adds."""

    schema_version: ClassVar[int]

    version: Annotated[str | None, UNSTORED] = None
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)

    @property
    @abstractmethod
    def ref(self) -> Ref:
        """Where it is kept."""

    @property
    def kept_until(self) -> datetime | None:
        """When it goes by itself; None where it stays."""
        return None

    def write(self) -> Create | Update:
        """Return what keeps it, on the condition that nobody else has changed it."""
        data, until = to_document(self), self.kept_until
        if self.version is None:
            return Create(self.ref, data, until)
        return Update(self.ref, data, self.version, until)

    async def saved(self, store: TenantDocuments) -> Self:
        """Return it once it is kept; StaleVersion if somebody else was first."""
        (version,) = await store.commit([self.write()])
        return replace(self, version=version)

    def as_found(self, version: str) -> Self:
        """Return it as the store has it."""
        return replace(self, version=version)
