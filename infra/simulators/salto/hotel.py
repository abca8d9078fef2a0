"""What a simulated Salto hotel consists of: API keys, a connector, doors with and without a line."""

from pydantic import Field

from infra.simulators.kit.named_doors import NamedDoorPlan, NamedDoorsPlan
from infra.simulators.kit.plan import Plan

API_KEY = "sim-api-key"


class ApiKeyPlan(Plan):
    """An API key, and when it was issued, in seconds of the epoch; without that it does not age."""

    key: str = Field(default=API_KEY, repr=False)
    issued: int | None = None


class LockPlan(NamedDoorPlan):
    """One lock as it hangs on its door; one without a line learns only from what is held to it."""

    online: bool = True


class HotelPlan(NamedDoorsPlan):
    """Everything that is there before the first call."""

    api_keys: tuple[ApiKeyPlan, ...] = (ApiKeyPlan(),)
    locks: tuple[LockPlan, ...] = ()


def account_at(address: str) -> dict[str, str]:
    """Return the sample's account at an address, as it is stored for an adapter."""
    return {"apiKey": API_KEY, "baseUrl": address}
