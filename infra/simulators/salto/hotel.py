"""What a simulated Salto hotel consists of: API keys, a connector, doors with and without a line."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from infra.simulators.kit.plan import DoorPlan, Plan, refuse_twins

API_KEY = "sim-api-key"
SAMPLE_LOCKS = (1_000_001, 1_000_101, 1_000_102, 1_000_203, 1_000_204)


class ApiKeyPlan(Plan):
    """An API key, and when it was issued, in seconds of the epoch; without that it does not age."""

    key: str = Field(default=API_KEY, repr=False)
    issued: int | None = None


class LockPlan(DoorPlan):
    """One lock as it hangs on its door; one without a line learns only from what is held to it."""

    lock_id: str
    name: str
    online: bool = True


class HotelPlan(Plan):
    """Everything that is there before the first call."""

    api_keys: tuple[ApiKeyPlan, ...] = (ApiKeyPlan(),)
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
    return {"apiKey": API_KEY, "baseUrl": address}
