"""Every query that is asked: what stores are opened with, and what Terraform creates."""

from shared.ledger import indexes as of_ledger
from shared.ports.documents import Index
from shared.vendor_kit import indexes as of_vendor_kit

_DECLARED = (*vars(of_ledger).values(), *vars(of_vendor_kit).values())
INDEXES: tuple[Index, ...] = tuple(
    sorted({each for each in _DECLARED if isinstance(each, Index)}, key=lambda each: each.name)
)
