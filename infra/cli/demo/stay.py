"""A stay, as a hotel's reservation system tells of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from infra.cli.demo.guest import LOCALE, MAIL, PHONE
from shared.domain.instants import instant_to_text

TENANT: Final = "tnt_silk"
BOOKING: Final = "melmastoon.reservation.booking"
ARRIVES_AFTER, STAYS_FOR = timedelta(hours=1), timedelta(days=2)
ON_THE_DAY: Final = ARRIVES_AFTER + timedelta(hours=1)
GUEST: Final = {
    "id": "gst_demo",
    "displayName": "A guest of the demo",
    "contact": {"email": MAIL, "phoneE164": PHONE},
    "locale": LOCALE,
}
AFTERWARDS: Final = ARRIVES_AFTER + STAYS_FOR + timedelta(hours=1)
"""How far ahead of the booking the guest is in, and gone."""


@dataclass(frozen=True, slots=True)
class Stay:
    """Who is to sleep where, and when it was booked."""

    id: str
    booked: datetime
    rooms: tuple[str, ...] = ("rmu_101", "rmu_102")
    house: str = "ppt_kabul"
    payment: str | None = None

    def confirmed(self) -> dict[str, Any]:
        """Return the event that makes the stay certain: always the same one."""
        arrives = self.booked + ARRIVES_AFTER
        details: dict[str, Any] = {
            "propertyId": self.house,
            "guest": GUEST,
            "rooms": list(self.rooms),
            "validFrom": instant_to_text(arrives),
            "validUntil": instant_to_text(arrives + STAYS_FOR),
        }
        details |= {} if self.payment is None else {"paymentStatus": self.payment}
        return self._event("confirmed", self.booked, details)

    def ended(self, how: str, at: datetime) -> dict[str, Any]:
        """Return the event that the stay is off or over."""
        return self._event(how, at, {})

    def _event(self, what: str, at: datetime, details: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "specVersion": "1.0",
            "id": f"evt_{self.id}_{what}",
            "subject": f"{BOOKING}.{what}.v1",
            "time": instant_to_text(at),
            "tenantId": TENANT,
            "data": {"reservationId": self.id, **details},
        }
