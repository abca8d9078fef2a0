"""Keys of service accounts: drawn by us, shown once, kept as a digest, compared in constant time."""

import base64
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from shared.domain.ids import IntegratorId, TenantId
from shared.domain.permissions import Principal, held_by_key
from shared.domain.sign_in import Integrator
from shared.kernel.identity import Unauthenticated

BEGINS: Final = "kfk."
SECRET_BYTES: Final = 32
_LONGEST: Final = 256


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as its bearer shows it: `kfk.<tenant>.<service account>.<secret>`."""

    tenant: TenantId
    integrator: IntegratorId
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """The key, to be shown once."""
        return f"{BEGINS}{self.tenant}.{self.integrator}.{self.secret}"

    @property
    def digest(self) -> str:
        """What is kept of it: 256 drawn bits need no slower one."""
        return hashlib.sha256(self.secret.encode()).hexdigest()


def draw_key(tenant: TenantId, integrator: IntegratorId, token: Callable[[int], bytes]) -> ApiKey:
    """Draw a new key for a service account."""
    secret = base64.urlsafe_b64encode(token(SECRET_BYTES)).rstrip(b"=").decode()
    return ApiKey(tenant, integrator, secret)


def read_key(text: str) -> ApiKey:
    """Take a key apart, or raise Unauthenticated; it is still to be compared."""
    parts = text.removeprefix(BEGINS).split(".") if len(text) <= _LONGEST else []
    try:
        tenant, integrator, secret = parts
        return ApiKey(TenantId(tenant), IntegratorId(integrator), secret)
    except ValueError:
        raise Unauthenticated("the key is not one of ours") from None


def proven_by(key: ApiKey, kept: Integrator | None, now: datetime) -> Principal:
    """Return whose key it is, or raise Unauthenticated: unknown, wrong, stopped and expired look alike."""
    digests = kept.digests if kept is not None else ("",)
    matches = [hmac.compare_digest(key.digest.encode(), each.encode()) for each in digests]
    if kept is None or not any(matches) or not kept.is_live(now):
        raise Unauthenticated("the key is not one of ours")
    where = None if kept.everywhere else frozenset(kept.properties)
    return Principal(kept.id, key.tenant, held_by_key(kept.permissions), where)
