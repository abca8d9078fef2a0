"""Entry points for tenant events."""

from typing import TYPE_CHECKING

from shared.runtime.entry import subscriber
from shared.runtime.platform import Platform
from shared.usecases.hotels.reload_policy import ReloadPolicy, reload_policy

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start


@subscriber("melmastoon.tenant.config_updated.v1")
async def on_config_updated(event: "Event", on: Platform) -> None:
    """Keep the key policy that the event carries, if it carries one."""
    store = await on.hotels.admit(event.tenant_id)
    if event.data.key_kind_policy is not None:
        settings, of = event.data.key_kind_policy, event.data.property_id
        await reload_policy(ReloadPolicy(settings, event.id, event.time, of), store)
        on.hotels.forget(event.tenant_id)
