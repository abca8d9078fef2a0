"""A vendor's access token: sealed at rest, refreshed by one at a time among all instances, shared by all."""

import base64
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

import orjson

from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, TenantDocuments, Update
from shared.ports.vault import Cipher, SealBroken, SealContext
from shared.vendor_kit.turns import Turns

COLLECTION: Final = "vendor_tokens"
SCHEMA_VERSION: Final = 1
SPARE: Final = timedelta(minutes=5)
"""A token this near its end is not begun with."""
KEPT_FOR: Final = timedelta(days=30)
"""For so long after its end a token is kept, for what renews it: those of accounts that left go then."""


@dataclass(frozen=True, slots=True)
class VendorToken:
    """What proves to a vendor that we may call, and what gets the next one."""

    access: Secret[str]
    refresh: Secret[str] | None
    expires_at: datetime


Grants = Callable[[VendorToken | None], Awaitable[VendorToken]]
"""Gets a new token from the vendor: by refreshing the old one if there is one, else by logging in."""


class TokenStore:
    """Keeps one account's token, sealed for the vendor's own adapter."""

    def __init__(self, documents: TenantDocuments, cipher: Cipher, vendor: str, account: str) -> None:
        self._documents, self._cipher = documents, cipher
        self.ref = Ref(COLLECTION, f"{vendor}-{account}")
        self._context = SealContext(f"vendor-ref-{vendor}", documents.tenant, str(self.ref), "token")

    async def read(self) -> tuple[VendorToken | None, Document | None]:
        """Return the token and the document it is in; one that cannot be read is as good as none."""
        found = await self._documents.get(self.ref)
        if found is None:
            return None, None
        with contextlib.suppress(SealBroken, KeyError, TypeError, ValueError):
            return _token(await self._cipher.open(self._context, _bytes(found))), found
        return None, found

    async def keep(self, token: VendorToken, over: Document | None, fence: int) -> bool:
        """Keep a token in place of what was read; return whether that was still there."""
        sealed = base64.b64encode(await self._cipher.seal(self._context, _raw(token))).decode()
        data = {"schema_version": SCHEMA_VERSION, "fence": fence, "sealed": sealed}
        until = token.expires_at + KEPT_FOR
        write = Create(self.ref, data, until) if over is None else Update(self.ref, data, over.version, until)
        with contextlib.suppress(AlreadyExists, StaleVersion):
            await self._documents.commit([write])
            return True
        return False


class Unremembered:
    """A store that keeps nothing: an account on trial proves itself, and not by the token of another."""

    def tenant(self, tenant: TenantId) -> "NothingKept":
        """Return what is kept of a tenant: nothing."""
        return NothingKept(tenant)


@dataclass(frozen=True, slots=True)
class NothingKept:
    """The documents of a tenant of whom nothing is kept."""

    tenant: TenantId

    async def get(self, _ref: Ref) -> None:
        """Find nothing."""

    async def commit(self, writes: Sequence[object]) -> tuple[str, ...]:
        """Keep nothing."""
        return ("",) * len(writes)


class Tokens(Protocol):
    """Hands out an access token."""

    async def current(self, refused: Secret[str] | None = None) -> Secret[str]:
        """Return a token, and another one than the vendor refused."""


class TokenCache:
    """One account's token, in memory while it lasts."""

    def __init__(self, store: TokenStore, turns: Turns, clock: Clock, grants: Grants) -> None:
        self._store, self._turns, self._clock, self._grants = store, turns, clock, grants
        self._known: VendorToken | None = None

    async def current(self, refused: Secret[str] | None = None) -> Secret[str]:
        """Return a token, and another one than the vendor refused."""
        if not self._good(self._known, refused):
            self._known = (await self._store.read())[0]
        if self._known is None or not self._good(self._known, refused):
            self._known = await self._renewed(refused)
        return self._known.access

    async def _renewed(self, refused: Secret[str] | None) -> VendorToken:
        async with self._turns.take(f"token:{self._store.ref.id}", "token-cache") as turn:
            standing, document = await self._store.read()
            if standing is not None and self._good(standing, refused):
                return standing
            fresh = await self._grants(standing)
            await self._store.keep(fresh, document, turn.lease.fence)
            return fresh

    def _good(self, token: VendorToken | None, refused: Secret[str] | None) -> bool:
        lasting = token is not None and token.expires_at - self._clock.now() > SPARE
        return lasting and (refused is None or token is None or token.access != refused)


class ApiKeys:
    """Keys that a vendor gave and nobody renews: the one in use, and perhaps the next, while they overlap."""

    def __init__(self, keys: Sequence[Secret[str]]) -> None:
        self._keys, self._using = keys, 0

    async def current(self, refused: Secret[str] | None = None) -> Secret[str]:
        """Return the key in use; once it is refused, the next, if there is one."""
        if refused is not None and refused == self._keys[self._using]:
            self._using = (self._using + 1) % len(self._keys)
        return self._keys[self._using]


def _raw(token: VendorToken) -> Secret[bytes]:
    fields = {
        "access": token.access.reveal(),
        "refresh": None if token.refresh is None else token.refresh.reveal(),
        "expires_at": instant_to_text(token.expires_at),
    }
    return Secret(orjson.dumps(fields))


def _token(raw: Secret[bytes]) -> VendorToken:
    fields = orjson.loads(raw.reveal())
    refresh = None if fields["refresh"] is None else read_text(fields["refresh"])
    expires_at = instant_from_text(fields["expires_at"], "expires_at")
    return VendorToken(read_text(fields["access"]), refresh, expires_at)


def read_text(value: object) -> Secret[str]:
    """Return a token if this is one: a text, and not an empty one."""
    if not isinstance(value, str) or not value:
        raise ValueError("not a token")
    return Secret(value)


def _bytes(document: Document) -> bytes:
    return base64.b64decode(document.data["sealed"])
