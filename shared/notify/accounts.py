"""A tenant's accounts at its messengers: read from its secrets, and no more than is needed."""

import base64
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
_POP_ENCRYPTED: Final = 995
_SMPP_ENCRYPTED: Final = 3550
_LONGEST_LOCAL: Final = 16
"""With a notice and its code behind it, what stands before an @ has 64 letters (RFC 5321)."""
_SHORTEST_KEY: Final = 16


@dataclass(frozen=True, slots=True)
class MailboxAccount:
    """Where mail that came back is read."""

    host: str
    port: int
    user: str
    password: Secret[str]

    @property
    def here(self) -> bool:
        """Say whether the mailbox is on this machine, where nobody listens in."""
        return self.host in LOOPBACK


@dataclass(frozen=True, slots=True)
class Bounces:
    """Where letters come back to, and by which key that is proven; a mailbox, unless mail is handed to us."""

    address: str
    key: Secret[bytes]
    mailbox: MailboxAccount | None = None


@dataclass(frozen=True, slots=True)
class MailAccount:
    """A mail server, and the address that letters come from."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: Secret[str] = field(default_factory=lambda: Secret(""))
    bounces: Bounces | None = None

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
class SmppAccount:
    """An account at an operator's own SMS centre."""

    host: str
    port: int
    user: str
    password: Secret[str]
    sender: str
    payload: bool = False
    """Whether the centre wants long messages whole, and cuts them itself."""

    @property
    def here(self) -> bool:
        """Say whether the centre is on this machine, where nobody listens in."""
        return self.host in LOOPBACK


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
    return await fields_of(account_name(channel, tenant), secrets)


async def fields_of(name: str, secrets: Secrets) -> Mapping[str, Any] | None:
    """Return what is kept under a secret's name; None where nothing is."""
    try:
        kept = (await secrets.latest(name)).value
    except SecretMissing:
        return None
    try:
        fields = orjson.loads(kept.reveal())
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise InvalidInput("account", "not a JSON object", "Keep it as infra/docs/guest-accounts.md says")
    return fields


def mail_account(fields: Mapping[str, Any]) -> MailAccount:
    """Read an account at a mail server."""
    port = fields.get("port", _SUBMISSION)
    if not isinstance(port, int):
        raise InvalidInput("port", "not a number", "Give 587 or 465")
    host, sender, user = _text(fields, "host"), _address(fields, "from"), str(fields.get("user", ""))
    password = Secret(str(fields.get("password", "")))
    return MailAccount(host, port, sender, user, password, bounces_of(fields))


def bounces_of(fields: Mapping[str, Any]) -> Bounces | None:
    """Read where a mail account's letters come back to; None where nobody said."""
    said = fields.get("bounces")
    if said is None:
        return None
    if not isinstance(said, dict):
        raise InvalidInput("bounces", "not a JSON object", "Give address and key, and the mailbox's host")
    address = _address(said, "address")
    if len(address.partition("@")[0]) > _LONGEST_LOCAL:
        raise InvalidInput("address", "too long before its @", f"Give {_LONGEST_LOCAL} letters at most")
    return Bounces(address, _key(said), _mailbox(said) if "host" in said else None)


def _key(said: Mapping[str, Any]) -> Secret[bytes]:
    try:
        key = base64.b64decode(_text(said, "key"), validate=True)
    except ValueError:
        key = b""
    if len(key) < _SHORTEST_KEY:
        raise InvalidInput("key", "no key of 16 bytes", "Draw one: openssl rand -base64 32")
    return Secret(key)


def _mailbox(said: Mapping[str, Any]) -> MailboxAccount:
    port, password = said.get("port", _POP_ENCRYPTED), Secret(_text(said, "password"))
    if not isinstance(port, int):
        raise InvalidInput("port", "not a number", "Give 995")
    user = _text(said, "user")
    if any(each in user + password.reveal() for each in "\r\n"):
        raise InvalidInput("user", "a line's end in it", "Give user and password as they are typed")
    return MailboxAccount(_text(said, "host"), port, user, password)


def _address(fields: Mapping[str, Any], name: str) -> str:
    said = _text(fields, name)
    if "@" not in said or any(each in said for each in "\r\n<> "):
        raise InvalidInput(name, "no address", "Give an address such as keys@hotel.example")
    return said


def sms_account(fields: Mapping[str, Any]) -> SmsAccount:
    """Read an account at an SMS provider."""
    address = checked_address(_text(fields, "baseUrl"))
    return SmsAccount(
        address, _text(fields, "account"), Secret(_text(fields, "token")), _text(fields, "from")
    )


def speaks_smpp(fields: Mapping[str, Any]) -> bool:
    """Say whether an account of SMS is one at a centre."""
    return fields.get("protocol") == "smpp"


def smpp_account(fields: Mapping[str, Any]) -> SmppAccount:
    """Read an account at an SMS centre that speaks SMPP 3.4."""
    port, sender = fields.get("port", _SMPP_ENCRYPTED), _text(fields, "from")
    if not isinstance(port, int):
        raise InvalidInput("port", "not a number", "Give 3550")
    user, password = _text(fields, "systemId"), _text(fields, "password")
    if not all(each.isascii() and each.isprintable() for each in (user, password, sender)):
        raise InvalidInput("systemId", "letters that SMPP has not", "Give systemId, password, from in ASCII")
    host, payload = _text(fields, "host"), fields.get("longMessages") == "payload"
    return SmppAccount(host, port, user, Secret(password), sender, payload)


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
