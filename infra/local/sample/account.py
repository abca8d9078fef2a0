"""The sample hotel's account at TTLock, which is the simulator's, and where the simulator listens."""

import hashlib
from typing import Final

import orjson

from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing, Secrets

CLIENT: Final = {"clientId": "sim-client", "clientSecret": "sim-secret", "username": "owner"}
PASSWORD: Final = "sim-password"  # noqa: S105 - a fake's, which opens simulated doors only


def simulator_port(fleet_port: int) -> int:
    """Return where the TTLock simulator listens unless it is told otherwise: next to the fleet."""
    return fleet_port + 1


def simulator_address(port: int) -> str:
    """Return the address of a simulator; it never leaves the machine."""
    return f"http://127.0.0.1:{port}"


def sample_account(address: str) -> Secret[bytes]:
    """Return the account as the adapter reads it."""
    password = hashlib.md5(PASSWORD.encode(), usedforsecurity=False).hexdigest()
    return Secret(orjson.dumps({**CLIENT, "passwordMd5": password, "baseUrl": address}))


async def open_account(secrets: Secrets, name: str, address: str) -> None:
    """Keep the sample account, unless the newest that is kept says the same already."""
    account = sample_account(address)
    if await _newest(secrets, name) != account:
        await secrets.add(name, account)


async def _newest(secrets: Secrets, name: str) -> Secret[bytes] | None:
    try:
        return (await secrets.latest(name)).value
    except SecretMissing:
        return None
