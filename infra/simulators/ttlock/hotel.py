"""What a simulated TTLock hotel consists of: applications, accounts, gateways, locks and what they can do."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from infra.simulators.kit.plan import DoorPlan, Plan, refuse_twins, refuse_unknown

KABUL_MS = 16_200_000
CLIENT_SECRET, PASSWORD = "sim-secret", "sim-password"
ROOMS = (101, 102, 203, 204)
PASSCODE, CARD, FREEZE, CYCLIC, HOTEL_CARD, QR_CODE = 0, 1, 11, 12, 19, 44
_MANAGES_PASSCODES, _UNLOCKS_BY_GATEWAY = 7, 10
"""Bits of a lock's feature value, a hexadecimal number that says what it can do."""


def feature_value(*bits: int) -> str:
    """Return the value with these bits set."""
    return f"{sum(1 << bit for bit in bits):X}"


def has_feature(value: str, bit: int) -> bool:
    """Tell whether a bit is set."""
    return bool(int(value, 16) >> bit & 1)


ROOM_LOCK = feature_value(PASSCODE, CARD, _MANAGES_PASSCODES, _UNLOCKS_BY_GATEWAY, FREEZE, CYCLIC, HOTEL_CARD)
"""A keypad, a card reader, a gateway's command; no QR reader."""


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


class LockPlan(DoorPlan):
    """One lock as it hangs on its door."""

    lock_id: int
    alias: str
    admin: str = "owner"
    feature_value: str = ROOM_LOCK
    timezone_raw_offset: int = KABUL_MS


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
        refuse_twins("lockId", [lock.lock_id for lock in self.locks])
        refuse_twins("gatewayId", [gateway.gateway_id for gateway in self.gateways])
        refuse_twins("clientId", [application.client_id for application in self.applications])
        people, locks = {account.username for account in self.accounts}, {lock.lock_id for lock in self.locks}
        admins = [gateway.admin for gateway in self.gateways] + [lock.admin for lock in self.locks]
        for admin in admins:
            refuse_unknown("admin", admin, people)
        for lock_id in (lock_id for gateway in self.gateways for lock_id in gateway.locks):
            refuse_unknown("a gateway's lock", lock_id, locks)
        return self


def sample_hotel() -> HotelPlan:
    """Return the guesthouse of the embedded cloud's sample data: four rooms, and a front door."""
    locks = [LockPlan(lock_id=1_000_000 + room, alias=f"Room {room}") for room in ROOMS]
    front = LockPlan(lock_id=1_000_001, alias="Front door")
    first, second = (1_000_001, 1_000_101, 1_000_102), (1_000_203, 1_000_204)
    return HotelPlan(
        applications=(ApplicationPlan(client_id="sim-client", client_secret=CLIENT_SECRET),),
        accounts=(AccountPlan(username="owner", password=PASSWORD),),
        gateways=(
            GatewayPlan(gateway_id=501, name="First floor", locks=first),
            GatewayPlan(gateway_id=502, name="Second floor", locks=second),
        ),
        locks=(*locks, front),
    )


def hotel_of(locks: Sequence[int]) -> HotelPlan:
    """Return a hotel of these locks with a gateway each, and the sample's account."""
    gateways = [GatewayPlan(gateway_id=n, name=f"Gateway {n}", locks=(lock,)) for n, lock in enumerate(locks)]
    doors = tuple(LockPlan(lock_id=lock, alias=f"Room {lock}") for lock in locks)
    return sample_hotel().model_copy(update={"gateways": tuple(gateways), "locks": doors})
