"""A browser at the console: opened by a person's token, known by a cookie, over by itself.

The cookie holds the tenant, the session's name and its secret; a digest is kept. What the person may do is
worked out anew with each page, from the roles that their token proved, unless they are stopped meanwhile.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.instants import Moment, instant_from_text, instant_to_text
from shared.domain.permissions import Principal, Role, RoleAttributes, held_by_roles
from shared.kernel.identity import Unauthenticated
from shared.ledger.reading import read_record
from shared.ports.documents import Create, Delete, DocumentStore, Ref, StaleVersion, TenantDocuments, Update
from shared.streams.record import Record

CONSOLES, ENDINGS = "console_sessions", "console_endings"
IDLE, LONGEST = timedelta(hours=12), timedelta(hours=24)
TOUCHED_EVERY: Final = timedelta(minutes=5)
SECRET_BYTES: Final = 32
NAME_BYTES: Final = 16
SIGN_IN: Final = "sign in at the console"
NEVER: Final = datetime.min.replace(tzinfo=UTC)
_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Looker(Record):
    """Somebody who was proven: who, as what and where."""

    user: UserId
    roles: tuple[Role, ...]
    properties: tuple[PropertyId, ...]
    everywhere: bool
    signed_in_at: Moment | None = None

    def principal(self, tenant: TenantId, attributes: RoleAttributes) -> Principal:
        """Return whom the pages judge."""
        return Principal(
            id=self.user,
            tenant=tenant,
            permissions=held_by_roles(self.roles, attributes),
            properties=None if self.everywhere else frozenset(self.properties),
            roles=frozenset(self.roles),
            signed_in_at=self.signed_in_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSession(Looker):
    """Who looks, by which cookie and since when."""

    schema_version: ClassVar[int] = 1

    name: str
    secret: str = field(repr=False)
    opened_at: Moment
    seen_at: Moment

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(CONSOLES, self.name)

    @property
    def ends_at(self) -> datetime:
        """When it is over if nobody looks before."""
        return min(self.seen_at + IDLE, self.opened_at + LONGEST)

    @property
    def kept_until(self) -> datetime:
        """When it goes: with its end."""
        return self.ends_at


@dataclass(frozen=True, slots=True)
class Consoles:
    """The console sessions of all tenants."""

    documents: DocumentStore

    async def open(self, who: Principal, token: bytes, now: datetime) -> str:
        """Open a session for a proven person, and return its cookie; `token` is chance for its parts."""
        store = self.documents.tenant(who.tenant)
        looker = looker_of(who)
        if who.signed_in_at is not None and who.signed_in_at <= await ended_until(looker["user"], store):
            raise Unauthenticated("that sign-in was ended, or was for other roles")
        # A document's name begins with a letter or a digit: as text for an address, one in 32 would not.
        name, secret = token[:NAME_BYTES].hex(), text_of(token[NAME_BYTES:])
        session = ConsoleSession(**looker, name=name, secret=digest_of(secret), opened_at=now, seen_at=now)
        await store.commit([session.write()])
        return f"{who.tenant}.{name}.{secret}"

    async def proven(self, cookie: str, now: datetime) -> tuple[TenantId, ConsoleSession]:
        """Return the session of a cookie, or refuse it: alike whether it is unknown, altered or over."""
        parts = cookie.split(".")
        if len(parts) != _PARTS:
            raise Unauthenticated(SIGN_IN)
        try:
            store = self.documents.tenant(TenantId(parts[0]))
            found = await store.get(Ref(CONSOLES, parts[1]))
        except InvalidInput:
            raise Unauthenticated(SIGN_IN) from None
        if found is None:
            raise Unauthenticated(SIGN_IN)
        session = read_record(ConsoleSession, found)
        if not hmac.compare_digest(session.secret, digest_of(parts[2])) or now >= session.ends_at:
            raise Unauthenticated(SIGN_IN)
        if session.opened_at <= await ended_until(session.user, store):
            raise Unauthenticated(SIGN_IN)
        if now >= session.seen_at + TOUCHED_EVERY:
            await self._touch(replace(session, seen_at=now), store.tenant)
        return store.tenant, session

    async def _touch(self, session: ConsoleSession, tenant: TenantId) -> None:
        try:
            await self.documents.tenant(tenant).note([session.write()])
        except StaleVersion:
            return  # another page of the same browser did so just now

    async def close(self, tenant: TenantId, session: ConsoleSession) -> None:
        """End a session; one that is gone is over already."""
        try:
            await self.documents.tenant(tenant).commit([Delete(session.ref, session.version or "")])
        except StaleVersion:
            found = await self.documents.tenant(tenant).get(session.ref)
            if found is not None:
                await self.documents.tenant(tenant).commit([Delete(found.ref, found.version)])


async def ended_until(user: UserId, store: TenantDocuments) -> datetime:
    """Return until when what a person had opened is over, by the word of whoever signs people in."""
    found = await store.get(Ref(ENDINGS, user))
    return NEVER if found is None else instant_from_text(found.data["at"], "at")


async def ending(user: UserId, at: datetime, store: TenantDocuments) -> Create | Update:
    """Return what ends every console that a person opened until an instant, however late it is heard of."""
    ref, last = Ref(ENDINGS, user), max(at, await ended_until(user, store))
    found = await store.get(ref)
    before = {} if found is None else found.data
    data, until = {**before, "schema_version": 1, "at": instant_to_text(last)}, last + LONGEST
    return Create(ref, data, until) if found is None else Update(ref, data, found.version, until)


def looker_of(who: Principal) -> dict[str, Any]:
    """Return what is kept of a proven person; a program looks at nothing."""
    if not isinstance(who.id, UserId):
        raise Unauthenticated("a program has no console")
    return {
        "user": who.id,
        "roles": tuple(sorted(who.roles)),
        "properties": tuple(sorted(who.properties or ())),
        "everywhere": who.properties is None,
        "signed_in_at": who.signed_in_at,
    }


def text_of(raw: bytes) -> str:
    """Return chance as it may stand in a cookie or an address."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def digest_of(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
