"""Every query that is asked: what stores are opened with, and what Terraform creates."""

from shared.ledger import indexes
from shared.ports.documents import Index

INDEXES: tuple[Index, ...] = tuple(
    sorted((each for each in vars(indexes).values() if isinstance(each, Index)), key=lambda each: each.name)
)
