"""What a guest comes with: a link's token, spent once, and the session that spending it begins.

| secret | life | kept | opens |
|---|---|---|---|
| link token | one a channel and message, until the stay ends or it is spent | its SHA-256 | one sign-in |
| session | until the stay ends | its SHA-256, under its tenant | the keys of its stay, while they work |
| `tk_` handle | until it was redeemed once | its SHA-256 | one answer, to a service and a session |

A link names no tenant, so tokens are kept in the name of the cell; whatever they lead to is read under the
tenant that the token names.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Self

from shared.domain.documents import to_document
from shared.domain.ids import CredentialId, ReservationId, TenantId
from shared.domain.instants import Moment
from shared.domain.secret import Secret
from shared.domain.stored import UNSTORED, Json, Stored
from shared.ledger.admission import NOBODY
from shared.ledger.reading import read_stored
from shared.ports.ambient import Entropy
from shared.ports.documents import Create, DocumentStore, Ref, TenantDocuments, Update

GUEST_TOKENS: Final = "guest_tokens"
GUEST_SESSIONS: Final = "guest_sessions"
REDEEMED: Final = "redeemed_artifacts"
TOKEN_BYTES: Final = 16
PRINTED: Final = "print"
"""The channel of what is printed in a letter: the key's id in place of a token, which is no secret."""
MOST_WRONG: Final = 5
"""So often a guest may be wrong about the second fact; after that this link leads to the desk only."""
KEPT_AFTER: Final = timedelta(days=1)
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 22


def draw_token(entropy: Entropy) -> Secret[str]:
    """Draw 128 bits, written in 22 letters and digits: no mark that a mail program might leave out."""
    number, drawn = int.from_bytes(entropy.token(TOKEN_BYTES)), ""
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_DIGITS))
        drawn += _DIGITS[digit]
    return Secret(drawn)


def digest_of(secret: Secret[str]) -> str:
    """Return what is kept of a drawn secret: 128 drawn bits need no slower one."""
    return hashlib.sha256(secret.reveal().encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestToken:
    """One link that was sent: whose stay it leads to, and whether it was spent, by which session."""

    schema_version: ClassVar[int] = 1

    tenant: TenantId
    reservation: ReservationId
    credential: CredentialId
    channel: str
    expires: Moment
    spent: Annotated[Moment | None, Stored(omitted=True)] = None
    session: Annotated[str | None, Stored(omitted=True)] = None
    wrong: int = 0
    version: Annotated[str | None, UNSTORED] = None
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)

    def usable(self, now: datetime) -> bool:
        """Say whether it may lead anywhere still."""
        return now < self.expires and self.wrong < MOST_WRONG

    def spent_by(self, session: Secret[str], now: datetime) -> Self:
        """Return the token as it is once a session has spent it."""
        return replace(self, spent=now, session=digest_of(session))

    def guessed_wrong(self) -> Self:
        """Return the token as it is after a wrong second fact."""
        return replace(self, wrong=self.wrong + 1)


class GuestTokens:
    """Every link's token in the cell."""

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents.tenant(TenantId(NOBODY))

    async def keep(self, token: Secret[str], kept: GuestToken) -> None:
        """Keep a token that was just drawn."""
        ref = Ref(GUEST_TOKENS, digest_of(token))
        await self._documents.commit([Create(ref, to_document(kept), kept.expires + KEPT_AFTER)])

    async def find(self, token: Secret[str]) -> GuestToken | None:
        """Return what a token leads to, or None."""
        found = await self._documents.get(Ref(GUEST_TOKENS, digest_of(token)))
        return None if found is None else replace(read_stored(GuestToken, found), version=found.version)

    async def change(self, token: Secret[str], kept: GuestToken) -> None:
        """Keep what became of a token; StaleVersion if somebody else was first."""
        ref = Ref(GUEST_TOKENS, digest_of(token))
        write = Update(ref, to_document(kept), kept.version or "", kept.expires + KEPT_AFTER)
        await self._documents.commit([write])


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSession:
    """A guest who has shown whose stay it is, on one device."""

    schema_version: ClassVar[int] = 1

    reservation: ReservationId
    expires: Moment
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)


class GuestSessions:
    """One tenant's guests who have signed in."""

    def __init__(self, documents: TenantDocuments) -> None:
        self._documents = documents

    async def begin(self, session: Secret[str], kept: GuestSession) -> None:
        """Keep a session that was just drawn."""
        await self._documents.commit([Create(_session(session), to_document(kept), kept.expires)])

    async def of_stay(self, session: Secret[str] | None, stay: ReservationId, now: datetime) -> bool:
        """Say whether a session is of this stay, and goes on."""
        if session is None:
            return False
        found = await self._documents.get(_session(session))
        kept = None if found is None else read_stored(GuestSession, found)
        return kept is not None and kept.reservation == stay and now < kept.expires


def _session(session: Secret[str]) -> Ref:
    return Ref(GUEST_SESSIONS, digest_of(session))


@dataclass(frozen=True, slots=True, kw_only=True)
class Redeemed:
    """A handle that was redeemed: by which session and when."""

    schema_version: ClassVar[int] = 1

    session: str
    at: Moment
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)


def redeemed_at(handle: Secret[str]) -> Ref:
    """Return where it is kept that a handle was redeemed."""
    return Ref(REDEEMED, digest_of(handle))
