"""TTLock as one of the simulated vendors: its hotels, its platform, its doors and its own controls."""

from infra.simulators.kit.app import Simulator
from infra.simulators.kit.vendor import Dialect, FormCallbacks, SimulatedVendor
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock import control
from infra.simulators.ttlock.attempts import try_door
from infra.simulators.ttlock.build import account_at, build_cloud, md5_hex
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.gateway_link import upload
from infra.simulators.ttlock.hotel import CLIENT_SECRET, PASSWORD, HotelPlan, hotel_of, sample_hotel
from infra.simulators.ttlock.platform import PLATFORM

VENDOR = SimulatedVendor(
    name="TTLock",
    plan=HotelPlan,
    sample=sample_hotel,
    hotel_of=hotel_of,
    account=account_at,
    secrets=(CLIENT_SECRET, PASSWORD, md5_hex(PASSWORD)),
    build=build_cloud,
    platform=PLATFORM,
    adding="keyboardPwd/add",
    deleting="keyboardPwd/delete",
    offline="errcode:-3002",
    try_door=try_door,
    changed=lambda cloud, door: upload(cloud, door.lock_id),
    callbacks=FormCallbacks(b"success"),
    controls=(control.gateways, control.tokens, control.applications),
    dialects=(Dialect("https://bench.ttlock.com", account_at, hotel_of, budget_ms=1200),),
)


def ttlock_app(world: SimWorld) -> Simulator[Cloud]:
    """Return a simulator of the world's hotel, in which nothing has happened yet."""
    return Simulator(VENDOR, world)
