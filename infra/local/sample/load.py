"""Reading the sample hotel, and moving it in: doing so again changes nothing."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from shared.domain.capabilities import LockCapabilities
from shared.domain.documents import from_document, to_document
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice, Property, Room, Tenant
from shared.domain.stored import Documented
from shared.ledger.admission import RECORD
from shared.ledger.premises import change_hotel
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref
from shared.usecases.hotels.reload_policy import ReloadPolicy

ABILITIES = [field.name for field in fields(LockCapabilities)]
OLDEST_EVENT = f"evt_{'0' * 26}"
SAMPLE = Path(__file__).with_name("hotel.yaml")
CARD_HOTEL = Path(__file__).with_name("card_hotel.yaml")
WINGS = Path(__file__).with_name("wings.yaml")


@dataclass(frozen=True, slots=True)
class SampleHotel:
    """One property of one tenant, ready to sell rooms."""

    tenant: Tenant
    property: Property
    rooms: tuple[Room, ...]
    devices: tuple[LockDevice, ...]
    policy: Mapping[str, Any]

    def vendor(self) -> VendorCode:
        """Return whose locks are at its doors."""
        return self.devices[0].vendor

    def vendors(self) -> tuple[VendorCode, ...]:
        """Return all vendors of which it has a lock."""
        return tuple(sorted({each.vendor for each in self.devices}))

    def documents(self) -> list[tuple[Ref, Documented]]:
        """Return where each part is kept."""
        return [
            (RECORD, self.tenant),
            (Ref("properties", self.property.id), self.property),
            *((Ref("rooms", room.id), room) for room in self.rooms),
            *((Ref("devices", device.id), device) for device in self.devices),
        ]


def read_sample(path: Path = SAMPLE) -> SampleHotel:
    """Read a hotel file; what it leaves out of a capability is false."""
    return _described(path.read_text(encoding="utf-8"))


@lru_cache(maxsize=8)
def _described(text: str) -> SampleHotel:
    """The hotel that a file describes: frozen, so each text is read once by a process."""
    from ruamel.yaml import YAML

    raw = YAML(typ="safe", pure=True).load(text)
    defaults = raw["device_defaults"]
    devices = [{**defaults, **device} for device in raw["devices"]]
    for device in devices:
        device["capabilities"] = dict.fromkeys(ABILITIES, False) | device["capabilities"]
    return SampleHotel(
        tenant=_read(Tenant, raw["tenant"]),
        property=_read(Property, raw["property"]),
        rooms=tuple(_read(Room, room) for room in raw["rooms"]),
        devices=tuple(_read(LockDevice, device) for device in devices),
        policy=MappingProxyType(raw["policy"]),
    )


async def move_in(hotel: SampleHotel, documents: DocumentStore, now: datetime) -> None:
    """Keep the hotel's records and policy, all at once, unless they are kept already."""
    policy = ReloadPolicy(hotel.policy, OLDEST_EVENT, now)
    writes = [Create(ref, to_document(part)) for ref, part in hotel.documents()]
    with contextlib.suppress(AlreadyExists):
        store = documents.tenant(hotel.tenant.id)
        await change_hotel(store, hotel.property.id, [*writes, Create(policy.ref, policy.document())])


async def add_house(hotel: SampleHotel, documents: DocumentStore, now: datetime) -> None:
    """Keep another hotel of a tenant that is there, with a policy of its own, unless it is kept already."""
    policy = ReloadPolicy(hotel.policy, OLDEST_EVENT, now, str(hotel.property.id))
    parts = [(ref, part) for ref, part in hotel.documents() if ref != RECORD]
    writes = [Create(ref, to_document(part)) for ref, part in parts]
    with contextlib.suppress(AlreadyExists):
        store = documents.tenant(hotel.tenant.id)
        await change_hotel(store, hotel.property.id, [*writes, Create(policy.ref, policy.document())])


async def add_wings(wings: SampleHotel, documents: DocumentStore) -> None:
    """Keep further rooms and locks of a hotel that is there, unless they are kept already."""
    parts = [(ref, part) for ref, part in wings.documents() if ref.collection in {"rooms", "devices"}]
    with contextlib.suppress(AlreadyExists):
        store = documents.tenant(wings.tenant.id)
        await change_hotel(store, wings.property.id, [Create(ref, to_document(part)) for ref, part in parts])


def _read(kind: Any, part: Mapping[str, Any]) -> Any:
    return from_document(kind, {"schema_version": kind.schema_version, **part}, strict=True)


def sample_vendor() -> str:
    """Return the code of the vendor whose locks the sample hotel has: the file says it, and nothing else."""
    return str(read_sample().vendor())
