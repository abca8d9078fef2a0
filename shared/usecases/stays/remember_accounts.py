"""Where a vendor sends a key on a phone is taken out of the confirmation, sealed for its adapter alone.

A phone's key is sent to an account of the guest's: their mail, or their phone where the vendor takes no other
(`RECEIVER` in its capabilities). Only vendors at whose locks the guest may get such a key are told, and none
is told who it is.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from shared.domain.ids import ReservationId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.keywork.services import retry_on_conflict
from shared.ledger.guest_contacts import Contact, GuestContacts
from shared.ledger.hotel_directory import HotelDirectory, HotelSetup
from shared.ledger.stay import Recency
from shared.ports.ambient import Clock
from shared.ports.vault import Cipher
from shared.usecases.stays.remember_contact import contact_of, kept_until
from shared.vendor_kit.registry import receiver_of, unenforced_kinds

PHONE = KeyCredentialKind.MOBILE_APP


async def remember_accounts(event: Any, hotels: HotelDirectory, cipher: Cipher, clock: Clock) -> int:
    """Keep where a guest's keys on phones are sent; return for how many vendors one was kept."""
    data, contact = event.data, contact_of(event.data.guest)
    ends = kept_until(data.valid_until, clock.now())
    if ends is None or (contact.email or contact.phone) is None:
        return 0
    store = await hotels.admit(event.tenant_id)
    premises = await hotels.premises(event.tenant_id, data.property_id)
    standing, stay, kept = Recency(data.version, event.time), ReservationId(data.reservation_id), 0
    for vendor in _vendors(premises):
        if (account := _account(vendor, contact)) is not None:
            keep = GuestContacts(store, cipher, vendor).keep
            kept += await retry_on_conflict(partial(keep, stay, account, ends, standing))
    return kept


def _vendors(premises: HotelSetup) -> Iterator[VendorCode]:
    """Yield the vendors at whose locks a guest may get a key on a phone."""
    for vendor in sorted({each.vendor for each in premises.devices if each.capabilities.mobile_key}):
        if PHONE in premises.policy.kinds_for(vendor, unenforced_kinds(vendor)):
            yield vendor


def _account(vendor: VendorCode, contact: Contact) -> Contact | None:
    """Return what a vendor is told of a guest, and no more."""
    if receiver_of(vendor) == "phone":
        return None if contact.phone is None else Contact(phone=contact.phone)
    return Contact(email=contact.email) if contact.email is not None else Contact(phone=contact.phone)
