"""Every query the use cases make: what stores are opened with, and what Terraform creates."""

from shared.ledger.indexes import (
    AT_DEVICE,
    DEVICES,
    DUE,
    LIVE_AT,
    LIVE_OF_STAFF,
    OF_CREDENTIAL,
    STAYS_AT,
    STAYS_OF,
)
from shared.ports.documents import Index
from shared.vendor_kit.calm.health_stream import DUE_BREAKERS

INDEXES: tuple[Index, ...] = (
    AT_DEVICE,
    DEVICES,
    DUE,
    DUE_BREAKERS,
    LIVE_AT,
    LIVE_OF_STAFF,
    OF_CREDENTIAL,
    STAYS_AT,
    STAYS_OF,
)
