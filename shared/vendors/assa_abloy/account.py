"""A property's account at Assa Abloy, as it is stored under `lock-assa-abloy-<tenant>-<property>-api`."""

from dataclasses import dataclass
from typing import Final

from shared.domain.secret import Secret
from shared.vendor_kit.accounts import account_field, account_fields, digest
from shared.vendor_kit.http import checked_address

DOMAIN: Final = "vostio.assaabloy.com"


@dataclass(frozen=True, slots=True)
class Account:
    """A client of one environment of Vostio."""

    client_id: Secret[str]
    client_secret: Secret[str]
    environment: str
    base_url: str

    @property
    def name(self) -> str:
        """What this account is called among ours; it tells nothing about it."""
        return digest(self.base_url, self.environment, self.client_id.reveal())

    @property
    def application(self) -> str:
        """What its environment is called, likewise: the vendor counts calls by it."""
        return digest(self.base_url, self.environment)

    def login(self) -> dict[str, str]:
        """Return what proves who we are, and to which environment."""
        proof = {"client_id": self.client_id.reveal(), "client_secret": self.client_secret.reveal()}
        return {**proof, "grant_type": "client_credentials", "audience": self.environment}


def read_account(stored: Secret[bytes]) -> Account:
    """Read a stored account; a complaint names the field and never its value."""
    fields = account_fields(stored)
    client_id, secret, environment, address = (
        account_field(fields, name) for name in ("clientId", "clientSecret", "environment", "baseUrl")
    )
    return Account(client_id, secret, environment.reveal(), checked_address(address.reveal(), DOMAIN))
