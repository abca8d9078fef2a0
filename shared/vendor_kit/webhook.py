"""What vendors' webhooks have in common: a proof that a vendor sent it, and a notice without any secret.

| a vendor that | proves itself by | is believed |
|---|---|---|
| signs | a Standard Webhooks signature over id, time and body | what it tells of an attempt |
| does not | 128 random bits in the address that it was given | that something happened: the rest is asked |

Nothing is parsed before it is proven, and a notice holds nothing that opens a door: of what was typed or held
to a reader, a receiver keeps nothing, and of a key only the name that we gave it. Decision 0106.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.instants import instant
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.vendor_kit.accounts import account_secret

MOST_HINTS: Final = 200
LONGEST_NAME: Final = 64
_LOCK: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z._:-]{0,63}")
_OURS: Final = re.compile(r"MM-[0-9a-f]{12}")
REMEDY: Final = "Send what the vendor's documentation of its callbacks says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A request as it came to a receiver, of a property that it names; all of it is a stranger's word."""

    tenant: TenantId
    property_id: PropertyId
    token: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """That something happened at a lock, at a time of the lock's own clock.

    A vendor that signs is believed more: `event` is its name for an attempt, `opened` what came of it, `name`
    the key's, where we gave it, `refused` why it did not open.
    """

    lock: str
    at: datetime
    event: str | None = None
    opened: bool | None = None
    name: str | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a webhook says: `event_id` is the vendor's own, or follows from all that may be kept of it.

    Nothing here says when it was sent or came: sent again, it is the same notice.
    """

    type: str
    event_id: str
    hints: tuple[Hint, ...] = ()

    @property
    def newest(self) -> datetime:
        """When the last of what it tells happened; the beginning of time where it dates nothing."""
        return max((hint.at for hint in self.hints), default=instant(0))


class HookReader(Protocol):
    """How one vendor's webhooks are proven and read; sans I/O."""

    @property
    def signed(self) -> bool:
        """Whether what it tells may be believed as it stands."""

    @property
    def answer(self) -> bytes:
        """What the vendor wants to hear when it was heard."""

    def proven(self, hook: Delivered, secrets: Sequence[Secret[bytes]], now: datetime) -> bool:
        """Say whether the vendor sent this, by any of the secrets that count now, in constant time."""

    def read(self, hook: Delivered, now: datetime) -> Notice:
        """Return what a proven request says, or refuse it as InvalidInput."""


def webhook_secret(vendor: VendorCode, tenant: TenantId, property_id: PropertyId) -> str:
    """Return the name of the secret by which a vendor proves itself for one property."""
    return f"{account_secret(vendor, tenant, property_id).removesuffix('-api')}-webhook"


def token_proven(token: str, secrets: Sequence[Secret[bytes]]) -> bool:
    """Say whether an address bears one of these secrets; every one is compared, whichever it is."""
    given = hashlib.sha256(token.encode()).digest()
    found = [hmac.compare_digest(given, hashlib.sha256(each.reveal().strip()).digest()) for each in secrets]
    return any(found)


def lock_named(value: object) -> str:
    """Return a lock as its vendor names it, a number or a short text, or refuse it."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not _LOCK.fullmatch(text):
        raise InvalidInput("lock", "not a lock's name", REMEDY)
    return text


def name_kept(value: object) -> str | None:
    """Return a key's name if we gave it: what people call theirs may name a guest."""
    return value if isinstance(value, str) and _OURS.fullmatch(value) else None
