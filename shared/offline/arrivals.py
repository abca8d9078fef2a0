"""The arrivals pack: what a desk may need in the next 48 hours, fetched while the network is there, signed
and dated.

A desk without it, or with one that is too old, makes no key: it would not know who paid, who left, and who
is banned.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Self

from nacl.signing import SigningKey, VerifyKey

from shared.domain.errors import DomainError
from shared.domain.ids import DesktopDeviceId, GuestId, PropertyId, ReservationId, RoomId, TenantId, UserId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.permissions import Permission
from shared.domain.window import StayWindow
from shared.offline.certificate import LEEWAY, RevocationList
from shared.offline.radio_locks import RadioLock
from shared.offline.signing import SignedRefused, opened, signed, whole

ARRIVALS: Final = "keyfleet arrivals"
HORIZON: Final = timedelta(hours=48)
PAID: Final = frozenset({"captured", "cash_on_arrival_pending"})
CONFIRMED: Final = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedStay:
    """A stay as the cloud knew it."""

    reservation: ReservationId
    guest: GuestId
    rooms: tuple[RoomId, ...]
    window: StayWindow
    status: str
    payment: str
    holds: tuple[str, ...] = ()
    version: int = 0

    def why_not(self) -> str | None:
        """Return why no key may be made for it, in a word (A §9.2, step 2)."""
        checks = (
            ("not_confirmed", self.status == CONFIRMED),
            ("not_paid", self.payment in PAID),
            ("held", not self.holds),
        )
        return next((reason for reason, holds in checks if not holds), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffRights:
    """What a member of staff may do at this desk."""

    user: UserId
    permissions: frozenset[Permission]
    pin: str = field(default="", repr=False)
    """What is kept of the PIN that proves them here (`sign_in`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomDoors:
    """A room as people call it, and the names of the doors that its key cards open."""

    room: RoomId
    label: str
    doors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsPack:
    """Everything a desk knows of the world while it is alone."""

    tenant: TenantId
    property_id: PropertyId
    device: DesktopDeviceId
    issued: datetime
    stays: tuple[ExpectedStay, ...]
    staff: tuple[StaffRights, ...]
    revoked: RevocationList
    rooms: tuple[RoomDoors, ...] = ()
    radio: tuple[RadioLock, ...] = ()
    """The locks that this desk may speak to by radio."""
    newest_card: int = 0
    """The highest number on any card of the property, whichever of its desks wrote it."""

    def sign(self, authority: SigningKey) -> bytes:
        """Return it signed."""
        document = {
            "tenantId": str(self.tenant),
            "propertyId": str(self.property_id),
            "desktopDeviceId": str(self.device),
            "issued": instant_to_text(self.issued),
            "newestCard": self.newest_card,
            "stays": [_stay(stay) for stay in self.stays],
            "staff": [
                {"userId": str(one.user), "permissions": sorted(one.permissions), "pin": one.pin}
                for one in self.staff
            ],
            "rooms": [
                {"roomId": str(one.room), "label": one.label, "doors": list(one.doors)} for one in self.rooms
            ],
            "radio": [lock.to_document() for lock in self.radio],
            "revoked": {
                "number": self.revoked.number,
                "issued": instant_to_text(self.revoked.issued),
                "serials": sorted(self.revoked.serials),
            },
        }
        return signed(ARRIVALS, document, authority)

    @classmethod
    def open(cls, data: bytes, authorities: Iterable[VerifyKey]) -> Self:
        """Read one, proved by an authority, or raise SignedRefused."""
        document = opened(ARRIVALS, data, authorities)
        try:
            return cls._of(document)
        except (KeyError, TypeError, ValueError, DomainError):
            raise SignedRefused("content") from None

    def fresh(self, now: datetime) -> bool:
        """Say whether it may still be relied on; one from the future is as bad as one too old."""
        return -LEEWAY <= now - self.issued < HORIZON

    def stay(self, reservation: str) -> ExpectedStay | None:
        """Return a stay by its reservation."""
        return next((stay for stay in self.stays if stay.reservation == reservation), None)

    def doors_of(self, rooms: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the doors that a card for some rooms opens; where none is said, the room."""
        said = {one.room: one.doors for one in self.rooms}
        return tuple(dict.fromkeys(door for room in rooms for door in said.get(RoomId(room), (room,))))

    def in_radio_reach(self, rooms: Iterable[str]) -> bool:
        """Say whether each door of some rooms has a lock that this desk may speak to, all of one vendor."""
        locks, doors = {lock.door: lock.vendor for lock in self.radio}, self.doors_of(rooms)
        return {*doors} <= locks.keys() and len({locks[door] for door in doors}) == 1

    def may(self, user: str, permission: Permission) -> bool:
        """Say whether a member of staff has a permission here."""
        return any(one.user == user and permission in one.permissions for one in self.staff)

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Self:
        revoked = document["revoked"]
        return cls(
            tenant=TenantId(document["tenantId"]),
            property_id=PropertyId(document["propertyId"]),
            device=DesktopDeviceId(document["desktopDeviceId"]),
            issued=instant_from_text(document["issued"], "issued"),
            newest_card=whole(document["newestCard"]),
            stays=tuple(_expected(stay) for stay in document["stays"]),
            staff=tuple(_rights(one) for one in document["staff"]),
            rooms=tuple(_room(one) for one in document["rooms"]),
            # A cloud of the release before says nothing of radio.
            radio=tuple(RadioLock.of(row) for row in document.get("radio", ())),
            revoked=RevocationList(
                number=whole(revoked["number"]),
                issued=instant_from_text(revoked["issued"], "issued"),
                serials=frozenset(revoked["serials"]),
            ),
        )


def _stay(stay: ExpectedStay) -> dict[str, Any]:
    return {
        "reservationId": str(stay.reservation),
        "guestId": str(stay.guest),
        "rooms": [str(room) for room in stay.rooms],
        "validFrom": instant_to_text(stay.window.start),
        "validUntil": instant_to_text(stay.window.end),
        "zone": stay.window.zone,
        "status": stay.status,
        "paymentStatus": stay.payment,
        "holds": list(stay.holds),
        "version": stay.version,
    }


def _expected(row: dict[str, Any]) -> ExpectedStay:
    start = instant_from_text(row["validFrom"], "validFrom")
    end = instant_from_text(row["validUntil"], "validUntil")
    return ExpectedStay(
        reservation=ReservationId(row["reservationId"]),
        guest=GuestId(row["guestId"]),
        rooms=tuple(RoomId(room) for room in row["rooms"]),
        window=StayWindow(start, end, row["zone"]),
        status=str(row["status"]),
        payment=str(row["paymentStatus"]),
        holds=tuple(str(hold) for hold in row["holds"]),
        version=whole(row["version"]),
    )


def _rights(row: dict[str, Any]) -> StaffRights:
    # A permission of a later release is nothing that this one could act on.
    known = {permission.value for permission in Permission}
    granted = frozenset(Permission(name) for name in row["permissions"] if name in known)
    return StaffRights(user=UserId(row["userId"]), permissions=granted, pin=str(row.get("pin", "")))


def _room(row: dict[str, Any]) -> RoomDoors:
    doors = tuple(str(door) for door in row["doors"])
    return RoomDoors(room=RoomId(row["roomId"]), label=str(row["label"]), doors=doors)
