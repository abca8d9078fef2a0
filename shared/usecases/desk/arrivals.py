"""The arrivals pack of one desk: what its property needs for two days without network, signed."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from shared.domain.instants import milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import STAYS_AT
from shared.ledger.reservation import RESERVATIONS, Reservation, Status, reservation_from
from shared.ledger.stay import Stay
from shared.offline.arrivals import HORIZON, ArrivalsPack, ExpectedStay, RoomDoors
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.usecases.desk.authority import ARRIVALS, DeskAuthority
from shared.usecases.desk.certificates import revocations
from shared.usecases.desk.desk_facts import CARDS
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.lock_keys import radio_locks
from shared.usecases.desk.services import DeskServices
from shared.usecases.desk.staff import staff_at
from shared.vendor_kit.desk_jobs import DeskJobs

IN_HOUSE: Final = timedelta(days=90)
"""Guests who came earlier than that are found by their booking alone."""
PAGE: Final = 500


async def arrivals_for(desk: KnownDesk, on: DeskServices) -> str:
    """Return the pack of a desk, signed."""
    property_id = desk.record.property_id
    setup = await on.keys.hotels.premises(desk.tenant, property_id)
    pack = ArrivalsPack(
        tenant=desk.tenant,
        property_id=property_id,
        device=desk.record.id,
        issued=on.now,
        stays=tuple([each async for each in _stays(desk.store, setup, on)]),
        staff=tuple(await staff_at(desk.store, property_id, on)),
        revoked=await revocations(desk.store, on),
        rooms=tuple(_rooms(setup)),
        radio=await radio_locks(desk, setup, {each.id: door_name(each) for each in setup.devices}, on),
        newest_card=max([await _newest(vendor, desk, on) for vendor in vendors_of_cards(setup)], default=0),
    )
    return pack.sign(await DeskAuthority(desk.tenant, on).signs(ARRIVALS)).decode()


def door_name(device: LockDevice) -> str:
    """Return the name by which cards know a door: its room's, or the lock's own where it leads to several."""
    return device.rooms[0] if len(device.rooms) == 1 else device.vendor_device


async def _newest(vendor: VendorCode, desk: KnownDesk, on: DeskServices) -> int:
    return await DeskJobs(desk.store, on.keys.clock, vendor, desk.record.property_id).newest()


def vendors_of_cards(setup: HotelSetup) -> tuple[VendorCode, ...]:
    """Return the vendors of a property at whose locks cards are written by a desk."""
    able = (each for each in setup.devices if any(map(each.capabilities.supports, CARDS)))
    return tuple(sorted({each.vendor for each in able}))


def _rooms(setup: HotelSetup) -> Iterator[RoomDoors]:
    for room in sorted(setup.rooms):
        doors = setup.doors([room])
        own = min(doors, key=lambda door: (len(door.rooms), door.id))
        yield RoomDoors(room=room, label=own.label, doors=tuple(map(door_name, doors)))


async def _stays(store: TenantDocuments, setup: HotelSetup, on: DeskServices) -> AsyncIterator[ExpectedStay]:
    """Yield the confirmed stays that are here, or come within the horizon."""
    of_property, until = {"property_id": setup.property.id}, milliseconds(on.now + HORIZON)
    after: Document | None = _place(setup.property.id, milliseconds(on.now - IN_HOUSE))
    while after is not None:
        page = await store.query(STAYS_AT, of_property, until=until, after=after, limit=PAGE)
        for found in page:
            record = reservation_from(found)
            expected = _expected(record, record.stay, setup)
            if expected is not None and expected.window.end > on.now:
                yield expected
        after = page[-1] if len(page) == PAGE else None


def _place(property_id: PropertyId, arrives: int) -> Document:
    """Return a place in the list of arrivals, at which nobody need arrive."""
    return Document(Ref(RESERVATIONS, "-"), {"property_id": property_id, "arrives": arrives}, "")


def _expected(record: Reservation, stay: Stay | None, setup: HotelSetup) -> ExpectedStay | None:
    if stay is None or record.status is not Status.CONFIRMED:
        return None
    try:
        return ExpectedStay(
            reservation=record.id,
            guest=stay.guest_id,
            rooms=stay.rooms,
            window=stay.window(setup.property.zone),
            status=str(record.status),
            payment=stay.payment or "",
            holds=tuple(sorted(record.holds)),
            version=record.highest or 0,
        )
    except InvalidInput:
        return None
