"""A property's account at Assa Abloy, as it is stored under `lock-assa-abloy-<tenant>-<property>-api`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.vendor_kit.accounts import account_field, account_fields, digest
from shared.vendor_kit.http import checked_address

VOSTIO, VISIONLINE = "vostio", "visionline"
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    VOSTIO: ("clientId", "clientSecret", "environment"),
    VISIONLINE: ("username", "password"),
}
"""What an account of each dialect proves itself with; the first field names it."""
DOMAINS: Final[Mapping[str, str]] = {VOSTIO: "vostio.assaabloy.com", VISIONLINE: ""}
"""Whose hosts the password may travel to; a hotel's own server may have any name."""
SENT_AS: Final = {"clientId": "client_id", "clientSecret": "client_secret", "environment": "audience"}


@dataclass(frozen=True, slots=True)
class Account:
    """A client of one environment of Vostio, or an operator of one hotel's Visionline."""

    dialect: str
    base_url: str
    proof: Mapping[str, Secret[str]] = field(repr=False)

    @property
    def name(self) -> str:
        """What this account is called among ours; it tells nothing about it."""
        return digest(self.application, self.proof[FIELDS[self.dialect][0]].reveal())

    @property
    def application(self) -> str:
        """What its environment or server is called, likewise: calls are counted by it."""
        environment = self.proof.get("environment", Secret(""))
        return digest(self.base_url, environment.reveal())

    def login(self) -> dict[str, str]:
        """Return what proves who we are."""
        told = {SENT_AS.get(name, name): secret.reveal() for name, secret in self.proof.items()}
        return {**told, "grant_type": "client_credentials"} if self.dialect == VOSTIO else told


def read_account(stored: Secret[bytes]) -> Account:
    """Read a stored account; a complaint names the field and never its value."""
    fields = account_fields(stored)
    dialect = str(fields.get("dialect", VOSTIO))
    if dialect not in FIELDS:
        raise InvalidInput("account.dialect", "not a dialect", f"Give {' or '.join(FIELDS)}")
    proof = {name: account_field(fields, name) for name in FIELDS[dialect]}
    address = checked_address(account_field(fields, "baseUrl").reveal(), DOMAINS[dialect])
    return Account(dialect, address, proof)
