"""What a simulated Assa Abloy hotel consists of: an environment in the vendor's cloud, phones, locks."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from infra.simulators.kit.plan import DoorPlan, Plan, refuse_twins

CLIENT_ID, CLIENT_SECRET = "sim-client", "sim-secret"
OPERATOR, PASSWORD = "sim-operator", "sim-password"
SAMPLE_LOCKS = (1_000_001, 1_000_101, 1_000_102, 1_000_203, 1_000_204)
PHONE = "guest@example.org"


class ClientPlan(Plan):
    """One client of one environment; the calls it may make are counted there."""

    client_id: str = CLIENT_ID
    client_secret: str = Field(default=CLIENT_SECRET, repr=False)
    environment: str = "sim"
    calls_per_second: int | None = 30
    callback_url: str | None = None


class OperatorPlan(Plan):
    """Who may open sessions at the hotel's own Visionline server, whose times are those of its wall."""

    username: str = OPERATOR
    password: str = Field(default=PASSWORD, repr=False)
    zone: str = "Asia/Kabul"


class MaintenancePlan(Plan):
    """A window in which the environment is down, as the vendor publishes it; seconds of the epoch."""

    begins: int
    ends: int


class LockPlan(DoorPlan):
    """One lock as it hangs on its door."""

    lock_id: str
    name: str


class HotelPlan(Plan):
    """Everything that is there before the first call."""

    client: ClientPlan = ClientPlan()
    operator: OperatorPlan = OperatorPlan()
    phones: tuple[str, ...] = Field(default=(PHONE,), repr=False)
    """The accounts of the vendor's app that are registered: nobody else can be sent a key."""
    maintenance: tuple[MaintenancePlan, ...] = ()
    locks: tuple[LockPlan, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        refuse_twins("lockId", [lock.lock_id for lock in self.locks])
        return self


def hotel_of(locks: Sequence[int]) -> HotelPlan:
    """Return a hotel of these locks."""
    return HotelPlan(locks=tuple(LockPlan(lock_id=str(lock), name=f"Room {lock}") for lock in locks))


def sample_hotel() -> HotelPlan:
    """Return the guesthouse of the embedded cloud's sample data."""
    return hotel_of(SAMPLE_LOCKS)


def account_at(address: str) -> dict[str, str]:
    """Return the sample's account at an address, as it is stored for an adapter."""
    own = {"clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET, "environment": "sim"}
    return {**own, "baseUrl": address}


def operator_at(address: str) -> dict[str, str]:
    """Return the sample's account at the hotel's own server."""
    return {"dialect": "visionline", "username": OPERATOR, "password": PASSWORD, "baseUrl": address}
