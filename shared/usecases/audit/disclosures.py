"""Who was shown what: noted before it is shown, told as an event, and so an entry of the log itself.

It stands in `dsar_log` as well, where what guests asked of us about themselves can be looked up: under their
aliases, for such a list must not become a list of names.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.domain.ids import EventId, IntegratorId, UserId
from shared.domain.instants import instant_to_text, milliseconds
from shared.events.compose import Stamp, compose
from shared.events.door_access import AuditExportedV1
from shared.events.outbox import Aggregate, AuditFacts, OutboxRow
from shared.ports.bus import EventBus
from shared.ports.documents import Create, Ref, TenantDocuments
from shared.streams.telling import DUE_AT, row_write, tell
from shared.usecases.audit.questions import DOOR, GUEST, STAFF, STAY, Asked
from shared.usecases.audit.services import AuditServices

LOG: Final = "dsar_log"
EXPORT: Final = "exp_"
_ABOUT: Final = {
    STAY: "reservation_id",
    GUEST: "guest_id",
    DOOR: "property_id",
    STAFF: "staff_user_id",
}


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What somebody was shown, or was refused: about whom or what, by whom, and why."""

    asked: Asked
    by: UserId | IntegratorId
    what: str
    outcome: str
    alias: str | None = None


async def note(disclosure: Disclosure, on: AuditServices) -> str:
    """Note what is about to be shown, in the log's outbox and in the list, and tell it; return its id."""
    documents, now = on.documents.tenant(disclosure.asked.tenant), on.now
    name = EXPORT + on.ids.ulid()
    row = _row(name, disclosure, now, on)
    await documents.commit([Create(Ref(LOG, name), _document(disclosure, now)), row_write(row)])
    await tell_disclosure(name, documents, on.bus)
    return name


async def note_request(disclosure: Disclosure, on: AuditServices) -> str:
    """Note what a guest asked and what became of it, where nothing left us."""
    documents, now = on.documents.tenant(disclosure.asked.tenant), on.now
    name = EXPORT + on.ids.ulid()
    told = {**_document(disclosure, now), "announced": 1}
    del told[DUE_AT]
    await documents.commit([Create(Ref(LOG, name), told)])
    return name


async def tell_disclosure(name: str, documents: TenantDocuments, bus: EventBus) -> bool:
    """Tell a disclosure that nobody is known to have told."""
    return await tell(Ref(LOG, name), name, documents, bus)


def _document(disclosure: Disclosure, now: datetime) -> dict[str, Any]:
    asked = disclosure.asked
    return {
        "schema_version": 1,
        "at": instant_to_text(now),
        "what": disclosure.what,
        "kind": asked.kind,
        # Of a guest the alias alone: this list is kept when the guest is forgotten.
        "about": disclosure.alias if asked.kind == GUEST else asked.about,
        "by": disclosure.by,
        "outcome": disclosure.outcome,
        "sequence": 1,
        "announced": 0,
        DUE_AT: milliseconds(now),
    }


def _row(name: str, disclosure: Disclosure, now: datetime, on: AuditServices) -> OutboxRow:
    asked = disclosure.asked
    about = {_ABOUT[asked.kind]: asked.about}
    payload = AuditExportedV1(export_id=name, kind=asked.kind, since=asked.since, exported_at=now, **about)
    token = on.entropy.token(24).hex()
    stamp = Stamp(
        id=str(EventId.mint(on.ids.ulid())),
        tenant_id=asked.tenant,
        time=now,
        trace_id=f"00-{token[:32]}-{token[32:]}-01",
        correlation_id=name,
    )
    facts = AuditFacts("exported", now, stamp.trace_id, operator_id=disclosure.by, reason=disclosure.what)
    return OutboxRow.following(Aggregate(asked.tenant, name), compose(payload, stamp), facts)
