"""Where things are in a Firestore database, and how a field is named in a query."""

from dataclasses import dataclass

from shared.domain.ids import TenantId
from shared.ports.documents import Ref


@dataclass(frozen=True, slots=True)
class Place:
    """One database; tenants are its only top-level documents, and never written themselves."""

    project: str
    database: str

    @property
    def root(self) -> str:
        """The database's resource name."""
        return f"projects/{self.project}/databases/{self.database}"

    @property
    def everywhere(self) -> str:
        """The parent of a query across tenants."""
        return f"{self.root}/documents"

    def tenant(self, tenant: TenantId) -> str:
        """Return the parent of a tenant's collections."""
        return f"{self.everywhere}/tenants/{tenant}"

    def document(self, tenant: TenantId, ref: Ref) -> str:
        """Return a document's resource name."""
        return f"{self.tenant(tenant)}/{ref.collection}/{ref.id}"


def tenant_and_id(name: str) -> tuple[TenantId, str]:
    """Return whose document a resource name is, and its id."""
    *_, tenant, _collection, id_ = name.split("/")
    return TenantId(tenant), id_


def path_of(copy: str, field: str) -> str:
    """Return a copied field's path; a dotted name is one name inside the copy, so it is quoted."""
    return f"{copy}.`{field}`" if "." in field else f"{copy}.{field}"
