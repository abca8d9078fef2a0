"""A hotel of a few doors, and what is booked there."""

from types import SimpleNamespace

from shared.domain.capabilities import LockCapabilities
from shared.domain.documents import to_document
from shared.domain.ids import LockDeviceId, RoomId
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.premises import LockDevice, Property, Tenant
from shared.ledger.admission import RECORD
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.premises import change_hotel
from shared.ports.documents import Create, Ref
from tests.support.ledger_books import ARRIVAL, DAY, KABUL, MOCK, SILK

GUESTHOUSE = Property(id=KABUL, name="Kabul", zone="Asia/Kabul")
COMPANY = Tenant(id=SILK, name="Silk", data_residency="local")
ROOMS = [RoomId(f"rmu_{number}") for number in range(1, 6)]


def door(number, rooms, *able, vendor=MOCK):
    """Return a lock with these abilities that leads to these rooms."""
    return LockDevice(
        id=LockDeviceId(f"lck_01KSAMP1E000000000000000{number:02}"),
        property_id=KABUL,
        vendor=vendor,
        vendor_device=str(number),
        label=f"Door {number}",
        rooms=tuple(rooms),
        capabilities=LockCapabilities(**dict.fromkeys(able, True)),
    )


def premises(*doors, policy=DEFAULT_POLICY):
    """Return the hotel with these doors."""
    return HotelSetup(GUESTHOUSE, doors, policy)


async def move_in(books, *doors):
    """Keep the hotel's records."""
    devices = [Create(Ref("devices", each.id), to_document(each)) for each in doors]
    records = [
        Create(RECORD, to_document(COMPANY)),
        Create(Ref("properties", KABUL), to_document(GUESTHOUSE)),
    ]
    await change_hotel(books.documents, KABUL, [*records, *devices])


def booking(rooms=ROOMS[:1], start=ARRIVAL, end=ARRIVAL + 3 * DAY, kinds=(), scope=None):
    """Return a confirmation as the commands read it."""
    data = SimpleNamespace(
        reservation_id="rsv_1",
        property_id=KABUL,
        guest=SimpleNamespace(id="gst_1", locale=None),
        rooms=rooms,
        valid_from=start,
        valid_until=end,
        preferred_kinds=kinds,
        scope=scope and SimpleNamespace(**scope),
        version=None,
        payment_status=None,
        party_size=None,
    )
    return SimpleNamespace(id="evt_1", tenant_id=SILK, data=data)
