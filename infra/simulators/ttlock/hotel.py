"""What a simulated hotel consists of when it is loaded: applications, accounts, gateways, locks."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from infra.simulators.ttlock.features import ROOM_LOCK

KABUL_MS = 16_200_000
ROOMS = (101, 102, 203, 204)


class Plan(BaseModel):
    """Strict and frozen: a misspelt property is an error, not a default."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        hide_input_in_errors=True,
    )


class ApplicationPlan(Plan):
    """One registered application, with its limits; none means unlimited."""

    client_id: str
    client_secret: str = Field(repr=False)
    region: str = "eu"
    callback_url: str | None = None
    calls_per_minute: int | None = None
    calls_per_month: int | None = None


class AccountPlan(Plan):
    """One account of the vendor's app; the password is given in the clear, as a person would choose it."""

    username: str
    password: str = Field(repr=False)


class GatewayPlan(Plan):
    """One gateway and the locks within its reach."""

    gateway_id: int
    name: str
    locks: tuple[int, ...] = ()
    online: bool = True
    version: Literal[1, 2, 3, 4] = 2
    admin: str = "owner"


class LockPlan(Plan):
    """One lock as it hangs on its door."""

    lock_id: int
    alias: str
    admin: str = "owner"
    feature_value: str = ROOM_LOCK
    timezone_raw_offset: int = KABUL_MS
    battery: Annotated[int, Field(ge=0, le=100)] = 90
    skew_seconds: float = 0
    in_reach: bool = True


class HotelPlan(Plan):
    """Everything that is there before the first call."""

    region: str = "eu"
    hour_grid: Literal["lock", "utc"] = "lock"
    applications: tuple[ApplicationPlan, ...]
    accounts: tuple[AccountPlan, ...]
    gateways: tuple[GatewayPlan, ...] = ()
    locks: tuple[LockPlan, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        _unique("lockId", [lock.lock_id for lock in self.locks])
        _unique("gatewayId", [gateway.gateway_id for gateway in self.gateways])
        _unique("clientId", [application.client_id for application in self.applications])
        people, locks = {account.username for account in self.accounts}, {lock.lock_id for lock in self.locks}
        admins = [gateway.admin for gateway in self.gateways] + [lock.admin for lock in self.locks]
        for admin in admins:
            _known("admin", admin, people)
        for lock_id in (lock_id for gateway in self.gateways for lock_id in gateway.locks):
            _known("a gateway's lock", lock_id, locks)
        return self


def _unique(name: str, values: Sequence[object]) -> None:
    if len(set(values)) != len(values):
        raise ValueError(f"{name} occurs twice")


def _known(name: str, value: object, known: set[str] | set[int]) -> None:
    if value not in known:
        raise ValueError(f"{name} {value} is not declared")


def sample_hotel() -> HotelPlan:
    """Return the guesthouse of the embedded cloud's sample data: four rooms, and a front door."""
    locks = [LockPlan(lock_id=1_000_000 + room, alias=f"Room {room}") for room in ROOMS]
    front = LockPlan(lock_id=1_000_001, alias="Front door")
    first, second = (1_000_001, 1_000_101, 1_000_102), (1_000_203, 1_000_204)
    return HotelPlan(
        applications=(ApplicationPlan(client_id="sim-client", client_secret="sim-secret"),),  # noqa: S106 - a fake's
        accounts=(AccountPlan(username="owner", password="sim-password"),),  # noqa: S106 - a fake's
        gateways=(
            GatewayPlan(gateway_id=501, name="First floor", locks=first),
            GatewayPlan(gateway_id=502, name="Second floor", locks=second),
        ),
        locks=(*locks, front),
    )
