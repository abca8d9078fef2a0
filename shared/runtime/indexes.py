"""Every query the use cases make: what stores are opened with, and what Terraform creates."""

from shared.ports.documents import Index

INDEXES: tuple[Index, ...] = ()
