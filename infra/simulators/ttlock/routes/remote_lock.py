"""What is asked of a lock itself, over a gateway: its time, battery, state, and whether it serves at all."""

from dataclasses import replace

from infra.simulators.kit.errors import Refused
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import FINE
from infra.simulators.ttlock.gateway_link import door_in_reach
from infra.simulators.ttlock.hotel import FREEZE, has_feature
from infra.simulators.ttlock.operation import Answer, get, post

SECOND_MS = 1000
SHUT, OPEN = 0, 1


async def query_date(cloud: Cloud, call: Call) -> Answer:
    """Return the lock's own time, to the second."""
    lock = call.own_lock(cloud)
    async with door_in_reach(cloud, lock.lock_id) as door:
        return {"date": _to_the_second(door.lock_ms(cloud.now_ms()))}


async def update_date(cloud: Cloud, call: Call) -> Answer:
    """Set the lock's clock right."""
    lock = call.own_lock(cloud)
    async with door_in_reach(cloud, lock.lock_id) as door:
        door.skew_ms = 0
        return {"date": _to_the_second(cloud.now_ms())}


async def query_battery(cloud: Cloud, call: Call) -> Answer:
    """Return the true battery; only now does the list know it too."""
    lock = call.own_lock(cloud)
    async with door_in_reach(cloud, lock.lock_id) as door:
        cloud.locks[lock.lock_id] = replace(cloud.locks[lock.lock_id], heard_battery=door.battery)
        return {"electricQuantity": door.battery}


async def query_open_state(cloud: Cloud, call: Call) -> Answer:
    """Return whether the bolt is drawn."""
    lock = call.own_lock(cloud)
    async with door_in_reach(cloud, lock.lock_id, even_frozen=True) as door:
        return {"state": OPEN if cloud.now_ms() < door.open_until else SHUT}


async def query_status(cloud: Cloud, call: Call) -> Answer:
    """Return whether the lock is frozen."""
    lock = call.own_lock(cloud)
    async with door_in_reach(cloud, lock.lock_id, even_frozen=True) as door:
        return {"status": int(door.frozen)}


async def freeze(cloud: Cloud, call: Call) -> Answer:
    """Disable the whole lock, for everybody."""
    return await _set_frozen(cloud, call, frozen=True)


async def unfreeze(cloud: Cloud, call: Call) -> Answer:
    """Enable it again."""
    return await _set_frozen(cloud, call, frozen=False)


async def _set_frozen(cloud: Cloud, call: Call, *, frozen: bool) -> Answer:
    lock = call.own_lock(cloud)
    if not has_feature(lock.feature_value, FREEZE):
        raise Refused(-4043)
    async with door_in_reach(cloud, lock.lock_id, even_frozen=True) as door:
        door.frozen = frozen
    return FINE


def _to_the_second(instant_ms: int) -> int:
    return instant_ms // SECOND_MS * SECOND_MS


OPERATIONS = (
    get("/v3/lock/queryDate", query_date),
    post("/v3/lock/updateDate", update_date),
    get("/v3/lock/queryElectricQuantity", query_battery),
    get("/v3/lock/queryOpenState", query_open_state),
    get("/v3/lock/queryStatus", query_status),
    post("/v3/lock/freeze", freeze),
    post("/v3/lock/unfreeze", unfreeze),
)
