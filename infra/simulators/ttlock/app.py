"""TTLock as one of the simulated vendors: its hotels, its platform, its doors and its own controls."""

from infra.simulators.kit.app import Simulator
from infra.simulators.kit.vendor import SimulatedVendor
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock import control
from infra.simulators.ttlock.attempts import try_door
from infra.simulators.ttlock.build import build_cloud
from infra.simulators.ttlock.callbacks import FormCallbacks
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.door import Door
from infra.simulators.ttlock.gateway_link import upload
from infra.simulators.ttlock.hotel import HotelPlan, sample_hotel
from infra.simulators.ttlock.platform import PLATFORM


def _changed(cloud: Cloud, door: Door) -> None:
    upload(cloud, door.lock_id)


VENDOR = SimulatedVendor(
    name="TTLock",
    plan=HotelPlan,
    sample=sample_hotel,
    build=build_cloud,
    platform=PLATFORM,
    try_door=try_door,
    changed=_changed,
    callbacks=FormCallbacks(),
    controls=(control.gateways, control.tokens, control.callbacks),
)


def ttlock_app(world: SimWorld) -> Simulator[Cloud]:
    """Return a simulator of the world's hotel, in which nothing has happened yet."""
    return Simulator(VENDOR, world)
