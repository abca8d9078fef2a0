"""A service account of a tenant as it is kept: its keys as digests, and in which state it was read."""

from dataclasses import dataclass
from typing import Final

from shared.domain.documents import from_document, to_document
from shared.domain.sign_in import Integrator
from shared.ledger.reading import reading
from shared.ports.documents import Create, Document, Ref, TenantDocuments, Update

INTEGRATORS: Final = "integrators"


@dataclass(frozen=True, slots=True)
class Account:
    """A service account, and in which state it was read; without a state it is yet to be kept."""

    integrator: Integrator
    version: str | None = None

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(INTEGRATORS, self.integrator.id)

    async def saved(self, integrator: Integrator, store: TenantDocuments) -> "Account":
        """Keep it as it is to be now; StaleVersion if somebody else was first."""
        data = to_document(integrator)
        write = Create(self.ref, data) if self.version is None else Update(self.ref, data, self.version)
        (version,) = await store.commit([write])
        return Account(integrator, version)


async def find_account(name: str, store: TenantDocuments) -> Account | None:
    """Return a service account, or None."""
    found = await store.get(Ref(INTEGRATORS, name))
    return None if found is None else account_from(found)


def account_from(found: Document) -> Account:
    """Read a service account."""
    with reading(found):
        return Account(from_document(Integrator, found.data), found.version)
