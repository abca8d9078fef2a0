"""A property's account at TTLock, as it is stored under `lock-ttlock-<tenant>-<property>-api`."""

import re
from dataclasses import dataclass
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.vendor_kit.accounts import account_field, account_fields, digest, monthly_calls
from shared.vendor_kit.http import checked_address

EUROPE: Final = "https://euapi.ttlock.com"
DOMAIN: Final = "ttlock.com"
_MD5: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Account:
    """An application of the Open Platform, and the app account that the locks belong to."""

    client_id: Secret[str]
    client_secret: Secret[str]
    username: Secret[str]
    password_md5: Secret[str]
    base_url: str = EUROPE
    calls_per_month: int | None = None
    """What the application may call in a month of Beijing, as the vendor's console says it."""

    @property
    def name(self) -> str:
        """What this account is called among ours; it tells nothing about it."""
        return digest(self.base_url, self.client_id.reveal(), self.username.reveal())

    @property
    def application(self) -> str:
        """What its application is called, likewise: the vendor counts calls by it."""
        return digest(self.base_url, self.client_id.reveal())

    def login(self) -> dict[str, str]:
        """Return what proves who we are: the app account's name, and its password's digest."""
        return {"username": self.username.reveal(), "password": self.password_md5.reveal()}


def read_account(stored: Secret[bytes]) -> Account:
    """Read a stored account; a complaint names the field and never its value."""
    fields = account_fields(stored)
    password = account_field(fields, "passwordMd5")
    if not _MD5.fullmatch(password.reveal()):
        remedy = "Store the lower-case hex MD5 of the app account's password"
        raise InvalidInput("account.passwordMd5", "not an MD5", remedy)
    address = checked_address(str(fields.get("baseUrl", EUROPE)), DOMAIN)
    id_, secret, username = (account_field(fields, name) for name in ("clientId", "clientSecret", "username"))
    return Account(id_, secret, username, password, address, monthly_calls(fields))
