"""What comes to a receiver's door: of whom it says it is, before anything else is loaded."""

from collections.abc import Mapping, Sequence

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.vendor_kit.webhook import Delivered


class NotProven(Exception):
    """Nobody shows that the vendor sent this; why, is told to nobody."""


def delivered(parts: Sequence[str], headers: Mapping[str, str], body: bytes) -> Delivered:
    """Return a request of the property that its path names: tenant, property and perhaps a token."""
    try:
        tenant, hotel = TenantId(parts[0]), PropertyId(parts[1])
    except (IndexError, InvalidInput):
        raise NotProven from None
    if len(parts) > 3:
        raise NotProven
    token = parts[2] if len(parts) == 3 else ""
    return Delivered(tenant=tenant, property_id=hotel, token=token, headers=headers, body=body)
