"""What a guest may ask of us, and a regulator (A §17.4): export, erasure, and holds on it.

| asked | of the audit log | of contacts |
|---|---|---|
| export | every entry that is about the guest, with proofs | stays, keys, attempts, messages |
| erasure | refused by the carve-out; behind the window the guest's key is destroyed | at once, for good |
| hold | the key is kept beyond the window, as long as anybody holds it | nothing |

Whatever was asked is noted under the guest's alias.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import GuestId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.events.subject import Retention
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_contacts import GuestContacts
from shared.ledger.guest_devices import GuestDevices
from shared.ledger.indexes import REQUESTS, STAYS_OF, SUBJECTS_DUE
from shared.ledger.reservation import Reservation, reservation_from
from shared.ports.documents import AlreadyExists, Create, Document, Ref, TenantDocuments, Update
from shared.usecases.audit.books import Book
from shared.usecases.audit.disclosures import Disclosure, note, note_request
from shared.usecases.audit.forgetting import streams_of
from shared.usecases.audit.guests import SUBJECTS, GuestKeys
from shared.usecases.audit.packs import WantPack, shown
from shared.usecases.audit.phone_accounts import forget_accounts
from shared.usecases.audit.questions import GUEST, Asked, documents_of, find
from shared.usecases.audit.reader import reader_of
from shared.usecases.audit.services import LEAST_DAYS, RETENTION, AuditServices
from shared.vendor_kit.registry import installed_vendors

CARVE_OUT: Final = (
    "records of who could open which door are kept for the legal window, for safety and compliance "
    "(A §17.4); when it is over, they are pseudonymised"
)
LATER: Final = timedelta(days=30)
"""When to look again at a guest whom somebody holds."""
EXPIRIES: Final = "audit_expiries"
MOST_REVIEWED: Final = 200


@dataclass(frozen=True, slots=True)
class GuestRequest:
    """What is asked of us about one guest, and by whom of staff it was taken."""

    tenant: TenantId
    guest: GuestId
    by: UserId
    reason: str = "asked"
    language: str = "en"

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the request."""
        reason = str(body.get("reason") or "asked")
        if not (reason.isascii() and reason.replace("_", "").isalnum() and len(reason) <= 64):
            raise InvalidInput("reason", "no code", "say it in one word, such as police_request")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            GuestId.parse(body.get("guest"), "guest"),
            UserId.parse(body.get("by"), "by"),
            reason,
            str(body.get("language") or "en"),
        )

    @property
    def asked(self) -> Asked:
        """The request as a question to the log."""
        return Asked(self.tenant, GUEST, self.guest)


async def export_guest(request: GuestRequest, on: AuditServices) -> dict[str, Any]:
    """Return what the log knows of a guest: entries, proofs, and a page; it is noted that they were shown."""
    log = await reader_of(request.tenant, on)
    found = await find(request.asked, log, on.documents.tenant(request.tenant))
    alias = await _alias(request, on)
    export = await note(Disclosure(request.asked, request.by, "export", "shown", alias), on)
    wish = WantPack(request.asked, request.by, request.language)
    return {"export": export, **await shown(found, wish, log, on)}


async def erase_guest(request: GuestRequest, on: AuditServices) -> dict[str, Any]:
    """Destroy what may go, refuse what has to stay, and say until when and why."""
    alias = await _alias(request, on)
    until = None if alias is None else await _kept_until(alias, request.tenant, on)
    gone, phones = await _forget_contacts(request.guest, request.tenant, on)
    outcome = "nothing_kept" if until is None else "refused_by_carve_out"
    asked = await note_request(Disclosure(request.asked, request.by, "erasure", outcome, alias), on)
    audit = {"erased": until is None, "kept_until": until, "because": None if until is None else CARVE_OUT}
    return {"request": asked, "audit": audit, "contacts_erased": gone, "accounts_kept": phones}


async def _forget_contacts(
    guest: str, tenant: TenantId, on: AuditServices
) -> tuple[int, list[dict[str, Any]]]:
    """Destroy how a guest can be reached, at each of their stays; return at how many that was known.

    And of which keys on phones it is kept for a while.

    That it was wanted is kept as long as a contact is: a confirmation that is heard again brings none back.
    """
    documents, sealed = on.documents.tenant(tenant), on.sealed.tenant(tenant)
    contacts, devices = GuestContacts(documents, on.cipher), GuestDevices(documents, on.cipher)
    accounts = [GuestContacts(documents, on.cipher, vendor) for vendor in installed_vendors()]

    async def forget(of: Reservation, ends: datetime) -> bool:
        await devices.forget(of.id)
        for each in accounts:
            await each.erase(of.id, ends, of.standing)
        return await contacts.erase(of.id, ends, of.standing)

    gone, phones = 0, list[dict[str, Any]]()
    async for found in documents_of(STAYS_OF, {"guest_id": guest}, documents):
        stay = reservation_from(found)
        if stay.stay is not None:
            gone += await retry_on_conflict(partial(forget, stay, stay.stay.end))
        phones += await retry_on_conflict(partial(forget_accounts, stay, documents, sealed))
    return gone, phones


