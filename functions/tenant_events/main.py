"""Entry points for tenant events."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.runtime.entry import step, subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start


@subscriber("melmastoon.tenant.config_updated.v1")
async def on_config_updated(event: "Event", on: Platform) -> None:
    """Keep the key policy that the event carries, if it carries one."""
    from shared.usecases.hotels.reload_policy import ReloadPolicy, reload_policy

    store = await on.hotels.admit(event.tenant_id)
    if event.data.key_kind_policy is not None:
        settings, of = event.data.key_kind_policy, event.data.property_id
        await reload_policy(ReloadPolicy(settings, event.id, event.time, of), store)
        on.hotels.forget(event.tenant_id)


@subscriber("melmastoon.tenant.property.deactivated.v1")
async def on_property_deactivated(event: "Event", on: Platform) -> None:
    """Close a property, and have all its keys revoked."""
    from shared.runtime.keys import services_of
    from shared.usecases.bulk.begin_bulk import close_property

    await close_property(event, services_of(on))


@step
async def begin_bulk(body: Mapping[str, Any], on: Platform) -> Mapping[str, Any]:
    """Have all keys of a property revoked, or those of a lock replaced, on a manager's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.bulk import begin_bulk as beginning

    services = services_of(on)
    job = await beginning.begin_bulk(beginning.BeginBulk.of(body, services), services)
    return {"job": job.id, "stage": job.stage.value}


@step
async def bulk_revoke(body: Mapping[str, Any], on: Platform) -> Mapping[str, Any]:
    """End a page of keys, or say whose locks are next."""
    from shared.runtime.keys import services_of
    from shared.usecases.bulk.step_bulk import BulkCall, step_bulk

    return await step_bulk(BulkCall.of(body), services_of(on))
