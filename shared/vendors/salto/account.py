"""A property's account at Salto, as it is stored under `lock-salto-<tenant>-<property>-api`."""

from dataclasses import dataclass, field
from typing import Final

from shared.domain.secret import Secret
from shared.vendor_kit.accounts import account_field, account_fields, digest
from shared.vendor_kit.http import checked_address

DOMAIN: Final = "saltosystems.com"


@dataclass(frozen=True, slots=True)
class Account:
    """The API keys of a property: the one in use, and perhaps the next, while they overlap."""

    keys: tuple[Secret[str], ...] = field(repr=False)
    base_url: str

    @property
    def name(self) -> str:
        """What this account is called among ours; it tells nothing about it."""
        return digest(self.base_url, self.keys[0].reveal())

    @property
    def application(self) -> str:
        """What the hotel's installation is called, likewise."""
        return digest(self.base_url)


def read_account(stored: Secret[bytes]) -> Account:
    """Read a stored account; a complaint names the field and never its value."""
    fields = account_fields(stored)
    keys = [account_field(fields, "apiKey")]
    if "nextApiKey" in fields:
        keys.append(account_field(fields, "nextApiKey"))
    return Account(tuple(keys), checked_address(account_field(fields, "baseUrl").reveal(), DOMAIN))
