"""What every document store promises, each guarantee in a test of its name."""

from tests.contract.documents.expiring import Expiring
from tests.contract.documents.querying import Querying
from tests.contract.documents.refusing import Refusing
from tests.contract.documents.writing import Writing


class DocumentsContract(Writing, Expiring, Querying, Refusing):
    """The guarantees of `shared.ports.documents`."""
