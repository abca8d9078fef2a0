"""Everything an Assa Abloy environment believes, beside everything that is true at the doors."""

from dataclasses import asdict, dataclass, field
from typing import Any

from infra.simulators.assa_abloy.door import Door
from infra.simulators.assa_abloy.hotel import HotelPlan, MaintenancePlan
from infra.simulators.kit.cloud import instruments
from infra.simulators.kit.errors import Code
from infra.simulators.kit.named_doors import NamedDoorsCloud
from infra.simulators.kit.quota import Meter, QuotaRules
from infra.simulators.kit.windows import Window
from infra.simulators.kit.world import SimWorld

RATE_LIMITED: Code = "rate_limited"
QUOTA = QuotaRules(RATE_LIMITED, RATE_LIMITED, seconds=1)


@dataclass(frozen=True, slots=True)
class Grant:
    """An access grant: who may open which doors, and when."""

    grant_id: str
    name: str
    kind: str
    credential: str = field(repr=False)
    doors: tuple[str, ...]
    window: Window
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class PhoneKey:
    """A key of Visionline's: it is on a phone, and no lock has heard of it until the phone comes.

    The keys of one stay share a `guest`; who comes with a higher one ends those before at that door.
    """

    key_id: str
    name: str
    phone: str = field(repr=False)
    doors: tuple[str, ...]
    window: Window
    guest: int


@dataclass(slots=True, kw_only=True)
class Cloud(NamedDoorsCloud[Door]):
    """Tables by id."""

    plan: HotelPlan
    grants: dict[str, Grant] = field(default_factory=dict)
    maintenance: tuple[MaintenancePlan, ...] = ()
    sessions: dict[str, tuple[str, int]] = field(default_factory=dict, repr=False)
    """Visionline's sessions: the access key of each, and when it ends."""
    phone_keys: dict[str, PhoneKey] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict, repr=False)
    """Access tokens, with when each ends."""

    def down(self) -> bool:
        """Say whether the environment is in maintenance."""
        now = self.now_ms() // 1000
        return any(each.begins <= now < each.ends for each in self.maintenance)

    def shown(self, door: Door) -> dict[str, Any]:
        """Return a door, and what the vendor lists of it."""
        lock = str(door.lock_id)
        shown = door.shown(self.names[lock], self.now_ms(), heard=door.in_reach)
        listed = [asdict(grant) for grant in self.grants.values() if lock in grant.doors]
        keys = [key for key in self.phone_keys.values() if lock in key.doors]
        shown["ekeys"] += [{"keyId": key.key_id, "holder": key.phone, "listed": True} for key in keys]
        return {**shown, "listed": {"grants": listed, "phoneKeys": [asdict(key) for key in keys]}}


def build_cloud(world: SimWorld, plan: HotelPlan, seed: int) -> Cloud:
    """Return a cloud in which nothing has happened yet."""
    cloud = Cloud(**instruments(world, plan, seed), maintenance=plan.maintenance)
    client = plan.client
    cloud.hooks[client.client_id] = client.callback_url
    cloud.meters[client.client_id] = Meter(QUOTA, client.calls_per_second)
    for lock in plan.locks:
        condition: dict[str, Any] = {
            "battery": lock.battery,
            "skew_ms": lock.skew_ms,
            "in_reach": lock.in_reach,
        }
        cloud.hang(lock, Door(lock_id=lock.lock_id, **condition))
    return cloud
