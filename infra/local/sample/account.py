"""The sample hotel's account at whoever made its locks, which is the simulator's, and where that listens."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import orjson

from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing, Secrets
from shared.vendor_kit.accounts import account_secret

if TYPE_CHECKING:
    from infra.local.sample.load import SampleHotel

BEHIND: Final = 5
"""So many ports behind the sample's simulator the first of the wings' listens, behind the catchers too."""


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


def wing_addresses(simulator: int) -> dict[str, str]:
    """Return where each further vendor is simulated: behind the sample's own and the catchers."""
    from infra.local.sample.load import sample_vendor
    from infra.simulators.registry import simulated_vendors

    others = [each for each in simulated_vendors() if each != sample_vendor()]
    return {each: simulator_address(simulator + BEHIND + number) for number, each in enumerate(others)}


async def open_account(secrets: Secrets, hotel: "SampleHotel", address: str) -> None:
    """Keep a hotel's account at its simulator, unless the newest that is kept says the same already."""
    account = sample_account(hotel.vendor(), address)
    await _keep(secrets, hotel, hotel.vendor(), account)


async def open_wings(secrets: Secrets, wings: "SampleHotel", addresses: Mapping[str, str]) -> None:
    """Keep a hotel's account at each vendor of its wings; of a desk's cards, how they are asked for."""
    for vendor in wings.vendors():
        at = addresses.get(vendor)
        account = desk_account(vendor) if at is None else sample_account(vendor, at)
        await _keep(secrets, wings, vendor, account)


def desk_account(vendor: str) -> Secret[bytes]:
    """Return the account of cards that a desk writes: there is nobody to have one at but the lock system."""
    from shared.vendor_kit.registry import dialects_of

    first = next(iter(dialects_of(VendorCode(vendor))))
    return Secret(orjson.dumps({"dialect": first}))


async def open_desk_account(secrets: Secrets, hotel: "SampleHotel") -> None:
    """Keep the account of a hotel whose cards its own desk writes: there is nobody to have one at."""
    await _keep(secrets, hotel, hotel.vendor(), Secret(b"{}"))


async def _keep(secrets: Secrets, hotel: "SampleHotel", vendor: str, account: Secret[bytes]) -> None:
    name = account_secret(VendorCode(vendor), hotel.tenant.id, hotel.property.id)
    if await _newest(secrets, name) != account:
        await secrets.add(name, account)


async def _newest(secrets: Secrets, name: str) -> Secret[bytes] | None:
    try:
        return (await secrets.latest(name)).value
    except SecretMissing:
        return None
