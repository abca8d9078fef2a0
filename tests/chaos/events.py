"""Events for chaos: the sample tenant changing its mind."""

import orjson

from shared.ports.bus import Message


def config_updated(number: int, tenant: str = "tnt_silk") -> Message:
    """The tenant's nth change: PINs of 6, 7 and 8 digits in turn, the fifth having 8."""
    settings = {"pinDigits": 6 + (number + 1) % 3 if number < 4 else 8}
    document = {
        "specVersion": "1.0",
        "id": f"evt_{number}",
        "subject": "melmastoon.tenant.config_updated.v1",
        "time": f"2026-03-01T10:00:{number:02d}Z",
        "tenantId": tenant,
        "data": {"keyKindPolicy": settings},
    }
    return Message(orjson.dumps(document), ordering_key=tenant)
