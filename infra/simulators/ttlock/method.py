"""The addType, changeType and deleteType of a call: who carries the change to the lock."""

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.errors import Refused

BLUETOOTH, GATEWAY, NB_IOT, LATER = 1, 2, 3, 4
UNSUPPORTED = {NB_IOT: -4067, LATER: -4043}


def by_gateway(call: Call, name: str) -> bool:
    """Tell whether the cloud reaches the lock; by default a phone already has, and the cloud takes note."""
    method = call.choice(name, (BLUETOOTH, GATEWAY, NB_IOT, LATER), BLUETOOTH)
    if method in UNSUPPORTED:
        raise Refused(UNSUPPORTED[method])
    return method == GATEWAY
