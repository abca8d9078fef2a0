"""Somebody must reach a guest, whose key could not be made, say: told to whom it is allowed, and noted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from shared.domain.ids import ReservationId, TenantId, UserId
from shared.kernel.log import Log
from shared.ledger.guest_contacts import GuestContacts
from shared.ports.documents import TenantDocuments
from shared.ports.vault import Cipher


@dataclass(frozen=True, slots=True)
class ReachGuest:
    """Which stay's guest is to be reached, and who wants to."""

    tenant: TenantId
    reservation: ReservationId
    by: UserId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            ReservationId.parse(body.get("reservation"), "reservation"),
            UserId.parse(body.get("by"), "by"),
        )


async def reach_guest(
    asked: ReachGuest, documents: TenantDocuments, cipher: Cipher, log: Log
) -> dict[str, Any]:
    """Return what is known of how to reach a guest; that it was told is on the log before it is."""
    contact = await GuestContacts(documents, cipher).find(asked.reservation)
    named = {"tenant": asked.tenant, "reservation": asked.reservation, "by": asked.by}
    log.info("a guest's contact was asked for", known=contact is not None, **named)
    if contact is None:
        return {"known": False}
    secrets = {"name": contact.name, "email": contact.email, "phone": contact.phone}
    told = {name: value.reveal() for name, value in secrets.items() if value is not None}
    return {"known": True, **told, "locale": contact.locale}