async def hold(request: GuestRequest, on: AuditServices) -> dict[str, Any]:
    """Keep a guest's key for somebody, beyond any window."""
    at = {"reason": request.reason, "by": request.by, "at": instant_to_text(on.now)}
    return await _holding(request, lambda holds: [*holds, at], "hold", on)


async def release(request: GuestRequest, on: AuditServices) -> dict[str, Any]:
    """Take a reason to hold a guest's key away."""
    return await _holding(
        request, lambda holds: [each for each in holds if each["reason"] != request.reason], "release", on
    )


async def requests(tenant: TenantId, on: AuditServices) -> dict[str, Any]:
    """Return what guests asked of us, and who was shown what of the log."""
    documents = await on.admitted(tenant)
    names = ("at", "what", "kind", "about", "by", "outcome")
    found = [each async for each in documents_of(REQUESTS, {}, documents)]
    return {"requests": [{"id": each.ref.id, **{name: each.data[name] for name in names}} for each in found]}


async def keep_for(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Have a tenant's audit kept for longer than the law asks; never for less."""
    tenant, days = TenantId.parse(body.get("tenant"), "tenant"), body.get("days")
    if not isinstance(days, int) or not LEAST_DAYS <= days <= 36_525:
        raise InvalidInput("days", f"not from {LEAST_DAYS} to 36525", "seven years are the least")
    documents = await on.admitted(tenant)
    found = await documents.get(RETENTION)
    data = {**({} if found is None else found.data), "schema_version": 1, "days": days}
    write = Create(RETENTION, data) if found is None else Update(RETENTION, data, found.version)
    await documents.commit([write])
    return {"tenant": tenant, "days": days}


async def review_guests(book: Book) -> int:
    """Look at guests whose window may be over: those it is for are forgotten once the log says so."""
    on, documents = book.on, book.on.documents.tenant(book.tenant)
    today = on.now.date()
    due = await documents.query(SUBJECTS_DUE, {}, until=today.isoformat(), limit=MOST_REVIEWED)
    return sum([await _reviewed(each, today, documents, await on.kept_for(book.tenant)) for each in due])


async def _reviewed(subject: Document, today: date, documents: TenantDocuments, kept_for: timedelta) -> bool:
    alias = subject.ref.id
    last, entries = await _last_entry(alias, documents)
    over = last is None or last + kept_for <= today
    if over and not subject.data["holds"]:
        at = {"at": today.isoformat(), "first": min(entries, default=0), "count": len(entries)}
        expiry = {"schema_version": 1, **at, "policy": Retention.REGULATED.value}
        try:
            await documents.commit([Create(Ref(EXPIRIES, alias), expiry), _again(subject, today + LATER)])
        except AlreadyExists:
            await documents.commit([_again(subject, today + LATER)])
        return True
    review = today + LATER if over or last is None else last + kept_for
    await documents.commit([_again(subject, review)])
    return False


def _again(subject: Document, review: date) -> Update:
    return Update(subject.ref, {**subject.data, "review": review.isoformat()}, subject.version)


async def _last_entry(alias: str, documents: TenantDocuments) -> tuple[date | None, list[int]]:
    records = [each async for each in streams_of(alias, documents)]
    last = max((each.head.date for each in records), default=None)
    entries = [index for each in records for index in each.entries]
    return None if last is None else datetime.fromisoformat(last).date(), entries


async def _kept_until(alias: str, tenant: TenantId, on: AuditServices) -> str | None:
    last, _ = await _last_entry(alias, on.documents.tenant(tenant))
    return None if last is None else (last + await on.kept_for(tenant)).isoformat()


async def _alias(request: GuestRequest, on: AuditServices) -> str | None:
    documents = await on.admitted(request.tenant)
    keys = GuestKeys(request.tenant, documents, on.sealed.tenant(request.tenant), on.cipher)
    subject = await keys.of(request.guest)
    return None if subject is None else subject.alias


async def _holding(request: GuestRequest, change: Any, what: str, on: AuditServices) -> dict[str, Any]:
    documents, alias = await on.admitted(request.tenant), await _alias(request, on)
    found = None if alias is None else await documents.get(Ref(SUBJECTS, alias))
    if found is None:
        raise InvalidInput("guest", "not in the log", "look at the id: forgotten guests cannot be held")
    holds = change(found.data["holds"])
    await documents.commit([Update(found.ref, {**found.data, "holds": holds}, found.version)])
    disclosure = Disclosure(request.asked, request.by, what, request.reason, alias)
    return {"request": await note_request(disclosure, on), "holds": [each["reason"] for each in holds]}


DOINGS: Final = {"export": export_guest, "erase": erase_guest, "hold": hold, "release": release}


async def answer(body: Mapping[str, Any], on: AuditServices) -> dict[str, Any]:
    """Do what is asked about a guest, a tenant's retention, or the list of requests."""
    wanted = str(body.get("do"))
    if wanted == "list":
        return await requests(TenantId.parse(body.get("tenant"), "tenant"), on)
    if wanted == "keep":
        return await keep_for(body, on)
    if wanted not in DOINGS:
        raise InvalidInput("do", "not among what can be done", f"say {', '.join(DOINGS)}, keep or list")
    return await DOINGS[wanted](GuestRequest.of(body), on)
