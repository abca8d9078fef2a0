"""How a guest can be reached: sealed for whoever writes to guests, and gone sixty days after the stay."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final

import orjson

from shared.domain.documents import to_document
from shared.domain.ids import ReservationId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.domain.stored import UNSTORED, Json, Stored
from shared.ledger.reading import read_stored
from shared.ledger.stay import Recency
from shared.ports.documents import Create, Document, Ref, TenantDocuments, Update
from shared.ports.vault import Cipher, SealContext

GUEST_CONTACTS: Final = "guest_contacts"
PURPOSE: Final = "guest-contact"
GUEST_ACCOUNTS: Final = "guest_accounts"
KEPT_AFTER_STAY: Final = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Contact:
    """Who comes and how to reach them, as the booking said it; nothing of it is ever printed."""

    name: Secret[str] | None = None
    email: Secret[str] | None = None
    phone: Secret[str] | None = None
    locale: str | None = None

    @property
    def known(self) -> bool:
        """Say whether there is anything to keep."""
        return any(each is not None for each in (self.name, self.email, self.phone))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRecord:
    """What is stored of a contact: the sealed bytes, until when, and how new the event was that said it."""

    schema_version: ClassVar[int] = 1

    sealed: str
    ends: datetime
    standing: Annotated[Recency, Stored(flat=True)]
    erased: Annotated[bool, Stored(omitted=True)] = False
    """The guest wanted it forgotten: nothing that is told of this stay again is kept."""
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)


def account_purpose(vendor: VendorCode) -> str:
    """Return the purpose under which it is sealed where a vendor sends keys: its adapter alone opens it."""
    return f"guest-account-{vendor}"


class GuestContacts:
    """The contacts of one tenant's guests, one a stay; or of each what one vendor sends keys on phones to."""

    def __init__(self, documents: TenantDocuments, cipher: Cipher, vendor: VendorCode | None = None) -> None:
        self._documents, self._cipher, self._vendor = documents, cipher, vendor

    async def keep(
        self, reservation: ReservationId, contact: Contact, ends: datetime, standing: Recency
    ) -> bool:
        """Keep a contact unless a newer event said another; StaleVersion if somebody else was first."""
        found = await self._documents.get(self._ref(reservation))
        if found is not None and (_read(found).erased or not standing.after(_read(found).standing)):
            return False
        sealed = await self._cipher.seal(self._context(reservation), Secret(_plain(contact)))
        record = ContactRecord(sealed=base64.b64encode(sealed).decode(), ends=ends, standing=standing)
        await self._write(reservation, record, found)
        return True

    async def prolong(self, reservation: ReservationId, ends: datetime) -> bool:
        """Keep a contact until its stay's other end; whose it is need not be known for that."""
        found = await self._documents.get(self._ref(reservation))
        if found is None or _read(found).ends == ends:
            return False
        await self._write(reservation, replace(_read(found), ends=ends), found)
        return True

    async def erase(self, reservation: ReservationId, ends: datetime, standing: Recency) -> bool:
        """Destroy a contact, and keep that it is not to come back; return whether there was one."""
        found = await self._documents.get(self._ref(reservation))
        known = found is not None and not _read(found).erased
        if found is None or known:
            await self._write(
                reservation, ContactRecord(sealed="", ends=ends, standing=standing, erased=True), found
            )
        return known

    async def find(self, reservation: ReservationId) -> Contact | None:
        """Return how the guest of a stay can be reached, for whoever may open it; None where nobody knows."""
        found = await self._documents.get(self._ref(reservation))
        if found is None or _read(found).erased:
            return None
        sealed = base64.b64decode(_read(found).sealed)
        said = orjson.loads((await self._cipher.open(self._context(reservation), sealed)).reveal())
        kept = {name: Secret(said[name]) for name in ("name", "email", "phone") if said.get(name)}
        return Contact(**kept, locale=said.get("locale"))

    async def _write(self, reservation: ReservationId, record: ContactRecord, over: Document | None) -> None:
        ref, data, until = self._ref(reservation), to_document(record), record.ends + KEPT_AFTER_STAY
        write = Create(ref, data, until) if over is None else Update(ref, data, over.version, until)
        await self._documents.commit([write])

    def _context(self, reservation: ReservationId) -> SealContext:
        purpose = PURPOSE if self._vendor is None else account_purpose(self._vendor)
        return SealContext(purpose, self._documents.tenant, str(self._ref(reservation)), "contact")

    def _ref(self, reservation: ReservationId) -> Ref:
        if self._vendor is None:
            return Ref(GUEST_CONTACTS, reservation)
        return Ref(GUEST_ACCOUNTS, f"{self._vendor}.{reservation}")


def _read(found: Document) -> ContactRecord:
    return read_stored(ContactRecord, found)


def _plain(contact: Contact) -> bytes:
    secrets = {"name": contact.name, "email": contact.email, "phone": contact.phone}
    said: dict[str, Any] = {name: each.reveal() for name, each in secrets.items() if each is not None}
    return orjson.dumps({**said, "locale": contact.locale})
