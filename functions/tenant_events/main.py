"""Entry points for tenants: what an event asks, the table of reactions says; what is ordered, a manager."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.runtime.entry import step, subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start


@subscriber("melmastoon.tenant.config_updated.v1")
async def on_config_updated(event: "Event", on: Platform) -> None:
    """Keep the key policy that the event carries, if it carries one."""
    await _react(event, on)


@subscriber("melmastoon.tenant.property.deactivated.v1")
async def on_property_deactivated(event: "Event", on: Platform) -> None:
    """Close a property, and have all its keys revoked."""
    await _react(event, on)


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


async def _react(event: "Event", on: Platform) -> None:
    from shared.runtime.keys import services_of
    from shared.usecases.hotels.reactions import react

    await react(event, services_of(on))
