"""A session of an operator at one machine: opened by a sign-in, bound to that machine, closed with a reason.

| it ends                                                   | because of         |
|-----------------------------------------------------------|--------------------|
| when its operator signs out, or signs in here once more   | `sign_out`         |
| 12 h after it was used last, 24 h after it began          | `expired`          |
| when identity revokes it, or stops its operator           | `revoked`          |
| when its operator signs in at what is this machine by name| `device_replaced`  |
| and another by its fingerprint                            |                    |
| when the machine's program is too old                     | `version_upgrade`  |

Its secret is known to the machine alone: what is kept is a digest. Decision 0111.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, SessionId, UserId
from shared.domain.instants import Moment, milliseconds
from shared.domain.permissions import Role
from shared.domain.stored import Stored
from shared.kernel.identity import Unauthenticated
from shared.ledger.indexes import OPEN_OF
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record
from shared.streams.telling import DUE_AT

SESSIONS: Final = "backoffice_sessions"
IDLE, LONGEST = timedelta(hours=12), timedelta(hours=24)
KEPT_FOR: Final = timedelta(days=30)
SECRET_BYTES: Final = 32
TOUCHED_EVERY: Final = timedelta(minutes=5)
NOT_PROVEN: Final = "the session is not one of this person's at this machine, or is over: sign in again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How much was done in a session."""

    activity: int = 0
    lock_proxies: int = 0
    mutations: int = 0

    def plus(self, *, lock: bool = False, mutation: bool = False) -> "Done":
        """Return it with one thing more."""
        return Done(
            activity=self.activity + 1,
            lock_proxies=self.lock_proxies + lock,
            mutations=self.mutations + mutation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Record):
    """One session, open or closed. Address and fingerprint are kept as hashes only."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = (DUE_AT, "open_of")

    id: SessionId
    operator: UserId
    device: DesktopDeviceId
    roles: tuple[Role, ...]
    properties: tuple[PropertyId, ...]
    primary: PropertyId
    locale: str
    app_version: str
    app_platform: str
    fingerprint: str
    secret: str = field(repr=False)
    opened_at: Moment
    seen_at: Moment
    done: Done = Done()
    cursor: str | None = None
    cursor_at: Moment | None = None
    closed_at: Moment | None = None
    reason: Annotated[str | None, Stored(omitted=True)] = None

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(SESSIONS, self.id)

    @property
    def ends_at(self) -> datetime:
        """When it is over if nobody uses it before."""
        return min(self.seen_at + IDLE, self.opened_at + LONGEST)

    def is_open(self, now: datetime) -> bool:
        """Say whether it counts."""
        return self.closed_at is None and now < self.ends_at

    def indexed(self) -> Mapping[str, object]:
        """Return what only indexes read: nothing of a closed one."""
        if self.closed_at is not None:
            return {}
        return {DUE_AT: milliseconds(self.ends_at), "open_of": self.operator}

    @property
    def kept_until(self) -> datetime | None:
        """When a closed one goes."""
        return None if self.closed_at is None else self.closed_at + KEPT_FOR

    def used(self, now: datetime, **news: object) -> Self:
        """Return it, used just now."""
        return replace(self, seen_at=max(now, self.seen_at), **news)  # type: ignore[arg-type]  # fields of ours

    def ended(self, reason: str, now: datetime) -> Self:
        """Return it, closed: no later than it would have expired by itself."""
        return replace(self, closed_at=min(max(now, self.opened_at), self.ends_at), reason=reason)


def session_from(found: Document) -> Session:
    """Read a session."""
    return read_record(Session, found)


def new_secret(token: bytes) -> tuple[str, str]:
    """Return a session's secret as the machine keeps it, and what is kept of it here."""
    text = base64.urlsafe_b64encode(token).decode().rstrip("=")
    return text, _digest(text)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


async def proven(text: str, operator: UserId, device: str, store: TenantDocuments, now: datetime) -> Session:
    """Return the session that a machine names, or refuse it: alike whether it is unknown, foreign or over."""
    name, _, secret = text.partition(".")
    try:
        ref = Ref(SESSIONS, SessionId(name))
    except InvalidInput:
        raise Unauthenticated(NOT_PROVEN) from None
    found = await store.get(ref)
    session = None if found is None else session_from(found)
    known = "0" * 64 if session is None else session.secret
    matches = hmac.compare_digest(known, _digest(secret))
    if session is None or not matches or not session.is_open(now):
        raise Unauthenticated(NOT_PROVEN)
    if (session.operator, session.device) != (operator, device):
        raise Unauthenticated(NOT_PROVEN)
    return session


async def open_sessions(operator: UserId, store: TenantDocuments) -> list[Session]:
    """Return an operator's sessions that nobody has closed."""
    return [session_from(each) for each in await store.query(OPEN_OF, {"open_of": operator}, limit=200)]
