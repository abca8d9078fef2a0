"""What a simulated Assa Abloy hotel consists of: an environment in the vendor's cloud, phones, locks."""

from pydantic import Field

from infra.simulators.kit.named_doors import NamedDoorPlan, NamedDoorsPlan
from infra.simulators.kit.plan import Plan

CLIENT_ID, CLIENT_SECRET = "sim-client", "sim-secret"
OPERATOR, PASSWORD = "sim-operator", "sim-password"
PHONE = "guest@example.org"


class ClientPlan(Plan):
    """One client of one environment; the calls it may make are counted there."""

    client_id: str = CLIENT_ID
    client_secret: str = Field(default=CLIENT_SECRET, repr=False)
    next_secret: str | None = Field(default=None, repr=False)
    """Another secret that is good beside the first."""
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


class HotelPlan(NamedDoorsPlan):
    """Everything that is there before the first call."""

    client: ClientPlan = ClientPlan()
    operator: OperatorPlan = OperatorPlan()
    phones: tuple[str, ...] = Field(default=(PHONE,), repr=False)
    """The accounts of the vendor's app that are registered: nobody else can be sent a key."""
    maintenance: tuple[MaintenancePlan, ...] = ()
    locks: tuple[NamedDoorPlan, ...] = ()


def account_at(address: str) -> dict[str, str]:
    """Return the sample's account at an address, as it is stored for an adapter."""
    own = {"clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET, "environment": "sim"}
    return {**own, "baseUrl": address}


def operator_at(address: str) -> dict[str, str]:
    """Return the sample's account at the hotel's own server."""
    return {"dialect": "visionline", "username": OPERATOR, "password": PASSWORD, "baseUrl": address}
