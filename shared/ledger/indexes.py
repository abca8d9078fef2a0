"""The questions that are asked of the ledger: said apart from what answers them, which takes long to load."""

from typing import Final

from shared.ports.documents import Index

DUE: Final = Index("credentials", (), "due_at", swept=True)
"""Keys to which something is owed, the longest overdue first."""
OF_CREDENTIAL: Final = Index("grants", ("credential_id",), "device_id")
"""All grants a key ever had."""
AT_DEVICE: Final = Index("grants", ("device_id",), "until")
"""The grants at a lock that are not over, by the end of their stay."""
STAYS_AT: Final = Index("reservations", ("property_id",), "arrives")
"""A property's stays, as their guests arrive."""
STAYS_OF: Final = Index("reservations", ("guest_id",), "arrives")
"""One guest's stays."""
LIVE_AT: Final = Index("credentials", ("property_id",), "live")
"""A property's keys that are not over, by the end of their time."""
LIVE_OF_STAFF: Final = Index("credentials", ("staff_id",), "live")
"""The keys of a member of staff that are not over."""
DEVICES: Final = Index("devices", ("property_id",), "id")
"""A property's locks."""
