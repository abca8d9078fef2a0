"""A guest's contact is taken out of the confirmation, beside the keys' own path, and kept sealed."""

from datetime import datetime, timedelta
from typing import Any, Final

from pydantic import SecretStr

from shared.domain.ids import ReservationId
from shared.domain.secret import Secret
from shared.events.reservation import Guest
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_contacts import KEPT_AFTER_STAY, Contact, GuestContacts
from shared.ledger.stay import Recency
from shared.ports.ambient import Clock
from shared.ports.documents import TenantDocuments
from shared.ports.vault import Cipher

LONGEST_STAY: Final = timedelta(days=3650)
"""Nobody's contact is kept for longer than it takes to notice that a year was misspelt."""


async def remember_contact(event: Any, documents: TenantDocuments, cipher: Cipher, clock: Clock) -> bool:
    """Keep how the guest of a confirmed stay can be reached; return whether there was something to keep."""
    data, contact = event.data, contact_of(event.data.guest)
    ends = kept_until(data.valid_until, clock.now())
    if not contact.known or ends is None:
        return False
    standing = Recency(data.version, event.time)
    contacts, stay = GuestContacts(documents, cipher), ReservationId(data.reservation_id)
    return await retry_on_conflict(lambda: contacts.keep(stay, contact, ends, standing))


def kept_until(end: datetime | None, now: datetime) -> datetime | None:
    """Return the end of a stay whose contact is kept; None where it is long over, or nobody said when."""
    return None if end is None or end <= now - KEPT_AFTER_STAY else min(end, now + LONGEST_STAY)


async def prolong_contact(event: Any, documents: TenantDocuments, cipher: Cipher, clock: Clock) -> bool:
    """Keep a contact for as long as its stay lasts now; return whether that changed anything."""
    if event.data.valid_until is None:
        return False
    ends = min(event.data.valid_until, clock.now() + LONGEST_STAY)
    contacts, stay = GuestContacts(documents, cipher), ReservationId(event.data.reservation_id)
    return await retry_on_conflict(lambda: contacts.prolong(stay, ends))


def contact_of(guest: Guest) -> Contact:
    """Return what an event says of its guest, in our own words."""
    contact = guest.contact
    return Contact(
        name=_kept(guest.display_name),
        email=_kept(contact.email if contact else None),
        phone=_kept(contact.phone_e164 if contact else None),
        locale=guest.locale,
    )


def _kept(value: SecretStr | None) -> Secret[str] | None:
    said = value.get_secret_value().strip() if value is not None else ""
    return Secret(said) if said else None
