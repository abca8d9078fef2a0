"""What is known of the hotels: tenants, properties, locks and policies, remembered for some seconds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from shared.domain.documents import from_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, RoomId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.policy import KeyKindPolicy
from shared.domain.premises import LockDevice, Locks, Property, doors_of
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.kernel.remembered import Remembered
from shared.kernel.together import gather_both
from shared.ledger.admission import Admitted, PinnedElsewhere, admit_tenant
from shared.ledger.policies import policy_of
from shared.ledger.premises import Premises, page_at, premises_of
from shared.ledger.reading import reading_at
from shared.ports.documents import DocumentStore, TenantDocuments

KNOWN_FOR: Final = timedelta(seconds=15)
"""A lock that was mapped anew, or a changed policy, is heeded everywhere after this."""


@dataclass(frozen=True, slots=True)
class HotelSetup:
    """One property, its locks, and the policy of its keys."""

    property: Property
    devices: tuple[LockDevice, ...]
    policy: KeyKindPolicy
    quarantined: frozenset[str] = frozenset()
    """The locks of which nobody knows where they hang: no key goes to them."""
    versions: tuple[str, ...] = field(default=(), compare=False)
    """Those of the pages that it was made of; none where it was made of something else."""
    rooms: frozenset[RoomId] = field(init=False)

    def __post_init__(self) -> None:
        rooms = (room for device in self.devices for room in device.rooms)
        object.__setattr__(self, "rooms", frozenset(rooms))
        object.__setattr__(self, "devices", Locks(self.devices))

    def check_open(self) -> None:
        """Refuse a property that was deactivated: nobody is to have a key there."""
        if self.property.closed_at is not None:
            remedy = "open the property again where properties are kept, then replay the message"
            raise InvalidInput("data.propertyId", "closed", remedy)

    def of_vendor(self, vendor: VendorCode) -> tuple[LockDevice, ...]:
        """Return one vendor's locks."""
        return tuple(device for device in self.devices if device.vendor == vendor)

    def doors(self, rooms: Sequence[RoomId], scope: AccessScope = NO_SCOPE) -> tuple[LockDevice, ...]:
        """Return the locks that lead to any of these rooms, or to what a scope adds to them."""
        return doors_of(rooms, self.devices, scope)

    def locked(self, room: RoomId) -> bool:
        """Say whether a room has a lock that does not lead to every other room as well."""
        return self.rooms == {room} or any(set(door.rooms) != self.rooms for door in self.doors([room]))


class HotelDirectory:
    """Every tenant's hotels, as far as somebody asked for them."""

    def __init__(self, documents: DocumentStore, cell: str, now: Callable[[], datetime]) -> None:
        self._documents, self._cell = documents, cell
        self._admitted: Remembered[str, Admitted] = Remembered(now, KNOWN_FOR)
        self._premises: Remembered[tuple[str, str], HotelSetup] = Remembered(now, KNOWN_FOR)

    async def admit(self, tenant: str) -> TenantDocuments:
        """Return the handle of a tenant of this cell, or refuse it before anything is stored."""
        return (await self._admitted_as(tenant)).store

    async def is_heard(self, tenant: str) -> bool:
        """Say whether a tenant has events sent somewhere; of one that is none of this cell's nobody hears."""
        try:
            return (await self._admitted_as(tenant)).heard
        except InvalidInput:
            return False

    async def is_elsewhere(self, tenant: str) -> bool:
        """Say whether a tenant, of whom something is kept here, has moved to another cell."""
        try:
            await self._admitted_as(tenant)
        except InvalidInput as refusal:
            return isinstance(refusal, PinnedElsewhere)
        return False

    async def is_uncompared(self, tenant: str) -> bool:
        """Say whether a tenant was brought here and its locks are not compared yet: they are left alone."""
        try:
            return (await self._admitted_as(tenant)).uncompared
        except InvalidInput:
            return False

    async def _admitted_as(self, tenant: str) -> Admitted:
        return await self._admitted.recall(tenant, lambda: admit_tenant(self._documents, tenant, self._cell))

    def knows(self, tenant: TenantId, property_id: PropertyId | None) -> bool:
        """Say whether a tenant, and a property if one is named, need not be read now."""
        known = property_id is None or self._premises.get((tenant, property_id)) is not None
        return known and self._admitted.get(tenant) is not None

    def admitted(self, tenant: TenantId) -> TenantDocuments:
        """Return the handle of a tenant of whom something is kept here: it was admitted before that was."""
        return self._documents.tenant(tenant)

    async def premises(self, tenant: TenantId, property_id: str) -> HotelSetup:
        """Return one property of a tenant, or refuse the property's id."""
        if self._admitted.get(tenant) is not None:
            return await self.premises_of_key(tenant, property_id)
        _, premises = await gather_both(self.admit(tenant), self.premises_of_key(tenant, property_id))
        return premises

    async def premises_of_key(self, tenant: TenantId, property_id: str) -> HotelSetup:
        """Return the property of a key that is kept here, unless its tenant moved: that is read beside it."""
        store = self.admitted(tenant)
        reading = self._premises.recall((tenant, property_id), lambda: self._read(store, property_id))
        if self._admitted.get(tenant) is not None:
            return await reading
        premises, _ = await gather_both(reading, self._still_here(tenant))
        return premises

    async def _still_here(self, tenant: TenantId) -> None:
        try:
            await self._admitted_as(tenant)
        except PinnedElsewhere:
            raise
        except InvalidInput:
            return  # it was admitted before something was kept of it

    def forget(self, tenant: str) -> None:
        """Read a tenant and its premises anew: something of them changed."""
        self._admitted.forget(lambda known: known == tenant)
        self._premises.forget(lambda key: key[0] == tenant)

    async def _read(self, store: TenantDocuments, property_id: str) -> HotelSetup:
        found = await premises_of(store, PropertyId(property_id))
        last = self._premises.last((store.tenant, property_id))
        if last is not None and found.versions and last.versions == found.versions:
            return last  # a copy of which nothing was written since is not taken apart again
        return setup_of(found)


def setup_of(found: Premises) -> HotelSetup:
    """Return a property as its premises say it is, or refuse its id while it is not set up."""
    if found.hotel is None:
        remedy = "set up the property and its locks, then replay the message"
        raise InvalidInput("data.propertyId", "not a property of this tenant", remedy)
    with reading_at(page_at(found.property_id)):
        return HotelSetup(
            from_document(Property, found.hotel),
            tuple(from_document(LockDevice, found.devices[name]) for name in sorted(found.devices)),
            policy_of(found.settings),
            found.quarantined,
            found.versions,
        )
