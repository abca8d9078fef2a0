"""The sample hotel's account at whoever made its locks, which is the simulator's, and where that listens."""

from typing import TYPE_CHECKING

import orjson

from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing, Secrets
from shared.vendor_kit.accounts import account_secret

if TYPE_CHECKING:
    from infra.local.sample.load import SampleHotel


def simulator_port(fleet_port: int) -> int:
    """Return where the simulator listens unless it is told otherwise: next to the fleet."""
    return fleet_port + 1


def simulator_address(port: int) -> str:
    """Return the address of a simulator; it never leaves the machine."""
    return f"http://127.0.0.1:{port}"


def sample_account(vendor: str, address: str) -> Secret[bytes]:
    """Return the account that a vendor's simulator opens, as the vendor's adapter reads it."""
    from infra.simulators.registry import simulated_vendor

    return Secret(orjson.dumps(simulated_vendor(vendor).account(address)))


async def open_account(secrets: Secrets, hotel: "SampleHotel", address: str) -> None:
    """Keep a hotel's account at its simulator, unless the newest that is kept says the same already."""
    account = sample_account(hotel.vendor(), address)
    await _keep(secrets, hotel, account)


async def open_desk_account(secrets: Secrets, hotel: "SampleHotel") -> None:
    """Keep the account of a hotel whose cards its own desk writes: there is nobody to have one at."""
    await _keep(secrets, hotel, Secret(b"{}"))


async def _keep(secrets: Secrets, hotel: "SampleHotel", account: Secret[bytes]) -> None:
    name = account_secret(hotel.vendor(), hotel.tenant.id, hotel.property.id)
    if await _newest(secrets, name) != account:
        await secrets.add(name, account)


async def _newest(secrets: Secrets, name: str) -> Secret[bytes] | None:
    try:
        return (await secrets.latest(name)).value
    except SecretMissing:
        return None
