"""Every operation of the platform by its path."""

from collections.abc import Mapping

from infra.simulators.ttlock.operation import Operation
from infra.simulators.ttlock.routes import (
    cards,
    ekeys,
    gateways,
    hotel_info,
    locks,
    month_requests,
    passcodes,
    qr_codes,
    random_passcodes,
    records,
    remote_lock,
    tokens,
    users,
)

RESOURCES = (
    tokens, users, month_requests, hotel_info, locks, remote_lock, gateways,
    passcodes, random_passcodes, ekeys, cards, qr_codes, records,
)  # fmt: skip
OPERATIONS: Mapping[str, Operation] = {
    operation.path: operation for resource in RESOURCES for operation in resource.OPERATIONS
}
