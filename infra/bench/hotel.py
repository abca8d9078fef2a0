"""The bench's hotel: many rooms with one lock each, and a gateway each, so that no key waits for another."""

from dataclasses import replace
from typing import Final

from infra.local.sample.account import sample_account
from infra.local.sample.load import SampleHotel, sample_vendor
from infra.simulators.kit.plan import Plan
from infra.simulators.registry import simulated_vendor
from shared.domain.capabilities import LockCapabilities
from shared.domain.ids import LockDeviceId, PropertyId, RoomId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice, Property, Room, Tenant
from shared.domain.secret import Secret

TENANT, PROPERTY = TenantId("tnt_bench"), PropertyId("ppt_bench")
ROOMS: Final = 64
FIRST_LOCK: Final = 1_000_000
LOCKS: Final = tuple(FIRST_LOCK + number for number in range(ROOMS))
MOCK: Final = "mock"
ABLE: Final = LockCapabilities(pin=True, remote_issue=True, remote_revoke=True)
ABLE_OF_ALL: Final = replace(ABLE, mobile_key=True, card_encoding=True)
"""What locks can do at whoever makes them: their vendor says the rest."""


def hotel(vendor: str, rooms: int = ROOMS) -> SampleHotel:
    """Return the hotel with all its locks of one vendor."""
    return SampleHotel(
        tenant=Tenant(id=TENANT, name="Bench", data_residency="local"),
        property=Property(id=PROPERTY, name="Bench", zone="Asia/Kabul"),
        rooms=tuple(
            Room(id=room(number, rooms), property_id=PROPERTY, label=str(number), floor="1")
            for number in range(rooms)
        ),
        devices=tuple(_device(number, room(number, rooms), VendorCode(vendor)) for number in range(rooms)),
        policy={"preferredKinds": ["pin_code"], "pinDigits": 6},
    )


def room(number: int, rooms: int = ROOMS) -> RoomId:
    """Return the room of a stay: one after the other, so that a lock's memory lasts long."""
    return RoomId(f"rmu_{number % rooms}")


def simulated() -> Plan:
    """Return the same locks as the sample vendor's simulator has them, without limits."""
    return simulated_vendor(sample_vendor()).hotel_of(LOCKS)


def account(vendor: str, address: str) -> Secret[bytes]:
    """Return the hotel's account at its vendor, which is reached at an address."""
    if vendor == MOCK:
        return Secret(f"mock://?post={address}/v3/key/get".encode())
    return sample_account(vendor, address)


def _device(number: int, leads_to: RoomId, vendor: VendorCode) -> LockDevice:
    return LockDevice(
        id=LockDeviceId(f"lck_{number:026d}"),
        property_id=PROPERTY,
        vendor=vendor,
        vendor_device=str(FIRST_LOCK + number),
        label=f"Room {number}",
        rooms=(leads_to,),
        capabilities=ABLE,
    )
