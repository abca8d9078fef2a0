"""A property's account at a vendor: where it is kept, by a name for ever, and its fields."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret

AS_SHOWN: Final = "Store the account as the runbook shows"


def account_secret(vendor: VendorCode, tenant: TenantId, property_id: PropertyId) -> str:
    """Return the name of the secret that holds a property's account at a vendor.

    The first `-ppt_` of a name ends the tenant's id, so that no two properties ever share one.
    """
    if f"-{PropertyId.prefix}" in tenant:
        remedy = "Give the tenant another id: its accounts would be kept under another tenant's names"
        raise InvalidInput(TenantId.field, f"contains '-{PropertyId.prefix}'", remedy)
    return f"lock-{vendor}-{tenant}-{property_id}-api"


def account_fields(stored: Secret[bytes]) -> Mapping[str, Any]:
    """Read an account that is stored as a JSON object; a complaint quotes nothing of it."""
    try:
        fields = orjson.loads(stored.reveal())
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise InvalidInput("account", "not a JSON object", AS_SHOWN)
    return fields


def account_field(fields: Mapping[str, Any], name: str) -> Secret[str]:
    """Return a required field of an account; a complaint names the field and never its value."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"account.{name}", "missing", AS_SHOWN)
    return Secret(value)


def monthly_calls(fields: Mapping[str, Any]) -> int | None:
    """Return how many calls an account says that its application has in a month, if it says so."""
    value = fields.get("callsPerMonth")
    if value is None:
        return None
    if type(value) is not int or value <= 0:
        raise InvalidInput("account.callsPerMonth", "not a whole number above 0", AS_SHOWN)
    return value


def digest(*identity: str) -> str:
    """Return what an account or an application is called among ours; it tells nothing about it."""
    return hashlib.sha256("|".join(identity).encode()).hexdigest()[:16]
