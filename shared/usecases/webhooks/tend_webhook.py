"""A webhook that a crash left: told once more where it was applied, else applied by whoever is sent anew."""

import contextlib
from datetime import timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.keywork.services import Services
from shared.ledger.indexes import WAITING_WEBHOOKS
from shared.ledger.site import site_of
from shared.ledger.vendor_webhook import WEBHOOKS, webhook_from
from shared.ports.documents import DocumentStore, Ref, StaleVersion
from shared.streams.owed import nothing_owed, owed
from shared.usecases.attempts.begin_hearing import HearDoors, begin_hearing

SENT_AGAIN_EVERY: Final = timedelta(minutes=15)


async def tend_webhook(tenant: TenantId, name: str, documents: DocumentStore, services: Services) -> bool:
    """Tell what is untold of a webhook, and have its doors heard if it waits still; return whether it did."""
    store = documents.tenant(tenant)
    hook = await owed(webhook_from, Ref(WEBHOOKS, name), store, services.now)
    if hook is None:
        return False
    told = await hook.announce(store, services.bus)
    if hook.outcome is not None:
        await nothing_owed([told], store.commit)
        return True
    site = site_of(hook.property_id, hook.vendor)
    oldest = await store.query(WAITING_WEBHOOKS, {"site": site}, limit=1)
    with contextlib.suppress(StaleVersion):  # somebody applies it at this moment
        await store.commit([told.due_in(SENT_AGAIN_EVERY, services.now).write()])
    if any(each.ref.id == name for each in oldest):
        # Of all that wait at a property, the oldest sends somebody, who hears for all.
        await begin_hearing(HearDoors(tenant, hook.property_id, hook.vendor), services.sagas)
    return True
