"""Where a property's account at a vendor is kept; the name cannot be changed later."""

from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode


def account_secret(vendor: VendorCode, tenant: TenantId, property_id: PropertyId) -> str:
    """Return the name of the secret that holds a property's account at a vendor."""
    return f"lock-{vendor}-{tenant}-{property_id}-api"
