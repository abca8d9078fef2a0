"""The questions that are asked of the ledger: said apart from what answers them, which takes long to load."""

from typing import Final

from shared.ports.documents import Index

DUE: Final = Index("credentials", (), "due_at", swept=True)
"""Keys to which something is owed, the longest overdue first."""
OF_CREDENTIAL: Final = Index("grants", ("credential_id",), "device_id")
"""All grants a key ever had."""
AT_DEVICE: Final = Index("grants", ("device_id",), "until")
"""The grants at a lock that are not over, by the end of their stay."""
DEVICES: Final = Index("devices", ("property_id",), "id")
"""A property's locks."""
