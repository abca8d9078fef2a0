"""A tenant changed its settings: the key policy is read anew, and no key moves (B §3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy
from shared.ledger.indexes import PROPERTIES
from shared.ledger.policies import OF_TENANT, POLICIES
from shared.ledger.premises import PAGE, change_hotel, refresh_policy
from shared.ports.documents import Create, Document, Ref, TenantDocuments, Update

if TYPE_CHECKING:
    from shared.events.envelope import Event
    from shared.keywork.services import Services


@dataclass(frozen=True, slots=True)
class ReloadPolicy:
    """Settings for a whole tenant, or for one of its properties."""

    settings: Mapping[str, Any]
    event_id: str
    event_time: datetime
    property_id: str | None = None

    @property
    def ref(self) -> Ref:
        """Where the settings are kept."""
        return Ref(POLICIES, self.property_id or OF_TENANT)

    def document(self) -> dict[str, Any]:
        """Return what is kept."""
        return {
            "schema_version": KeyKindPolicy.schema_version,
            "settings": dict(self.settings),
            "event_id": self.event_id,
            "event_time": self.event_time.isoformat(),
        }


async def hear_policy(event: "Event", services: "Services") -> None:
    """Keep the key policy that an event carries, if it carries one, of a property that is set up."""
    store = await services.hotels.admit(event.tenant_id)
    settings, of = event.data.key_kind_policy, event.data.property_id
    if settings is not None:
        if of is not None:
            await services.hotels.premises(store.tenant, of)  # as a booking is: set aside until it is set up
        await reload_policy(ReloadPolicy(settings, event.id, event.time, of), store)
        services.hotels.forget(event.tenant_id)


async def reload_policy(command: ReloadPolicy, store: TenantDocuments) -> bool:
    """Keep the settings unless newer ones are kept already; return whether they were kept."""
    DEFAULT_POLICY.with_settings(command.settings)
    kept = await store.get(command.ref)
    newer = kept is None or _newer(command, kept)
    if newer:
        await _keep(command, kept, store)
    if command.property_id is None:
        # Also of a duplicate: the first delivery may have died half way through the properties.
        for property_id in await _properties(store):
            await refresh_policy(store, property_id)
    return newer


async def _keep(command: ReloadPolicy, kept: Document | None, store: TenantDocuments) -> None:
    document = command.document()
    write = Create(command.ref, document) if kept is None else Update(command.ref, document, kept.version)
    if command.property_id is None:
        await store.commit([write])
    else:
        await change_hotel(store, command.property_id, [write])


async def _properties(store: TenantDocuments) -> list[str]:
    page = await store.query(PROPERTIES, {}, limit=PAGE)
    found = list(page)
    while len(page) == PAGE:
        page = await store.query(PROPERTIES, {}, after=page[-1], limit=PAGE)
        found += page
    return [each.ref.id for each in found]


def _newer(command: ReloadPolicy, kept: Document) -> bool:
    # Changes of the same instant are told apart by their ids, so that every order of arrival ends alike.
    standing = (datetime.fromisoformat(kept.data["event_time"]), kept.data["event_id"])
    return (command.event_time, command.event_id) > standing
