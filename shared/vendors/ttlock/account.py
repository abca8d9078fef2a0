"""A property's account at TTLock, as it is stored under `lock-ttlock-<tenant>-<property>-api`."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
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

    @property
    def name(self) -> str:
        """What this account is called among ours; it tells nothing about it."""
        return _digest(self.base_url, self.client_id.reveal(), self.username.reveal())

    @property
    def application(self) -> str:
        """What its application is called, likewise: the vendor counts calls by it."""
        return _digest(self.base_url, self.client_id.reveal())


def read_account(stored: Secret[bytes]) -> Account:
    """Read a stored account; a complaint names the field and never its value."""
    try:
        fields = orjson.loads(stored.reveal())
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise InvalidInput("account", "not a JSON object", "Store the account as the runbook shows")
    password = _field(fields, "passwordMd5")
    if not _MD5.fullmatch(password.reveal()):
        remedy = "Store the lower-case hex MD5 of the app account's password"
        raise InvalidInput("account.passwordMd5", "not an MD5", remedy)
    address = checked_address(str(fields.get("baseUrl", EUROPE)), DOMAIN)
    id_, secret, username = (_field(fields, name) for name in ("clientId", "clientSecret", "username"))
    return Account(id_, secret, username, password, address)


def _digest(*identity: str) -> str:
    return hashlib.sha256("|".join(identity).encode()).hexdigest()[:16]


def _field(fields: dict[str, object], name: str) -> Secret[str]:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"account.{name}", "missing", "Store the account as the runbook shows")
    return Secret(value)
