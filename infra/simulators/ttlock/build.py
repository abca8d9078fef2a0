"""Making TTLock's cloud from a plan."""

from datetime import timedelta
from hashlib import md5
from random import Random

from infra.simulators.kit.cloud import instruments
from infra.simulators.kit.quota import Meter, QuotaRules
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.door import Door
from infra.simulators.ttlock.hotel import (
    AccountPlan,
    ApplicationPlan,
    GatewayPlan,
    HotelPlan,
    LockPlan,
    sample_hotel,
)
from infra.simulators.ttlock.rows import Account, Application, Lock, LockSecrets

BEIJING = timedelta(hours=8)
QUOTA = QuotaRules(too_many_a_minute=30006, too_many_a_month=30007, clock=BEIJING)


def build_cloud(world: SimWorld, plan: HotelPlan, seed: int) -> Cloud:
    """Return a cloud in which nothing has happened yet."""
    own = instruments(world, plan, seed)
    cloud = Cloud(**own, code_secret=own["chance"].randbytes(16).hex())
    for application in plan.applications:
        _register(cloud, application)
    for account in plan.accounts:
        open_account(cloud, account.username, md5_of(account))
    for gateway in plan.gateways:
        _plug_in(cloud, gateway)
    for lock in plan.locks:
        _mount(cloud, lock)
    return cloud


def open_account(cloud: Cloud, username: str, password_md5: str) -> Account:
    """Add an account."""
    account = Account(username, cloud.next_id(), password_md5)
    cloud.accounts[username] = account
    return account


def account_at(address: str) -> dict[str, str]:
    """Return the sample's account at an address, as it is stored for an adapter."""
    plan = sample_hotel()
    (application,), (owner,) = plan.applications, plan.accounts
    return {
        "clientId": application.client_id,
        "clientSecret": application.client_secret,
        "username": owner.username,
        "passwordMd5": md5_of(owner),
        "baseUrl": address,
    }


def md5_of(account: AccountPlan) -> str:
    """Return an account's password as the wire has it."""
    return md5_hex(account.password)


def md5_hex(password: str) -> str:
    """Return a password's MD5 in lower case, which the vendor takes for a secret."""
    return md5(password.encode(), usedforsecurity=False).hexdigest()


def _register(cloud: Cloud, plan: ApplicationPlan) -> None:
    cloud.applications[plan.client_id] = Application(plan.client_id, plan.client_secret, plan.region)
    cloud.hooks[plan.client_id] = plan.callback_url
    cloud.meters[plan.client_id] = Meter(QUOTA, plan.calls_per_minute, plan.calls_per_month)


def _plug_in(cloud: Cloud, plan: GatewayPlan) -> None:
    cloud.gateways[plan.gateway_id] = Gateway(
        gateway_id=plan.gateway_id,
        name=plan.name,
        mac=_mac(cloud.chance),
        version=plan.version,
        admin=plan.admin,
        locks=plan.locks,
        online=plan.online,
    )


def _mount(cloud: Cloud, plan: LockPlan) -> None:
    mac = _mac(cloud.chance)
    cloud.locks[plan.lock_id] = Lock(
        lock_id=plan.lock_id,
        alias=plan.alias,
        name=f"S202_{mac[9:].replace(':', '').lower()}",
        mac=mac,
        admin=plan.admin,
        feature_value=plan.feature_value,
        offset_ms=plan.timezone_raw_offset,
        initialised_ms=cloud.now_ms(),
        heard_battery=plan.battery,
        secrets=_secrets(cloud.chance),
    )
    cloud.doors[plan.lock_id] = Door(
        lock_id=plan.lock_id, battery=plan.battery, skew_ms=plan.skew_ms, in_reach=plan.in_reach
    )


def _mac(chance: Random) -> str:
    return ":".join(f"{byte:02X}" for byte in chance.randbytes(6))


def _secrets(chance: Random) -> LockSecrets:
    return LockSecrets(
        admin_pwd=chance.randbytes(16).hex(),
        lock_key=chance.randbytes(16).hex(),
        aes_key=chance.randbytes(16).hex(","),
        no_key_pwd=f"{chance.randrange(10**7):07d}",
        lock_data=chance.randbytes(48).hex(),
    )
