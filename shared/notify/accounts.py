"""A tenant's accounts at its messengers: read from its secrets, and no more than is needed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.messages.kinds import Channel
from shared.ports.vault import SecretMissing, Secrets
from shared.vendor_kit.http import LOOPBACK, checked_address

_SUBMISSION: Final = 587
_WHOLE_LINE: Final = 465


@dataclass(frozen=True, slots=True)
class MailAccount:
    """A mail server, and the address that letters come from."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: Secret[str] = field(default_factory=lambda: Secret(""))

    @property
    def here(self) -> bool:
        """Say whether the server is on this machine, where nobody listens in."""
        return self.host in LOOPBACK

    @property
    def encrypted(self) -> bool:
        """Say whether the line is encrypted from its first byte."""
        return self.port == _WHOLE_LINE


@dataclass(frozen=True, slots=True)
class SmsAccount:
    """An account at a provider that speaks Twilio's API."""

    address: str
    account: str
    token: Secret[str]
    sender: str


@dataclass(frozen=True, slots=True)
class PushAccount:
    """A project of FCM, and the service account that may send for it."""

    address: str
    token_address: str
    project: str
    email: str
    key: Secret[str]


def account_name(channel: Channel, tenant: TenantId) -> str:
    """Return what a tenant's account at a messenger is called among secrets."""
    return f"notify-{channel.value}-{tenant}-api"


async def account_fields(channel: Channel, tenant: TenantId, secrets: Secrets) -> Mapping[str, Any] | None:
    """Return what is kept of an account; None where the tenant has none."""
    try:
        kept = (await secrets.latest(account_name(channel, tenant))).value
    except SecretMissing:
        return None
    try:
        fields = orjson.loads(kept.reveal())
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise InvalidInput("account", "not a JSON object", "Keep it as this channel's page says")
    return fields


def mail_account(fields: Mapping[str, Any]) -> MailAccount:
    """Read an account at a mail server."""
    port = fields.get("port", _SUBMISSION)
    if not isinstance(port, int):
        raise InvalidInput("port", "not a number", "Give 587 or 465")
    host, sender = _text(fields, "host"), _text(fields, "from")
    if "@" not in sender or any(each in sender for each in "\r\n<> "):
        raise InvalidInput("from", "no address", "Give an address such as keys@hotel.example")
    user = str(fields.get("user", ""))
    return MailAccount(host, port, sender, user, Secret(str(fields.get("password", ""))))


def sms_account(fields: Mapping[str, Any]) -> SmsAccount:
    """Read an account at an SMS provider."""
    address = checked_address(_text(fields, "baseUrl"))
    return SmsAccount(
        address, _text(fields, "account"), Secret(_text(fields, "token")), _text(fields, "from")
    )


def push_account(fields: Mapping[str, Any]) -> PushAccount:
    """Read an account at FCM: a service account's key, and where it is spent."""
    address = checked_address(str(fields.get("baseUrl", "https://fcm.googleapis.com")))
    tokens = checked_address(str(fields.get("tokenBaseUrl", "https://oauth2.googleapis.com")))
    key = Secret(_text(fields, "private_key"))
    return PushAccount(address, tokens, _text(fields, "project_id"), _text(fields, "client_email"), key)


def _text(fields: Mapping[str, Any], name: str) -> str:
    said = fields.get(name)
    if not isinstance(said, str) or not said.strip():
        raise InvalidInput(name, "missing", "Add it to the account")
    return said
