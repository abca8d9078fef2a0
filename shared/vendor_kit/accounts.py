"""Where a property's account at a vendor is kept; the name cannot be changed later."""

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode


def account_secret(vendor: VendorCode, tenant: TenantId, property_id: PropertyId) -> str:
    """Return the name of the secret that holds a property's account at a vendor.

    The first `-ppt_` of a name ends the tenant's id, so that no two properties ever share one.
    """
    if f"-{PropertyId.prefix}" in tenant:
        remedy = "Give the tenant another id: its accounts would be kept under another tenant's names"
        raise InvalidInput(TenantId.field, f"contains '-{PropertyId.prefix}'", remedy)
    return f"lock-{vendor}-{tenant}-{property_id}-api"
