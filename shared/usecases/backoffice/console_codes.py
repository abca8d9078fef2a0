"""A code that opens the console once: made for a proven person, good for five minutes, spent by a form.

It stands in an address, where a browser's history or a scanner may find it: opening that spends nothing. A
digest is kept, and goes with the first who gives the code: of two at once, one is let in.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import Moment
from shared.domain.permissions import Principal
from shared.kernel.identity import Unauthenticated
from shared.ledger.reading import read_record
from shared.ports.documents import Delete, DocumentStore, Ref, StaleVersion
from shared.usecases.backoffice.console_sessions import Looker, digest_of, ended_until, looker_of, text_of

CODES: Final = "console_codes"
GOOD_FOR: Final = timedelta(minutes=5)
CODE_BYTES: Final = 24
NOBODYS: Final = "not a code that anybody was given"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleCode(Looker):
    """Who may open the console by it."""

    schema_version: ClassVar[int] = 1

    digest: str
    made_at: Moment

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(CODES, self.digest)

    @property
    def kept_until(self) -> datetime:
        """When it goes, if nobody spends it."""
        return self.made_at + GOOD_FOR


async def make_code(who: Principal, chance: bytes, documents: DocumentStore, now: datetime) -> str:
    """Keep a code for a proven person, and return it: it is shown once."""
    secret = text_of(chance)
    kept = ConsoleCode(**looker_of(who), digest=digest_of(secret), made_at=now)
    await documents.tenant(who.tenant).commit([kept.write()])
    return f"{who.tenant}.{secret}"


async def spend_code(code: str, documents: DocumentStore, now: datetime) -> tuple[TenantId, ConsoleCode]:
    """Return whose code it is, and have it open nothing more; refuse it alike, whatever is wrong."""
    tenant, _, secret = code.partition(".")
    try:
        store = documents.tenant(TenantId(tenant))
    except InvalidInput:
        raise Unauthenticated(NOBODYS) from None
    found = await store.get(Ref(CODES, digest_of(secret)))
    if found is None:
        raise Unauthenticated(NOBODYS)
    kept = read_record(ConsoleCode, found)
    if now >= kept.kept_until or kept.made_at <= await ended_until(kept.user, store):
        raise Unauthenticated(NOBODYS)
    try:
        await store.commit([Delete(found.ref, found.version)])
    except StaleVersion:
        raise Unauthenticated(NOBODYS) from None
    return store.tenant, kept
